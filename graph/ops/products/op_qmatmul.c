/* The product of two quantized activations. */
#include "graph/ops/ops_common.h"

static tare_status infer_qmatmul(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const a = tarei_ops_in(graph, node, 0);
  const tarei_value *const b = tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_dtype(a, TARE_U8, err));
  TAREI_TRY(tarei_ops_want_dtype(b, TARE_U8, err));
  TAREI_TRY(tarei_ops_want_rank(a, 2, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_rank(b, 2, TARE_MAX_RANK, err));
  tarei_shape out;
  TAREI_TRY(tarei_ops_matmul(graph, a, b, tarei_attr_int(node, "trans_b", 0) != 0, &out, err));
  return tarei_ops_give_quantized(graph, node, &out, err);
}

const tarei_op tarei_op_qmatmul = {
    .name = "QMatMul",
    .domain = "tare",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .infer = infer_qmatmul,
};
