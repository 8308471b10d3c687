/* Quantize nodes travel up to where the value is made: activations then move as bytes. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/pass.h"
#include "graph/passes/rewrite.h"
#include "graph/quantize/output_types.h"
#include "graph/quantize/quantize.h"
#include "graph/quantize/quantize_move.h"
#include "graph/quantize/quantize_uses.h"

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

/* Whether somebody apart from node `except` reads the numbers of a value: who asks for its shape
 * does not, nor who asks for that of what it is moved to. */
static bool quantize_fuse_is_read(const tarei_graph *const g, const int value, const int except) {
  if (g->values[value].is_output) {
    return true;
  }
  for (tarei_use u = g->values[value].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
    const tarei_node *const node = &g->nodes[u.node];
    if (u.node == except || node->op->reads_dims) {
      continue;
    }
    const bool moves = node->op->movement && u.input == 0;
    if (!(moves && !quantize_fuse_is_read(g, node->out[0], except))) {
      return true;
    }
  }
  return false;
}

/* The node that makes the value writes it as bytes, beside or instead of the floats. */
static tare_status absorb(tarei_graph *const g, const int n, bool *const changed,
                          tare_error *const err) {
  const tarei_node *const quantize = &g->nodes[n];
  const int value = quantize->in[0], producer = g->values[value].producer;
  if (producer < 0 || !can_write(g, &g->nodes[producer], quantize)) {
    return TARE_OK;
  }
  const bool only = !quantize_fuse_is_read(g, value, n);
  const char *const form = is_quantize(quantize) ? only ? "u8" : "both"
                           : only                ? "rows"
                                                 : "f32+rows";
  const int kept = only ? 0 : 1, n_out = kept + quantize->n_out;
  tarei_node *const p = &g->nodes[producer];
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
  if (only) {
    tarei_graph_replace_uses(g, value, p->out[0]); /* by those that ask for its shape */
    g->values[value].producer = -1;                /* nobody reads it any more; compact drops it */
  }
  tarei_graph_remove_node(g, n);
  *changed = true;
  return TARE_OK;
}

typedef tare_status quantize_fuse_rule_fn(tarei_graph *, int, bool *, tare_error *);

static tare_status sweep(tarei_graph *const g, bool (*const of)(const tarei_node *),
                         quantize_fuse_rule_fn *const *const rules, const int n_rules,
                         tare_error *const err) {
  bool changed = true;
  while (changed) {
    changed = false;
    for (int n = g->n_nodes - 1; n >= 0; n--) {
      for (int i = 0; i < n_rules && g->nodes[n].op && of(&g->nodes[n]); i++) {
        TAREI_TRY(rules[i](g, n, &changed, err));
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
  static quantize_fuse_rule_fn *const upward[] = {cancel, tarei_quantize_hoist,
                                                  quantize_fuse_make_table};
  static quantize_fuse_rule_fn *const final[] = {absorb};
  TAREI_TRY(sweep(g, is_quantize, upward, 3, err));
  return sweep(g, makes_bytes, final, 1, err);
}
