#include "graph/quantize/row_bytes.h"

#include "base/str.h"
#include "graph/op.h"
#include "graph/passes/rewrite.h"

static int64_t groups_of(const tarei_node *const node) {
  return tarei_attr_int(node, TAREI_ATTR_ROW_GROUPS, 0);
}

/* The node that quantizes a value in such parts; -1: none. */
static int find_row_bytes(const tarei_graph *const g, const int value, const int64_t groups) {
  tarei_use use = g->values[value].first_use;
  while (use.node >= 0 && (g->nodes[use.node].op != &tarei_op_quantize_rows ||
                           groups_of(&g->nodes[use.node]) != groups)) {
    use = tarei_graph_next_use(g, use);
  }
  return use.node;
}

static tare_status add_row_bytes(tarei_graph *const g, const int value, const int64_t groups,
                                 int *const node, tare_error *const err) {
  static const char *const names[] = {"rows", "row_scales"};
  int out[2];
  for (int i = 0; i < 2; i++) {
    tarei_str base = {0};
    tarei_str_add(&base, "%s__%s", g->values[value].name, names[i]);
    out[i] = base.failed ? -1 : tarei_graph_add_value_like(g, tarei_str_get(&base), value);
    tarei_str_free(&base);
    if (out[i] < 0) {
      return tarei_fail_memory(err, "quantized rows", sizeof(tarei_value));
    }
    g->values[out[i]].observable = false;
  }
  g->values[out[0]].dtype = TARE_U8;
  g->values[out[0]].quant.granularity = TAREI_PER_ROW;
  g->values[out[0]].quant.zero_point =
      groups == 0 && g->values[value].never_negative ? 0 : TAREI_SYMMETRIC;
  *node =
      tarei_graph_add_node(g, "QuantizeRows", "tare", g->values[out[0]].name, 1, &value, 1, out, 2);
  const bool added =
      *node >= 0 &&
      (groups == 0 || tarei_attr_set_int(&g->nodes[*node], TAREI_ATTR_ROW_GROUPS, groups));
  return added ? TARE_OK : tarei_fail_memory(err, "quantize node", sizeof(tarei_node));
}

tare_status tarei_read_row_bytes(tarei_graph *const g, const int n, const int input,
                                 const int64_t groups, tare_error *const err) {
  const int value = g->nodes[n].in[input];
  int rows = find_row_bytes(g, value, groups);
  TAREI_TRY(rows < 0 ? add_row_bytes(g, value, groups, &rows, err) : TARE_OK);
  const int bytes = g->nodes[rows].out[0], scales = g->nodes[rows].out[1];
  tarei_graph_set_in(g, n, input, bytes);
  return tarei_node_set_in(g, n, TAREI_INT8_ROW_SCALES + input, scales, err);
}

tare_status tarei_return_row_floats(tarei_graph *const g, const int quantize, bool *const changed,
                                    tare_error *const err) {
  const tarei_node *const q = &g->nodes[quantize];
  if (q->op != &tarei_op_quantize_rows || groups_of(q) != 0) {
    return TARE_OK;
  }
  const int reader = tarei_graph_sole_consumer(g, q->out[0]);
  if (reader < 0 || g->nodes[reader].op != &tarei_op_qlinear ||
      tarei_graph_sole_consumer(g, q->out[1]) != reader) {
    return TARE_OK;
  }
  if (g->values[q->out[0]].quant.zero_point == 0 &&
      !tarei_attr_set_int(&g->nodes[reader], TAREI_ATTR_UNSIGNED_ROWS, 1)) {
    return tarei_fail_memory(err, "unsigned rows", sizeof(tarei_attr));
  }
  tarei_graph_set_in(g, reader, 0, q->in[0]);
  tarei_graph_cut_inputs(g, reader, TAREI_INT8_ROW_SCALES);
  tarei_graph_remove_node(g, quantize);
  *changed = true;
  return TARE_OK;
}
