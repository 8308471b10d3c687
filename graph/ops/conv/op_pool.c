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

const tarei_op tarei_op_average_pool = {
    .name = "AveragePool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .averages = true,
    .infer = infer_windows,
};

const tarei_op tarei_op_global_average_pool = {
    .name = "GlobalAveragePool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .averages = true,
    .infer = infer_global,
};

const tarei_op tarei_op_global_max_pool = {
    .name = "GlobalMaxPool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .averages = true,
    .infer = infer_global,
};

const tarei_op tarei_op_lp_pool = {
    .name = "LpPool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_windows,
};

const tarei_op tarei_op_max_pool = {
    .name = "MaxPool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 2,
    .averages = true,
    .infer = infer_windows,
};

const tarei_op tarei_op_average_pool_last = {
    .name = "AveragePoolLast",
    .domain = "tare",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .averages = true,
    .infer = infer_average_last,
};

const tarei_op tarei_op_max_pool_last = {
    .name = "MaxPoolLast",
    .domain = "tare",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_max_last,
};
