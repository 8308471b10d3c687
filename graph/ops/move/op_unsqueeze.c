#include "graph/ops/ops_common.h"

static tare_status check_rank(const int rank, const int64_t n, tare_error *const err) {
  return n >= 0 && n <= TARE_MAX_RANK - rank
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "the rank of the output exceeds %d",
                          TARE_MAX_RANK);
}

/* The axes count in the output, so its rank is needed before they can be read. */
static tare_status unsqueeze_read_axes(const tarei_graph *const graph, const tarei_node *const node,
                                       const int rank, tarei_axes *const axes,
                                       tare_error *const err) {
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  int64_t n = attr ? attr->n : 0;
  if (tarei_ops_in(graph, node, 1)) {
    const tarei_value *const value = tarei_ops_in(graph, node, 1);
    const tarei_shape shape = tarei_ops_shape(value);
    if (!tarei_expr_is_const(graph->exprs, tarei_ops_product(graph, &shape, 0, shape.rank), &n)) {
      return tarei_ops_fail_data(value, err);
    }
  } else if (!attr) {
    return tarei_fail(err, TARE_E_MODEL, "axes are missing");
  }
  TAREI_TRY(check_rank(rank, n, err));
  return tarei_ops_axes(graph, node, 1, rank + (int)n, axes, err);
}

/* Axes that are computed: their number tells the rank, a run all the rest. */
static tare_status unsqueeze_measure_all(tarei_graph *const graph, const tarei_node *const node,
                                         tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *axes = tarei_ops_in(graph, node, 1);
  const int n = tarei_ops_count(graph, axes);
  TAREI_TRY(tarei_ops_want_rank(axes, 0, 1, err));
  if (n < 0) {
    return tarei_ops_fail_data(axes, err);
  }
  TAREI_TRY(check_rank(x->rank, n, err));
  tarei_shape out = {.rank = x->rank + n};
  for (int i = 0; i < out.rank; i++) {
    out.dims[i] = tarei_ops_measured(graph, node, i);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static tare_status infer_unsqueeze(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (tarei_ops_in(graph, node, 1) && !tarei_ops_ints_known(graph, node->in[1])) {
    return unsqueeze_measure_all(graph, node, err);
  }
  tarei_axes axes;
  TAREI_TRY(unsqueeze_read_axes(graph, node, x->rank, &axes, err));
  tarei_shape out = {.rank = x->rank + axes.n};
  for (int i = 0, from = 0; i < out.rank; i++) {
    out.dims[i] = axes.set[i] ? tarei_expr_const(graph->exprs, 1) : x->dims[from++];
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tarei_ops_pass_contents(graph, node, err);
}

const tarei_op tarei_op_unsqueeze = {
    .name = "Unsqueeze",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .reshapes = true,
    .infer = infer_unsqueeze,
};
