/* Slice: starts, ends, axes as attributes before opset 10, as inputs since, with steps. */
#include "graph/ops/ops_common.h"

enum { STARTS, ENDS, STEPS, N_LISTS };

static const int inputs[N_LISTS] = {1, 2, 4};

typedef struct ranges {
  bool counted; /* false: only a run tells which axes are sliced */
  int n;        /* axes sliced */
  tarei_list lists[N_LISTS];
  tarei_axes axes;
} ranges;

/* Axes and steps that are not there are the first ones, and 1. */
static void fill_in(const tarei_graph *const graph, const int rank, ranges *const r) {
  for (int i = 0; !r->lists[STEPS].given && i < r->n; i++) {
    r->lists[STEPS].at[i] = tarei_expr_const(graph->exprs, 1);
    r->lists[STEPS].n++;
  }
  for (int i = 0; !r->axes.given && i < r->n && i < rank; i++) {
    r->axes.at[r->axes.n++] = i;
  }
}

static tare_status read_ranges(const tarei_graph *const graph, const tarei_node *const node,
                               const int rank, ranges *const r, tare_error *const err) {
  static const char *const names[N_LISTS] = {"starts", "ends", "steps"};
  r->counted = tarei_ops_is_known(graph, node, 3);
  r->n = 0;
  for (int i = 0; i < N_LISTS; i++) {
    TAREI_TRY(tarei_ops_list(graph, node, inputs[i], names[i], 1, &r->lists[i], err));
    r->counted = r->counted && r->lists[i].counted;
  }
  if (!r->lists[STARTS].given || !r->lists[ENDS].given) {
    return tarei_fail(err, TARE_E_MODEL, "has no starts or no ends");
  }
  if (!r->counted) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_axes(graph, node, 3, rank, &r->axes, err));
  r->n = r->lists[STARTS].n;
  fill_in(graph, rank, r);
  if (r->lists[ENDS].n != r->n || r->lists[STEPS].n != r->n || r->axes.n != r->n) {
    return tarei_fail(err, TARE_E_MODEL,
                      "has %d starts, %d ends, %d steps and %d axes for an input of rank %d", r->n,
                      r->lists[ENDS].n, r->lists[STEPS].n, r->axes.n, rank);
  }
  return TARE_OK;
}

/* A position that counts from the end where it is negative, as one from the start. Positions far
 * outside mean an end of the axis, whatever its length. A symbolic one of unknown sign gets the
 * length times (1 if negative, else 0). */
static tarei_expr from_start(const tarei_graph *const graph, const tarei_expr at,
                             const tarei_expr length) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr zero = tarei_expr_const(pool, 0), one = tarei_expr_const(pool, 1);
  int64_t n, limit;
  const bool known = tarei_expr_is_const(pool, at, &n);
  if (known && tarei_expr_is_const(pool, length, &limit)) {
    n += n < 0 ? limit : 0;
    return tarei_expr_const(pool, n < -1      ? -1
                                  : n > limit ? limit
                                              : n); /* far ones would overflow */
  }
  if (known && (n >= INT32_MAX || n <= -INT32_MAX)) {
    return n > 0 ? length : tarei_expr_const(pool, -1);
  }
  const tarei_expr minus = tarei_expr_sub(pool, zero, at);
  if (tarei_ops_at_least(graph, at, 0)) {
    return at;
  }
  const tarei_expr is_negative =
      tarei_expr_min(graph->exprs, one, tarei_expr_max(graph->exprs, minus, zero));
  const bool negative = tarei_ops_at_least(graph, minus, 1) || minus == TAREI_EXPR_NONE;
  return tarei_expr_add(pool, at, negative ? length : tarei_expr_mul(pool, length, is_negative));
}

/* Elements in [start, end) of [0, length): the smaller of all four distances says it with fewer
 * terms than clamping both ends. */
static tarei_expr count_forward(const tarei_graph *const graph, const tarei_expr start,
                                const tarei_expr end, const tarei_expr length) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr inside = tarei_expr_min(graph->exprs, tarei_expr_sub(pool, end, start),
                                           tarei_expr_sub(pool, length, start));
  return tarei_expr_min(graph->exprs, inside, tarei_expr_min(graph->exprs, end, length));
}

