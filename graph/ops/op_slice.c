/* Slice: starts, ends, axes as attributes before opset 10, as inputs since, with steps. */
#include "graph/ops/ops_common.h"

enum { STARTS, ENDS, STEPS, N_LISTS };

typedef struct ranges {
  int n; /* axes sliced */
  tarei_expr lists[N_LISTS][TAREI_MAX_CONTENTS];
  tarei_axes axes;
} ranges;

static tare_status read_list(const tarei_graph *const graph, const tarei_node *const node,
                             const char *const name, const int input, tarei_expr *const out,
                             int *const n, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, input);
  if (value) {
    TARE_TRY(tarei_ops_want_rank(value, 1, 1, err));
    *n = tarei_ops_contents(graph, node->in[input], out);
    return *n < 0 ? tarei_ops_fail_data(value, err) : TARE_OK;
  }
  const tarei_attr *const attr = tarei_attr_find(node, name);
  *n = -1;
  if (!attr) {
    return TARE_OK;
  }
  if (attr->kind != TAREI_ATTR_INTS || attr->n > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_MODEL, "its attribute '%s' is not a list of up to %d integers",
                      name, TARE_MAX_RANK);
  }
  *n = attr->n;
  for (int i = 0; i < attr->n; i++) {
    out[i] = tarei_expr_const(graph->exprs, attr->ints[i]);
  }
  return TARE_OK;
}

static tare_status read_ranges(const tarei_graph *const graph, const tarei_node *const node,
                               const int rank, ranges *const r, tare_error *const err) {
  static const char *const names[N_LISTS] = {"starts", "ends", "steps"};
  static const int inputs[N_LISTS] = {1, 2, 4};
  int n[N_LISTS];
  for (int i = 0; i < N_LISTS; i++) {
    TARE_TRY(read_list(graph, node, names[i], inputs[i], r->lists[i], &n[i], err));
  }
  TARE_TRY(tarei_ops_axes(graph, node, 3, rank, &r->axes, err));
  r->n = n[STARTS];
  for (int i = 0; n[STEPS] < 0 && i < r->n; i++) {
    r->lists[STEPS][i] = tarei_expr_const(graph->exprs, 1);
  }
  for (int i = 0; !r->axes.given && i < r->n && i < rank; i++) {
    r->axes.at[r->axes.n++] = i;
  }
  if (r->n < 0 || n[ENDS] != r->n || (n[STEPS] >= 0 && n[STEPS] != r->n) || r->axes.n != r->n) {
    return tarei_fail(err, TARE_E_MODEL,
                      "it has %d starts, %d ends and %d axes for an input of rank %d", n[STARTS],
                      n[ENDS], r->axes.n, rank);
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
  if (tarei_expr_is_const(pool, at, &n) && !tarei_expr_is_const(pool, length, &limit) &&
      (n >= INT32_MAX || n <= -INT32_MAX)) {
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

static tare_status slice_dim(const tarei_graph *const graph, const tarei_node *const node,
                             const ranges *const r, const int i, tarei_expr *const dim,
                             tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  int64_t step;
  for (int k = 0; k < N_LISTS; k++) {
    if (r->lists[k][i] == TAREI_EXPR_NONE) {
      return tarei_ops_fail_data(tarei_ops_in(graph, node, k == STEPS ? 4 : 1 + k), err);
    }
  }
  if (!tarei_expr_is_const(pool, r->lists[STEPS][i], &step)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "its step along axis %d is not constant",
                      r->axes.at[i]);
  }
  if (step == 0) {
    return tarei_fail(err, TARE_E_MODEL, "its step along axis %d is 0", r->axes.at[i]);
  }
  const tarei_expr start = from_start(graph, r->lists[STARTS][i], *dim);
  const tarei_expr end = from_start(graph, r->lists[ENDS][i], *dim);
  const tarei_expr count =
      step > 0 ? count_forward(graph, start, end, *dim) : count_backward(graph, start, end, *dim);
  const int64_t stride = step > INT32_MAX || step < -INT32_MAX ? INT32_MAX /* beyond any length */
                         : step > 0                            ? step
                                                               : -step;
  *dim = tarei_expr_ceildiv(pool, tarei_expr_max(pool, count, tarei_expr_const(pool, 0)),
                            tarei_expr_const(pool, stride));
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
    if (!tarei_expr_is_const(graph->exprs, r->lists[STARTS][i], &start) ||
        !tarei_expr_is_const(graph->exprs, r->lists[STEPS][i], &step) ||
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
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  ranges r;
  TARE_TRY(read_ranges(graph, node, x->rank, &r, err));
  for (int i = 0; i < r.n; i++) {
    TARE_TRY(slice_dim(graph, node, &r, i, &out.dims[r.axes.at[i]], err));
  }
  TARE_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return slice_contents(graph, node, &r, err);
}

const tarei_op tarei_op_slice = {
    .name = "Slice",
    .domain = "",
    .min_in = 1,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_slice,
};
