/* Annotates values with the scales that the model states for them, where nothing observed them. */
#include <math.h>

#include "graph/passes/adopt_scales.h"
#include "graph/passes/const_data.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/run_time_bytes.h"

/* Whether a bound is a multiple of a stated scale, less its zero point, so that clipped bytes are
 * bytes. */
static bool take_stated_on_grid(const tarei_graph *const g, const tarei_node *const node,
                                const int input, const tarei_quant *const quant) {
  float bound = 0;
  const double step =
      quant->wide ? (double)quant->scales[0] * 127 / 32767 : (double)quant->scales[0];
  if (!tarei_const_clip_bound(g, node, input, input == 1 ? "min" : "max", &bound)) {
    return false;
  }
  const double steps = isfinite(bound) ? (double)bound / step : 0;
  return fabs(steps - rint(steps)) < 1e-2; /* of a float32 with 16 bits before the point */
}

/* Bounds of values with a stated scale, which has a step for each bound. */
static bool take_stated_bounds(const tarei_graph *const g, const tarei_node *const node) {
  if (node->op == &tarei_op_relu) {
    return true;
  }
  const tarei_quant *const quant =
      node->op == &tarei_op_clip ? &g->values[node->in[0]].quant : NULL;
  return quant && quant->n_scales == 1 && take_stated_on_grid(g, node, 1, quant) &&
         take_stated_on_grid(g, node, 2, quant);
}

/* The input whose scale the output of a node has too, since it holds the same values or some of
 * them and zeros; -1 where there is none. */
static int same_scale(const tarei_graph *const g, const tarei_node *const node) {
  const int x = node->n_in > 0 ? node->in[0] : -1;
  if (x < 0 || !(node->op->movement || tarei_node_selects(node) || take_stated_bounds(g, node)) ||
      !(g->values[x].quant.stated || g->values[x].quant.wide) || !tarei_value_is_f32(g, x) ||
      node->n_out < 1 || node->out[0] < 0 ||
      (node->op->fill_input > 0 && tarei_node_in(node, node->op->fill_input) >= 0)) {
    return -1;
  }
  for (int i = 1; node->op->joins && i < node->n_in; i++) {
    if (!tarei_quant_equal(&g->values[x].quant, &g->values[node->in[i]].quant)) {
      return -1;
    }
  }
  return x;
}

/* Layers multiply 16 bits by their own step; the scale of a value is that of amax / 127. */
static tare_status state_wide(tarei_quant *const quant, const tarei_stated *const s,
                              tare_error *const err) {
  const tarei_stated even = {(float)((double)s->scale * 32767 / 127), TAREI_SYMMETRIC};
  TAREI_TRY(tarei_stated_annotate(quant, &even, err));
  quant->stated = false;
  quant->wide = true;
  quant->wide_zero_point = s->zero_point;
  return TARE_OK;
}

tare_status tarei_graph_take_stated(tarei_graph *const g, int *const n, tare_error *const err) {
  *n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    const tarei_node *const node = &g->nodes[i];
    tarei_stated s;
    if (node->op == &tarei_op_dequantize && g->values[node->in[0]].quant.stated) {
      if (!tarei_quant_copy(&g->values[node->out[0]].quant, &g->values[node->in[0]].quant)) {
        return tarei_fail_memory(err, "scale", sizeof(float));
      }
      ++*n;
    } else if (node->op == &tarei_op_dequantize_linear && tarei_stated_of(g, node, &s)) {
      TAREI_TRY(tarei_stated_annotate(&g->values[node->out[0]].quant, &s, err));
      ++*n;
    } else if (node->op == &tarei_op_dequantize_linear && tarei_stated_wide(g, node, &s) &&
               !tarei_value_is_const(g, node->in[0])) {
      TAREI_TRY(state_wide(&g->values[node->out[0]].quant, &s, err));
      ++*n;
    }
    const int same = same_scale(g, node);
    if (same >= 0 && !tarei_quant_copy(&g->values[node->out[0]].quant, &g->values[same].quant)) {
      return tarei_fail_memory(err, "scale", sizeof(float));
    }
    *n += tarei_attr_find(node, TAREI_ATTR_DYNAMIC) != NULL || tarei_restores_at_run_time(g, node);
  }
  return TARE_OK;
}
