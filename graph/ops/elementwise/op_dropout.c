#include "graph/ops/ops_common.h"

/* Whether it is known that training would drop something: a ratio of 0 drops nothing. */
static bool drops(const tarei_graph *const graph, const tarei_node *const node) {
  float ratio = 0;
  return !tarei_ops_in(graph, node, 1) ||
         (tarei_value_const_float(graph, node->in[1], &ratio) && ratio != 0);
}

/* Inference only: the data pass unchanged. */
static tare_status infer_dropout(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_expr training[TAREI_MAX_CONTENTS];
  int64_t on = 0;
  if (tarei_ops_in(graph, node, 2) && tarei_ops_contents(graph, node->in[2], training) == 1 &&
      tarei_expr_is_const(graph->exprs, training[0], &on) && on != 0 && drops(graph, node)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "training mode is not supported");
  }
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return tarei_ops_give(graph, node, 1, node->opset < 10 ? x->dtype : TARE_BOOL, &shape, err);
}

const tarei_op tarei_op_dropout = {
    .name = "Dropout",
    .domain = "",
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 2,
    .movement = true,
    .infer = infer_dropout,
};
