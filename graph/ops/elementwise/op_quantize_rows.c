/* Rows of float32 to bytes. Each, or each of its equal parts, has a scale of its own that the rows
 * of a run give. */
#include "graph/ops/ops_common.h"

static tare_status infer_quantize_rows(tarei_graph *const graph, tarei_node *const node,
                                       tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give_rows(graph, node, 0, &shape, err);
}

const tarei_op tarei_op_quantize_rows = {
    .name = "QuantizeRows",
    .domain = "tare",
    .min_in = 1,
    .max_in = 1,
    .min_out = 2,
    .max_out = 2,
    .infer = infer_quantize_rows,
};
