/* Reductions over axes, given as attribute (before opset 18; ReduceSum before 13) or as input. */
#include "graph/ops/ops_common.h"

typedef tarei_expr (*fold_fn)(const tarei_graph *graph, tarei_expr a, tarei_expr b);

/* No axes means all axes, unless noop_with_empty_axes says none. */
static tare_status read_axes(const tarei_graph *const graph, const tarei_node *const node,
                             const int rank, tarei_axes *const axes, tare_error *const err) {
  TARE_TRY(tarei_ops_axes(graph, node, 1, rank, axes, err));
  if (axes->n > 0 || tarei_attr_int(node, "noop_with_empty_axes", 0) != 0) {
    return TARE_OK;
  }
  axes->n = rank;
  for (int i = 0; i < rank; i++) {
    axes->at[i] = i;
    axes->set[i] = true;
  }
  return TARE_OK;
}

static tare_status fold_vector(tarei_graph *const graph, const tarei_node *const node,
                               const fold_fn fold, tare_error *const err) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  if (n < 1) {
    return TARE_OK;
  }
  tarei_expr sum = contents[0];
  for (int i = 1; i < n; i++) {
    sum = fold(graph, sum, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, &sum, 1, err);
}

static tare_status infer_reduce(tarei_graph *const graph, tarei_node *const node,
                                const fold_fn fold, tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const bool keep = tarei_attr_int(node, "keepdims", 1) != 0;
  tarei_axes axes;
  TARE_TRY(read_axes(graph, node, x->rank, &axes, err));
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    if (!axes.set[i]) {
      out.dims[out.rank++] = x->dims[i];
    } else if (keep) {
      out.dims[out.rank++] = tarei_expr_const(graph->exprs, 1);
    }
  }
  TARE_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  const bool whole = fold && axes.n == x->rank;
  return whole ? fold_vector(graph, node, fold, err) : TARE_OK;
}

static tarei_expr add(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_add(graph->exprs, a, b);
}

static tarei_expr mul(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_mul(graph->exprs, a, b);
}

static tarei_expr max(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_max(graph->exprs, a, b);
}

static tarei_expr min(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_min(graph->exprs, a, b);
}

#define REDUCE(id, onnx_name, fold)                                               \
  static tare_status infer_##id(tarei_graph *const graph, tarei_node *const node, \
                                tare_error *const err) {                          \
    return infer_reduce(graph, node, fold, err);                                  \
  }                                                                               \
  const tarei_op tarei_op_##id = {                                                \
      .name = onnx_name,                                                          \
      .domain = "",                                                               \
      .min_in = 1,                                                                \
      .max_in = 2,                                                                \
      .min_out = 1,                                                               \
      .max_out = 1,                                                               \
      .infer = infer_##id,                                                        \
  }

REDUCE(reduce_l2, "ReduceL2", NULL);
REDUCE(reduce_max, "ReduceMax", max);
REDUCE(reduce_mean, "ReduceMean", NULL);
REDUCE(reduce_min, "ReduceMin", min);
REDUCE(reduce_prod, "ReduceProd", mul);
REDUCE(reduce_sum, "ReduceSum", add);
