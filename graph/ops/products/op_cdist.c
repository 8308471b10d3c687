/* CDist of com.microsoft: the distances of the rows of one matrix from those of another. */
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status infer_cdist(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const a = tarei_ops_in(graph, node, 0), *const b =
                                                                 tarei_ops_in(graph, node, 1);
  const char *const metric = tarei_attr_string(node, "metric", "sqeuclidean");
  if (strcmp(metric, "sqeuclidean") != 0 && strcmp(metric, "euclidean") != 0) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'metric': expected euclidean or sqeuclidean, got '%s'", metric);
  }
  TAREI_TRY(tarei_ops_want_float(a, err));
  TAREI_TRY(tarei_ops_want_same_dtype(a, b, err));
  TAREI_TRY(tarei_ops_want_rank(a, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(b, 2, 2, err));
  TAREI_TRY(tarei_ops_want_inner(graph, a, 1, b, 1, err));
  const tarei_shape out = {2, {a->dims[0], b->dims[0]}};
  return tarei_ops_give(graph, node, 0, a->dtype, &out, err);
}

const tarei_op tarei_op_ms_cdist = {
    .name = "CDist",
    .domain = "com.microsoft",
    .sign = TAREI_SIGN_NEVER,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_cdist,
};
