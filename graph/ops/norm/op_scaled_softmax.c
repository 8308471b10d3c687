/* softmax(X * scale + mask) along the last axis; the mask is broadcast to X. */
#include "graph/ops/ops_common.h"

static tare_status infer_scaled_softmax(tarei_graph *const graph, tarei_node *const node,
                                        tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const mask = tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK, err));
  if (mask) {
    TAREI_TRY(tarei_ops_want_dtype(mask, TARE_F32, err));
    TAREI_TRY(tarei_ops_want_rank(mask, 1, x->rank, err));
  }
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give_quantized(graph, node, &shape, err);
}

const tarei_op tarei_op_scaled_softmax = {
    .name = "ScaledSoftmax",
    .domain = "tare",
    .growth = TAREI_GROWTH_BOUNDED,
    .sign = TAREI_SIGN_NEVER,
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .infer = infer_scaled_softmax,
};
