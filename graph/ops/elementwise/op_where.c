#include "graph/ops/ops_common.h"

static tarei_expr where_choose(const tarei_graph *const graph, const tarei_expr condition,
                               const tarei_expr yes, const tarei_expr no) {
  int64_t known;
  if (tarei_expr_is_const(graph->exprs, condition, &known)) {
    return known != 0 ? yes : no;
  }
  return yes == no ? yes
                   : tarei_expr_add(graph->exprs, no,
                                    tarei_expr_mul(graph->exprs, condition,
                                                   tarei_expr_sub(graph->exprs, yes, no)));
}

static tare_status choose_contents(tarei_graph *const graph, const tarei_node *const node,
                                   tare_error *const err) {
  tarei_expr in[3][TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const int n = node->out[0] >= 0 ? tarei_ops_contents(graph, node->out[0], out) : -1;
  for (int k = 0; k < 3; k++) {
    if (n < 0 || tarei_ops_contents(graph, node->in[k], in[k]) < 0) {
      return TARE_OK;
    }
  }
  const tarei_value *const to = &graph->values[node->out[0]];
  for (int i = 0; i < n; i++) {
    tarei_expr at[3];
    for (int k = 0; k < 3; k++) {
      at[k] = in[k][tarei_ops_element(graph, tarei_ops_in(graph, node, k), to, i)];
    }
    out[i] = where_choose(graph, at[0], at[1], at[2]);
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status infer_where(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const condition = tarei_ops_in(graph, node, 0);
  const tarei_value *const yes = tarei_ops_in(graph, node, 1);
  const tarei_value *const no = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_dtype(condition, TARE_BOOL, err));
  TAREI_TRY(tarei_ops_want_same_dtype(yes, no, err));
  tarei_shape out = tarei_ops_shape(condition);
  const tarei_shape a = tarei_ops_shape(yes), b = tarei_ops_shape(no);
  TAREI_TRY(tarei_ops_broadcast(graph, &out, &a, &out, err));
  TAREI_TRY(tarei_ops_broadcast(graph, &out, &b, &out, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, yes->dtype, &out, err));
  return choose_contents(graph, node, err);
}

const tarei_op tarei_op_where = {
    .name = "Where",
    .domain = "",
    .sign = TAREI_SIGN_ALL,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .elementwise = true,
    .infer = infer_where,
};
