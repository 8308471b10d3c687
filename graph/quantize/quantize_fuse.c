/* Quantize nodes travel up to where the value is made: activations then move as bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/pass.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/lower_bound.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_move.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/requested.h"
#include "graph/quantize/row_bytes.h"

const tarei_pass tarei_pass_fuse_quantize = {
    .name = "fuse_quantize", .summary = "lets the nodes before a Quantize write its bytes"};

static bool is_quantize(const tarei_node *const node) {
  return node->op == &tarei_op_quantize;
}

static bool makes_bytes(const tarei_node *const node) {
  return is_quantize(node) || node->op == &tarei_op_quantize_rows;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* An activation of a value that is stored as bytes with a scale of its own, read by one Quantize.
 */
static bool becomes_table(const tarei_graph *const g, const tarei_node *const node, const int n) {
  const int x = node->in[0];
  return tarei_graph_sole_consumer(g, node->out[0]) == n && tarei_is_activation(g, node) &&
         tarei_output_asked(node) != TARE_PRECISION_FP32 && g->values[x].quant.n_scales &&
         g->values[x].quant.granularity == TAREI_PER_TENSOR && tarei_can_be_written_as_bytes(g, x);
}

/* Quantize(f(x)) becomes Lookup(Quantize(x)), with f as the attribute "function". */
static tare_status quantize_fuse_make_table(tarei_graph *const g, const int n, bool *const changed,
                                            tare_error *const err) {
  const int out = g->nodes[n].out[0];
  const int index = g->values[g->nodes[n].in[0]].producer;
  if (index < 0 || !becomes_table(g, &g->nodes[index], n)) {
    return TARE_OK;
  }
  int q;
  TAREI_TRY(tarei_quantize_as(g, g->nodes[index].in[0], g->nodes[index].in[0], &q, err));
  tarei_node *const node = &g->nodes[index];
  if (!tarei_attr_set_string(node, "function", node->op->name)) {
    return tarei_fail_memory(err, "function", sizeof(tarei_attr));
  }
  node->op = &tarei_op_lookup;
  tarei_graph_set_in(g, index, 0, q);
  node->out[0] = out;
  g->values[out].producer = index;
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

/* Bytes that were made real to be quantized alike are what they were. */
static tare_status cancel(tarei_graph *const g, const int n, bool *const changed,
                          tare_error *const err) {
  (void)err;
  const tarei_node *const before = tarei_producer_is(g, g->nodes[n].in[0], &tarei_op_dequantize);
  const int out = g->nodes[n].out[0];
  if (!before || g->values[out].is_output ||
      !tarei_quant_equal(&g->values[before->in[0]].quant, &g->values[out].quant)) {
    return TARE_OK;
  }
  tarei_graph_replace_uses(g, out, before->in[0]);
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

/* --- producers -------------------------------------------------------------------------------- */

/* Whether a node makes floats and could make what a quantizing node makes of them. */
static bool can_write(const tarei_graph *const g, const tarei_node *const node,
                      const tarei_node *const quantize) {
  const tarei_op *const op = node->op;
  for (int o = 1; o < node->n_out; o++) {
    if (node->out[o] >= 0) {
      return false;
    }
  }
  return (is_quantize(quantize) ? op->writes_bytes : op->writes_rows) &&
         g->values[node->out[0]].dtype == TARE_F32 &&
         tarei_output_asked(node) != TARE_PRECISION_FP32 &&
         strcmp(tarei_attr_string(node, TAREI_ATTR_OUTPUTS, "f32"), "f32") == 0;
}

/* Per value, how many inputs read its numbers: those who ask for its shape do not, nor does who
 * moves it where nobody reads them. */
static int *count_readers(const tarei_graph *const g) {
  int *const readers = tarei_calloc((size_t)g->n_values, sizeof *readers);
  for (int v = 0; readers && v < g->n_values; v++) {
    readers[v] = g->values[v].is_output;
  }
  for (int n = g->n_nodes - 1; readers && n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    for (int i = 0; i < node->n_in && !node->op->reads_dims; i++) {
      const bool idle = node->op->movement && i == 0 && readers[node->out[0]] == 0;
      if (node->in[i] >= 0 && !idle) {
        readers[node->in[i]]++;
      }
    }
  }
  return readers;
}

/* A linear layer writes rows, but nothing beside them; others write whole rows. */
static bool writes_row_form(const tarei_node *const node, const tarei_node *const quantize,
                            const bool only) {
  return node->op == &tarei_op_qlinear ? only : !tarei_attr_find(quantize, TAREI_ATTR_ROW_GROUPS);
}

/* In which parts a linear layer writes its rows: without the attribute they count from its bound.
 */
static bool set_row_groups(const tarei_graph *const g, tarei_node *const layer,
                           const tarei_node *const quantize) {
  double loss;
  const tarei_attr *const groups = tarei_attr_find(quantize, TAREI_ATTR_ROW_GROUPS);
  if (groups) {
    return tarei_attr_copy(layer, groups);
  }
  return layer->op != &tarei_op_qlinear || tarei_rows_have_bound(g, quantize->in[0], &loss) ||
         tarei_attr_set_int(layer, TAREI_ATTR_ROW_GROUPS, 1);
}

/* The node that makes the value writes it as bytes, beside or instead of the floats. */
static tare_status absorb(tarei_graph *const g, const int n, const int *const readers,
                          bool *const changed, tare_error *const err) {
  const tarei_node *const quantize = &g->nodes[n];
  const int value = quantize->in[0], producer = g->values[value].producer;
  if (producer < 0 || !can_write(g, &g->nodes[producer], quantize)) {
    return TARE_OK;
  }
  const bool only = readers[value] == 1; /* this node */
  if (!is_quantize(quantize) && !writes_row_form(&g->nodes[producer], quantize, only)) {
    return TARE_OK;
  }
  const char *const form = is_quantize(quantize) ? only ? "u8" : "both"
                           : only                ? "rows"
                                                 : "f32+rows";
  const int kept = only ? 0 : 1, n_out = kept + quantize->n_out;
  tarei_node *const p = &g->nodes[producer];
  if (!is_quantize(quantize) && !set_row_groups(g, p, quantize)) {
    return tarei_fail_memory(err, "row groups", sizeof(tarei_attr));
  }
  int *const outs = tarei_realloc(p->out, (size_t)n_out * sizeof *outs);
  if (!outs || !tarei_attr_set_string(p, TAREI_ATTR_OUTPUTS, form)) {
    p->out = outs ? outs : p->out;
    return tarei_fail_memory(err, "layer outputs", (size_t)n_out * sizeof *outs);
  }
  p->out = outs;
  p->n_out = n_out;
  for (int o = 0; o < quantize->n_out; o++) {
    p->out[kept + o] = quantize->out[o];
    g->values[quantize->out[o]].producer = producer;
  }
  if (!is_quantize(quantize) && tarei_rows_bound(g, quantize->out[0]) < 0) {
    g->values[quantize->out[0]].quant.zero_point = 0;
  }
  if (only) {
    tarei_graph_replace_uses(g, value, p->out[0]); /* by those that ask for its shape */
    g->values[value].producer = -1;                /* nobody reads it any more; compact drops it */
  }
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

static tare_status absorb_all(tarei_graph *const g, tare_error *const err) {
  int *const readers = count_readers(g);
  bool changed = false;
  tare_status status =
      readers ? TARE_OK : tarei_fail_memory(err, "readers", (size_t)g->n_values * sizeof *readers);
  for (int n = g->n_nodes - 1; status == TARE_OK && n >= 0; n--) {
    if (makes_bytes(&g->nodes[n])) {
      status = absorb(g, n, readers, &changed, err);
      status = status == TARE_OK ? tarei_return_row_floats(g, n, &changed, err) : status;
    }
  }
  free(readers);
  if (status != TARE_OK || !changed) {
    return status;
  }
  TAREI_TRY(tarei_graph_compact(g, err));
  return tarei_graph_infer(g, err);
}

/* --- all of them ------------------------------------------------------------------------------ */

typedef tare_status quantize_fuse_rule_fn(tarei_graph *, int, bool *, tare_error *);

static tare_status rewrite_quantize(tarei_graph *const g, const int n, bool *const changed,
                                    tare_error *const err) {
  static quantize_fuse_rule_fn *const rules[] = {cancel, tarei_quantize_hoist,
                                                 quantize_fuse_make_table};
  for (size_t i = 0; i < sizeof rules / sizeof *rules && is_quantize(&g->nodes[n]); i++) {
    TAREI_TRY(rules[i](g, n, changed, err));
  }
  return TARE_OK;
}

/* A Quantize that moves up is a new node at the end: it goes on in the next round of a sweep, so
 * that the graph is not sorted for each step of its way. */
static tare_status move_up(tarei_graph *const g, tare_error *const err) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int first = 0, end = g->n_nodes; first < end; first = end, end = g->n_nodes) {
      for (int n = end - 1; n >= first; n--) {
        TAREI_TRY(rewrite_quantize(g, n, &changed, err));
      }
    }
    if (changed) {
      TAREI_TRY(tarei_graph_compact(g, err));
      TAREI_TRY(tarei_graph_infer(g, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_fuse_quantize(tarei_graph *const g, tare_error *const err) {
  TAREI_TRY(move_up(g, err));
  return absorb_all(g, err);
}
