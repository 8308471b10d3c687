/* Quantize nodes travel up to where the value is made: activations then move as bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/pass.h"
#include "graph/quantize.h"

static bool same_quant(const tarei_quant *const a, const tarei_quant *const b) {
  return a->granularity == b->granularity && a->n_scales == b->n_scales &&
         a->unsigned_range == b->unsigned_range &&
         memcmp(a->scales, b->scales, (size_t)a->n_scales * sizeof *a->scales) == 0;
}

static bool is_quantize(const tarei_node *const node) { return node->op == &tarei_op_quantize; }

/* Quantize of `value` with this annotation that already stands, or -1. */
static int find_quantized(const tarei_graph *const g, const int value,
                          const tarei_quant *const quant) {
  for (int n = 0; n < g->n_nodes; n++) {
    if (g->nodes[n].op && is_quantize(&g->nodes[n]) && g->nodes[n].in[0] == value &&
        same_quant(&g->values[g->nodes[n].out[0]].quant, quant)) {
      return g->nodes[n].out[0];
    }
  }
  return -1;
}

/* Quantize(Move(x)) becomes Move(Quantize(x)) where nobody else reads the moved floats. */
static tare_status hoist(tarei_graph *const g, const int n, bool *const changed,
                         tare_error *const err) {
  const int moved = g->nodes[n].in[0], out = g->nodes[n].out[0];
  const int producer = g->values[moved].producer;
  if (producer < 0 || !g->nodes[producer].op->movement ||
      tarei_graph_sole_consumer(g, moved) != n) {
    return TARE_OK;
  }
  const int x = g->nodes[producer].in[0];
  int q = find_quantized(g, x, &g->values[out].quant);
  if (q < 0) {
    q = tarei_graph_add_value_like(g, g->values[out].name, x);
    if (q < 0 || !tarei_quant_copy(&g->values[q].quant, &g->values[out].quant)) {
      return tarei_fail_memory(err, "quantized value", sizeof(tarei_value));
    }
    g->values[q].dtype = TARE_U8;
    g->values[q].observable = false;
    if (tarei_graph_add_node(g, "Quantize", "tare", g->values[q].name, 1, &x, 1, &q, 1) < 0) {
      return tarei_fail_memory(err, "quantize node", sizeof(tarei_node));
    }
  }
  /* the movement node itself now carries bytes: its other inputs and attributes stay */
  g->nodes[producer].in[0] = q;
  g->nodes[producer].out[0] = out;
  g->values[out].producer = producer;
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

static bool writes_u8(const tarei_node *const node) {
  return (node->op == &tarei_op_qconv_last || node->op == &tarei_op_qlinear ||
          node->op == &tarei_op_qmatmul || node->op == &tarei_op_scaled_softmax) &&
         strcmp(tarei_attr_string(node, "outputs", "f32"), "f32") == 0;
}

/* The layer that makes the value writes it as u8, beside or instead of the floats. */
static tare_status absorb(tarei_graph *const g, const int n, bool *const changed,
                          tare_error *const err) {
  const int value = g->nodes[n].in[0], q = g->nodes[n].out[0];
  const int producer = g->values[value].producer;
  if (producer < 0 || !writes_u8(&g->nodes[producer])) {
    return TARE_OK;
  }
  const bool only = tarei_graph_sole_consumer(g, value) == n;
  tarei_node *const p = &g->nodes[producer];
  int *const outs = realloc(p->out, 2 * sizeof *outs);
  if (!outs || !tarei_attr_set_string(p, "outputs", only ? "u8" : "both")) {
    p->out = outs ? outs : p->out;
    return tarei_fail_memory(err, "layer outputs", 2 * sizeof *outs);
  }
  p->out = outs;
  p->out[only ? 0 : 1] = q;
  p->n_out = only ? 1 : 2;
  g->values[q].producer = producer;
  if (only) {
    g->values[value].producer = -1; /* nobody reads it any more; compact drops it */
  }
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

static tare_status sweep(tarei_graph *const g,
                         tare_status (*const rule)(tarei_graph *, int, bool *, tare_error *),
                         tare_error *const err) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (int n = g->n_nodes - 1; n >= 0; n--) {
      if (g->nodes[n].op && is_quantize(&g->nodes[n])) {
        TARE_TRY(rule(g, n, &changed, err));
      }
    }
    if (changed) {
      TARE_TRY(tarei_graph_compact(g, err));
      TARE_TRY(tarei_graph_infer(g, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_fuse_quantize(tarei_graph *const g, tare_error *const err) {
  TARE_TRY(sweep(g, hoist, err));
  return sweep(g, absorb, err);
}
