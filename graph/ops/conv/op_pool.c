/* Pooling over windows and over all of the data. */
#include "graph/ops/ops_common.h"

/* The output's shape; `first` is the first axis of the windows. */
static tare_status pool_shape_of(tarei_graph *const graph, const tarei_node *const node,
                                 const int first, tarei_shape *const out, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  tarei_window window;
  TAREI_TRY(tarei_ops_window(graph, node, x->rank - 2, NULL, &window, err));
  *out = tarei_ops_shape(x);
  for (int i = first; i < first + window.n; i++) {
    TAREI_TRY(tarei_ops_window_dim(graph, &window, i - first, x->dims[i], &out->dims[i], err));
  }
  return TARE_OK;
}

static tare_status infer_max_last(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  tarei_shape out;
  TAREI_TRY(pool_shape_of(graph, node, 1, &out, err));
  return tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err);
}

static tare_status infer_average_last(tarei_graph *const graph, tarei_node *const node,
                                      tare_error *const err) {
  tarei_shape out;
  TAREI_TRY(pool_shape_of(graph, node, 1, &out, err));
  return tarei_ops_give_writable(graph, node, tarei_ops_in(graph, node, 0)->dtype, &out, err);
}

static tare_status infer_windows(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  tarei_shape out;
  TAREI_TRY(pool_shape_of(graph, node, 2, &out, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err));
  return tarei_ops_give(graph, node, 1, TARE_I64, &out,
                        err); /* MaxPool: where the maximum stands */
}

static tare_status infer_global(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  tarei_shape out = tarei_ops_shape(x);
  for (int i = 2; i < out.rank; i++) {
    out.dims[i] = tarei_expr_const(graph->exprs, 1);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

/* One input; traits at the end. */
#define POOL(id, onnx_name, in_domain, outputs, infer_as, ...) \
  const tarei_op tarei_op_##id = {.name = onnx_name,           \
                                  .domain = in_domain,         \
                                  .min_in = 1,                 \
                                  .max_in = 1,                 \
                                  .min_out = 1,                \
                                  .max_out = outputs,          \
                                  .infer = infer_as,           \
                                  __VA_ARGS__}

POOL(average_pool, "AveragePool", "", 1, infer_windows, .slides = true, .averages = true,
     .sign = TAREI_SIGN_FIRST, .channels_last = &tarei_op_average_pool_last);
POOL(average_pool_last, "AveragePoolLast", "tare", 2, infer_average_last, .slides = true,
     .averages = true, .sign = TAREI_SIGN_FIRST, .writes_bytes = true);
POOL(global_average_pool, "GlobalAveragePool", "", 1, infer_global, .averages = true,
     .sign = TAREI_SIGN_FIRST);
POOL(global_max_pool, "GlobalMaxPool", "", 1, infer_global, .averages = true,
     .sign = TAREI_SIGN_FIRST);
POOL(lp_pool, "LpPool", "", 1, infer_windows, .slides = true, .sign = TAREI_SIGN_NEVER);
POOL(max_pool, "MaxPool", "", 2, infer_windows, .slides = true, .averages = true, .picks = true,
     .channels_last = &tarei_op_max_pool_last);
POOL(max_pool_last, "MaxPoolLast", "tare", 1, infer_max_last, .slides = true, .selects = true);
