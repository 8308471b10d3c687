/* NonMaxSuppression: which boxes stay, as rows of batch, class and box. A run tells how many. */
#include "graph/ops/ops_common.h"

enum { BOXES, SCORES, LIMIT, OVERLAP, LEAST };

/* One number or none. */
static tare_status non_max_want_number(const tarei_graph *const graph, const tarei_node *const node,
                                       const int i, const tare_dtype dtype, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, i);
  if (!value) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_dtype(value, dtype, err));
  const int n = tarei_ops_count(graph, value);
  return n == 1 || n < 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "'%s' has %d elements, expected one", value->name, n);
}

static tare_status check_boxes(const tarei_graph *const graph, const tarei_value *const boxes,
                               const tarei_value *const scores, tare_error *const err) {
  TAREI_TRY(tarei_ops_want_dtype(boxes, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_dtype(scores, TARE_F32, err));
  TAREI_TRY(tarei_ops_want_rank(boxes, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(scores, 3, 3, err));
  if (tarei_ops_differ(graph, boxes->dims[2], tarei_expr_const(graph->exprs, 4))) {
    return tarei_fail(err, TARE_E_MODEL, "the last axis of boxes '%s' has not length 4",
                      boxes->name);
  }
  return tarei_ops_differ(graph, boxes->dims[0], scores->dims[0]) ||
                 tarei_ops_differ(graph, boxes->dims[1], scores->dims[2])
             ? tarei_fail(err, TARE_E_MODEL,
                          "scores '%s' must be [batch, classes, boxes] of boxes '%s', [batch, "
                          "boxes, 4]",
                          scores->name, boxes->name)
             : TARE_OK;
}

static tare_status infer_non_max_suppression(tarei_graph *const graph, tarei_node *const node,
                                             tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(
      check_boxes(graph, tarei_ops_in(graph, node, BOXES), tarei_ops_in(graph, node, SCORES), err));
  TAREI_TRY(non_max_want_number(graph, node, LIMIT, TARE_I64, err));
  TAREI_TRY(non_max_want_number(graph, node, OVERLAP, TARE_F32, err));
  TAREI_TRY(non_max_want_number(graph, node, LEAST, TARE_F32, err));
  const int64_t center = tarei_attr_int(node, "center_point_box", 0);
  if (center != 0 && center != 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'center_point_box': expected 0 or 1, got %lld",
                      (long long)center);
  }
  const tarei_shape out = {2,
                           {tarei_ops_measured(graph, node, 0), tarei_expr_const(graph->exprs, 3)}};
  return tarei_ops_give(graph, node, 0, TARE_I64, &out, err);
}

const tarei_op tarei_op_non_max_suppression = {
    .name = "NonMaxSuppression",
    .domain = "",
    .min_in = 2,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_non_max_suppression,
};
