#include "graph/ops/ops_common.h"

static tare_status infer_trilu(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const k = tarei_ops_in(graph, node, 1);
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  if (k) {
    TAREI_TRY(tarei_ops_want_rank(k, 0, 1, err));
    TAREI_TRY(tarei_ops_want_dtype(k, TARE_I64, err));
    if (tarei_ops_count(graph, k) != 1) {
      return tarei_fail(err, TARE_E_MODEL, "input '%s' must be one number", k->name);
    }
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &shape, err);
}

const tarei_op tarei_op_trilu = {
    .name = "Trilu",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_trilu,
};