/* Elements from start down to end, end left out; start is clamped to the axis, end to -1. */
static tarei_expr count_backward(const tarei_graph *const graph, const tarei_expr start,
                                 const tarei_expr end, const tarei_expr length) {
  const tarei_expr zero = tarei_expr_const(graph->exprs, 0);
  const tarei_expr first = tarei_expr_min(graph->exprs, tarei_expr_max(graph->exprs, start, zero),
                                          tarei_ops_plus(graph, length, -1));
  const tarei_expr last = tarei_expr_max(graph->exprs, end, tarei_expr_const(graph->exprs, -1));
  return tarei_expr_sub(graph->exprs, first, last);
}

/* *measured counts the dims that only a run tells. */
static tare_status slice_dim(const tarei_graph *const graph, const tarei_node *const node,
                             const ranges *const r, const int i, int *const measured,
                             tarei_expr *const dim, tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr from = r->lists[STARTS].at[i], to = r->lists[ENDS].at[i];
  int64_t step;
  if (from == TAREI_EXPR_NONE || to == TAREI_EXPR_NONE ||
      !tarei_expr_is_const(pool, r->lists[STEPS].at[i], &step)) {
    *dim = tarei_ops_measured(graph, node, (*measured)++);
    return TARE_OK;
  }
  if (step == 0) {
    return tarei_fail(err, TARE_E_MODEL, "step along axis %d is 0", r->axes.at[i]);
  }
  const tarei_expr start = from_start(graph, from, *dim), end = from_start(graph, to, *dim);
  const tarei_expr count =
      step > 0 ? count_forward(graph, start, end, *dim) : count_backward(graph, start, end, *dim);
  const int64_t stride = step > INT32_MAX || step < -INT32_MAX ? INT32_MAX /* beyond any length */
                         : step > 0                            ? step
                                                               : -step;
  *dim = tarei_expr_ceildiv(pool, tarei_ops_size(graph, count), tarei_expr_const(pool, stride));
  return TARE_OK;
}

/* Picks elements of known contents by constant limits. */
static tare_status slice_contents(tarei_graph *const graph, const tarei_node *const node,
                                  const ranges *const r, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int64_t strides[TARE_MAX_RANK], offset = 0, start, step, n;
  if (tarei_ops_contents(graph, node->in[0], (tarei_expr[TAREI_MAX_CONTENTS]){0}) < 1 ||
      !tarei_ops_strides(graph, x, strides)) {
    return TARE_OK;
  }
  for (int i = 0; i < r->n; i++) {
    const int axis = r->axes.at[i];
    if (!tarei_expr_is_const(graph->exprs, r->lists[STARTS].at[i], &start) ||
        !tarei_expr_is_const(graph->exprs, r->lists[STEPS].at[i], &step) ||
        !tarei_expr_is_const(graph->exprs, x->dims[axis], &n)) {
      return TARE_OK;
    }
    start = start < -n ? 0 : start < 0 ? start + n : start;
    offset += (start < n ? start : n - 1) * strides[axis];
    strides[axis] = step > n || step < -n ? 0 : step * strides[axis]; /* one element: no matter */
  }
  return tarei_ops_view_contents(graph, node, offset, strides, err);
}

static tare_status infer_slice(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  ranges r;
  TAREI_TRY(read_ranges(graph, node, x->rank, &r, err));
  int measured = 0;
  for (int i = 0; i < r.n; i++) {
    TAREI_TRY(slice_dim(graph, node, &r, i, &measured, &out.dims[r.axes.at[i]], err));
  }
  out = r.counted ? out : tarei_ops_measured_shape(graph, node, x->rank);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return r.counted ? slice_contents(graph, node, &r, err) : TARE_OK;
}

/* The number of starts, which is that of the axes; -1 if it is unknown. */
static int count_starts(tarei_graph *const graph, const tarei_node *const node) {
  const tarei_attr *const attr = tarei_attr_find(node, "starts");
  int n = -1;
  if (tarei_ops_in(graph, node, 1)) {
    return tarei_value_contents(graph, node->in[1], &n) ? n : -1;
  }
  return attr && attr->kind == TAREI_ATTR_INTS ? attr->n : -1;
}

const tarei_op tarei_op_slice = {
    .name = "Slice",
    .domain = "",
    .min_in = 1,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .axes = &(const tarei_named_axes){.input = 3, .count = count_starts},
    .infer = infer_slice,
};
