#include <math.h>

#include "graph/ops/ops_common.h"

/* Values of an integer range of constant length. */
static tare_status range_count_up(tarei_graph *const graph, const tarei_node *const node,
                                  const tarei_expr start, const tarei_expr delta,
                                  const tarei_expr count, tare_error *const err) {
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

/* A constant scalar of a type that is not followed as contents. */
static bool range_read_number(const tarei_graph *const graph, const int value, double *const out) {
  const tarei_value *const v = &graph->values[value];
  const tare_tensor x = v->data ? tarei_value_tensor(graph, value) : (tare_tensor){0};
  if (!x.data || tare_tensor_count(&x) != 1) {
    return false;
  }
  *out = v->dtype == TARE_F32   ? (double)*(const float *)x.data
         : v->dtype == TARE_F64 ? *(const double *)x.data
         : v->dtype == TARE_I16 ? (double)*(const int16_t *)x.data
                                : 0;
  return v->dtype == TARE_F32 || v->dtype == TARE_F64 || v->dtype == TARE_I16;
}

/* All three limits, where they are such constants. */
static bool read_constants(const tarei_graph *const graph, const tarei_node *const node,
                           double *const limits) {
  for (int i = 0; i < 3; i++) {
    if (!range_read_number(graph, node->in[i], &limits[i])) {
      return false;
    }
  }
  return true;
}

static tare_status range_infer_constant(tarei_graph *const graph, const tarei_node *const node,
                                        const double *const limits, tare_error *const err) {
  const double count = ceil((limits[1] - limits[0]) / limits[2]);
  if (!(fabs(count) < INT32_MAX)) { /* a step of 0, and more than an axis may hold */
    return tarei_fail(err, TARE_E_MODEL, "start %g, limit %g and delta %g describe no range",
                      limits[0], limits[1], limits[2]);
  }
  const tarei_shape out = {1, {tarei_expr_const(graph->exprs, count > 0 ? (int64_t)count : 0)}};
  return tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err);
}

/* False where a limit is known to a run alone. */
static bool range_read_limits(const tarei_graph *const graph, const tarei_node *const node,
                              tarei_expr *const limits) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  for (int i = 0; i < 3; i++) {
    if (tarei_ops_trace(graph, node->in[i], contents) != 1 || contents[0] == TAREI_EXPR_NONE) {
      return false;
    }
    limits[i] = contents[0];
  }
  return true;
}

static tare_status measure_length(tarei_graph *const graph, const tarei_node *const node,
                                  tare_error *const err) {
  const tarei_shape out = {1, {tarei_ops_measured(graph, node, 0)}};
  return tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err);
}

static tare_status infer_symbolic(tarei_graph *const graph, const tarei_node *const node,
                                  tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr zero = tarei_expr_const(pool, 0);
  tarei_expr limits[3];
  if (!range_read_limits(graph, node, limits)) {
    return measure_length(graph, node, err);
  }
  tarei_expr distance = tarei_expr_sub(pool, limits[1], limits[0]), step = limits[2];
  if (tarei_ops_at_least(graph, tarei_expr_sub(pool, zero, step), 1)) {
    distance = tarei_expr_sub(pool, zero, distance);
    step = tarei_expr_sub(pool, zero, step);
  }
  int64_t known;
  if (tarei_expr_is_const(pool, step, &known) && known == 0) {
    return tarei_fail(err, TARE_E_MODEL, "delta is 0");
  }
  if (!tarei_ops_at_least(graph, step, 1)) {
    return measure_length(graph, node, err); /* the sign of the step is not known */
  }
  const tarei_shape out = {1, {tarei_expr_ceildiv(pool, tarei_ops_size(graph, distance), step)}};
  TAREI_TRY(tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &out, err));
  return range_count_up(graph, node, limits[0], limits[2], out.dims[0], err);
}

static tare_status infer_range(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const first = tarei_ops_in(graph, node, 0);
  for (int i = 0; i < 3; i++) {
    const tarei_value *const value = tarei_ops_in(graph, node, i);
    TAREI_TRY(tarei_ops_want_rank(value, 0, 1, err)); /* some exporters write one element */
    TAREI_TRY(tarei_ops_want_same_dtype(first, value, err));
  }
  double constants[3];
  return read_constants(graph, node, constants) ? range_infer_constant(graph, node, constants, err)
                                                : infer_symbolic(graph, node, err);
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
