/* Scales belong to tensors; operators that move them let one tensor have another's. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"

bool tarei_quant_copy(tarei_quant *const to, const tarei_quant *const from) {
  float *scales = NULL;
  if (from->n_scales) {
    scales = tarei_memdup(from->scales, (size_t)from->n_scales * sizeof *scales);
    if (!scales) {
      return false;
    }
  }
  free(to->scales);
  *to = *from;
  to->scales = scales;
  return true;
}

static tare_status share_scales_copy(tarei_graph *const g, const int from, const int to,
                                     tare_error *const err) {
  if (!g->values[from].quant.n_scales || g->values[to].quant.n_scales) {
    return TARE_OK;
  }
  return tarei_quant_copy(&g->values[to].quant, &g->values[from].quant)
             ? TARE_OK
             : tarei_fail_memory(err, "annotations", sizeof(tarei_quant));
}

/* The length of the last axis; 0: not constant. */
static int64_t row_length(const tarei_graph *const g, const tarei_value *const v) {
  int64_t n;
  return v->rank > 0 && tarei_expr_is_const(g->exprs, v->dims[v->rank - 1], &n) ? n : 0;
}

/* A Reshape that joins rows, as those of the heads of an attention, leaves fewer of them. The table
 * has one number of rows for tensors of the same values. */
static void count_moved_rows(tarei_graph *const g, const tarei_node *const node) {
  const tarei_value *const in = &g->values[node->in[0]];
  tarei_value *const out = &g->values[node->out[0]];
  const int64_t part = row_length(g, in), whole = row_length(g, out);
  if (node->op != &tarei_op_reshape || (whole == part && whole > 0)) {
    out->quant.few_rows |= in->quant.few_rows;
  } else if (in->rank > out->rank && part > 0 && whole > part) {
    out->quant.few_rows |= tarei_rows_are_few(out->quant.elements / (double)whole);
  }
}

/* What is joined has one scale from the start, so that bytes can be joined. A larger scale than its
 * own costs the rows of a part more. */
static tare_status share_joined(tarei_graph *const g, const tarei_node *const concat,
                                tare_error *const err) {
  const tarei_quant *const joined = &g->values[concat->out[0]].quant;
  for (int i = 0; joined->n_scales && i < concat->n_in; i++) {
    tarei_value *const part = &g->values[concat->in[i]];
    const tarei_quant own = part->quant;
    const float own_scale = own.n_scales ? own.scales[0] : 0;
    if (part->data || part->dtype != TARE_F32) {
      continue;
    }
    if (!tarei_quant_copy(&part->quant, joined)) {
      return tarei_fail_memory(err, "annotations", sizeof(tarei_quant));
    }
    part->quant.granularity = own.granularity;
    part->quant.static_loss = own.static_loss;
    part->quant.row_loss = own.row_loss;
    part->quant.rms = own.rms;
    part->quant.few_rows = own.few_rows;
    part->quant.settled = own.settled;
    part->quant.elements = own.elements;
    part->quant.few_samples = own.few_samples;
    part->quant.follows_level |= own.follows_level;
    if (own_scale > 0 && own.static_loss > 0) {
      const double ratio = (double)part->quant.scales[0] / (double)own_scale;
      part->quant.static_loss = fmin(own.static_loss * ratio * ratio, 1);
      tarei_quant_choose_rows(&part->quant);
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_share_scales(tarei_graph *const g, tare_error *const err) {
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    if (node->op->joins) {
      TAREI_TRY(share_joined(g, node, err));
    } else if (tarei_node_selects(node) && tarei_graph_sole_consumer(g, node->in[0]) == n) {
      TAREI_TRY(share_scales_copy(g, node->out[0], node->in[0],
                                  err)); /* nobody else reads what is left out */
    }
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    if (node->op->movement) {
      TAREI_TRY(share_scales_copy(g, node->in[0], node->out[0], err));
      count_moved_rows(g, node);
    }
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    if (g->nodes[n].op->movement) {
      TAREI_TRY(share_scales_copy(g, g->nodes[n].out[0], g->nodes[n].in[0], err));
    }
  }
  return TARE_OK;
}
