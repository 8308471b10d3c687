#include <math.h>

#include "graph/ops/ops_common.h"

/* Values of an integer range of constant length. */
static tare_status count_up(tarei_graph *const graph, const tarei_node *const node,
                            const tarei_expr start, const tarei_expr delta, const tarei_expr count,
                            tare_error *const err) {
  int64_t n;
  if (!tarei_expr_is_const(graph->exprs, count, &n) || n > TAREI_MAX_CONTENTS) {
    return TARE_OK;
  }
  tarei_expr contents[TAREI_MAX_CONTENTS], next = start;
  for (int i = 0; i < n; i++) {
    contents[i] = next;
    next = tarei_expr_add(graph->exprs, next, delta);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, (int)n, err);
}

/* Length of a range of constant fractions; TAREI_EXPR_NONE when the limits are anything else. */
static tarei_expr count_fractions(const tarei_graph *const graph, const tarei_node *const node) {
  float limits[3];
  for (int i = 0; i < 3; i++) {
    if (!tarei_ops_is_float(tarei_ops_in(graph, node, i)->dtype) ||
        !tarei_value_const_float(graph, node->in[i], &limits[i])) {
      return TAREI_EXPR_NONE;
    }
  }
  const double count = ceil(((double)limits[1] - limits[0]) / limits[2]);
  if (!(fabs(count) < INT32_MAX)) {
    return TAREI_EXPR_NONE; /* a step of 0, NaN, and more than an axis may hold */
  }
  return tarei_expr_const(graph->exprs, count > 0 ? (int64_t)count : 0);
}

static tare_status read_limits(const tarei_graph *const graph, const tarei_node *const node,
                               tarei_expr *const limits, tare_error *const err) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  for (int i = 0; i < 3; i++) {
    if (tarei_ops_trace(graph, node->in[i], contents) != 1 || contents[0] == TAREI_EXPR_NONE) {
      return tarei_ops_fail_data(tarei_ops_in(graph, node, i), err);
    }
    limits[i] = contents[0];
  }
  return TARE_OK;
}

static tare_status infer_symbolic(tarei_graph *const graph, const tarei_node *const node,
                                  tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr zero = tarei_expr_const(pool, 0);
  tarei_expr limits[3];
  TARE_TRY(read_limits(graph, node, limits, err));
  tarei_expr distance = tarei_expr_sub(pool, limits[1], limits[0]), step = limits[2];
  if (tarei_ops_at_least(graph, tarei_expr_sub(pool, zero, step), 1)) {
    distance = tarei_expr_sub(pool, zero, distance);
    step = tarei_expr_sub(pool, zero, step);
  }
  if (!tarei_ops_at_least(graph, step, 1)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the sign of its step '%s' is not known",
                      tarei_ops_in(graph, node, 2)->name);
  }
  const tarei_shape out = {1,
                           {tarei_expr_ceildiv(pool, tarei_expr_max(pool, distance, zero), step)}};
  TARE_TRY(tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err));
  return count_up(graph, node, limits[0], limits[2], out.dims[0], err);
}

static tare_status infer_range(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const first = tarei_ops_in(graph, node, 0);
  for (int i = 0; i < 3; i++) {
    const tarei_value *const value = tarei_ops_in(graph, node, i);
    TARE_TRY(tarei_ops_want_rank(value, 0, 1, err)); /* some exporters write one element */
    TARE_TRY(tarei_ops_want_same_dtype(first, value, err));
  }
  const tarei_shape out = {1, {count_fractions(graph, node)}};
  return out.dims[0] == TAREI_EXPR_NONE ? infer_symbolic(graph, node, err)
                                        : tarei_ops_give(graph, node, 0, first->dtype, &out, err);
}

const tarei_op tarei_op_range = {
    .name = "Range",
    .domain = "",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_range,
};
