#include "graph/ops/ops_common.h"

/* Without axes every dim of 1 goes. Of a symbolic dim only a run tells whether it is 1; the rank
 * has to be known before, so it is taken to be more, and the run fails where it is not. */
static tare_status squeeze_ones(tarei_graph *const graph, const tarei_node *const node,
                                tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = {0};
  for (int i = 0, measured = 0; i < x->rank; i++) {
    int64_t n = 0;
    const bool known = tarei_expr_is_const(graph->exprs, x->dims[i], &n);
    if (known && n == 1) {
      continue;
    }
    out.dims[out.rank++] = known || tarei_ops_at_least(graph, x->dims[i], 2)
                               ? x->dims[i]
                               : tarei_ops_measured(graph, node, measured++);
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tarei_ops_pass_contents(graph, node, err);
}

/* Axes that are computed: their number tells the rank, a run all the rest. */
static tare_status squeeze_measure_all(tarei_graph *const graph, const tarei_node *const node,
                                       const tarei_value *const axes, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int n = tarei_ops_count(graph, axes);
  TAREI_TRY(tarei_ops_want_rank(axes, 0, 1, err));
  if (n < 0) {
    return tarei_ops_fail_data(axes, err);
  }
  if (n > x->rank) {
    return tarei_fail(err, TARE_E_MODEL, "removes %d axes from a tensor of rank %d", n, x->rank);
  }
  tarei_shape out = {.rank = x->rank - n};
  for (int i = 0; i < out.rank; i++) {
    out.dims[i] = tarei_ops_measured(graph, node, i);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static tare_status infer_squeeze(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const list = tarei_ops_in(graph, node, 1);
  if (list && !tarei_ops_ints_known(graph, node->in[1])) {
    return squeeze_measure_all(graph, node, list, err);
  }
  tarei_axes axes;
  TAREI_TRY(tarei_ops_axes(graph, node, 1, x->rank, &axes, err));
  if (!axes.given) {
    return squeeze_ones(graph, node, err);
  }
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    if (!axes.set[i]) {
      out.dims[out.rank++] = x->dims[i];
    } else if (tarei_ops_differ(graph, x->dims[i], one)) {
      const tarei_shape shape = tarei_ops_shape(x);
      char text[256];
      return tarei_fail(err, TARE_E_MODEL, "axis %d of input '%s' %s is not 1", i, x->name,
                        tarei_ops_show(graph, &shape, text, sizeof text));
    }
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tarei_ops_pass_contents(graph, node, err);
}

const tarei_op tarei_op_squeeze = {
    .name = "Squeeze",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .reshapes = true,
    .infer = infer_squeeze,
};
