#include "graph/equal_dims.h"
#include "graph/ops/ops_common.h"

/* The pool leaves a constant out of a maximum when it knows that it never decides. */
bool tarei_ops_at_least(const tarei_graph *const graph, const tarei_expr e, const int64_t least) {
  const tarei_expr limit = tarei_expr_const(graph->exprs, least);
  return e != TAREI_EXPR_NONE && tarei_expr_max(graph->exprs, e, limit) == e;
}

static bool is_a_dim(const tarei_graph *const graph, const tarei_expr e) {
  for (int v = 0; v < graph->n_values; v++) {
    const tarei_value *const value = &graph->values[v];
    for (int d = 0; d < value->rank; d++) {
      if (value->dims[d] == e) {
        return true;
      }
    }
  }
  return false;
}

tarei_expr tarei_ops_size(const tarei_graph *const graph, const tarei_expr e) {
  const tarei_expr size = tarei_expr_max(graph->exprs, e, tarei_expr_const(graph->exprs, 0));
  return size != e && is_a_dim(graph, e) ? e : size;
}

bool tarei_ops_differ(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_ops_at_least(graph, tarei_expr_sub(graph->exprs, a, b), 1) ||
         tarei_ops_at_least(graph, tarei_expr_sub(graph->exprs, b, a), 1);
}

tarei_expr tarei_ops_plus(const tarei_graph *const graph, const tarei_expr e, const int64_t n) {
  return tarei_expr_add(graph->exprs, e, tarei_expr_const(graph->exprs, n));
}

tarei_expr tarei_ops_product(const tarei_graph *const graph, const tarei_shape *const shape,
                             const int from, const int to) {
  tarei_expr product = tarei_expr_const(graph->exprs, 1);
  for (int i = from; i < to; i++) {
    product = tarei_expr_mul(graph->exprs, product, shape->dims[i]);
  }
  return product;
}

bool tarei_ops_unify(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b,
                     tarei_expr *const out) {
  int64_t n;
  tarei_equal_dims_note(graph, a, b, false);
  *out = tarei_expr_is_const(graph->exprs, b, &n) ? b : a;
  return a == b || !tarei_ops_differ(graph, a, b);
}

/* One dim of a broadcast. Where both are symbolic and not known to be above 1, either they are
 * equal or one of them is 1 in every run that is valid. */
static bool dims_broadcast_dim(const tarei_graph *const graph, const tarei_expr a,
                               const tarei_expr b, tarei_expr *const out) {
  int64_t n = 0;
  const bool a_const = tarei_expr_is_const(graph->exprs, a, &n);
  if (a == b || (a_const && n == 1)) {
    *out = b;
    return true;
  }
  const bool b_const = tarei_expr_is_const(graph->exprs, b, &n);
  if (b_const && n == 1) {
    *out = a;
    return true;
  }
  tarei_equal_dims_note(graph, a, b, true);
  const bool a_wide = a_const || tarei_ops_at_least(graph, a, 2);
  const bool b_wide = b_const || tarei_ops_at_least(graph, b, 2);
  if (a_wide && b_wide && tarei_ops_differ(graph, a, b)) {
    return false;
  }
  *out = a_wide && !(b_const && b_wide) ? a : b_wide ? b : tarei_expr_broadcast(graph->exprs, a, b);
  return true;
}

tare_status tarei_ops_broadcast(const tarei_graph *const graph, const tarei_shape *const a,
                                const tarei_shape *const b, tarei_shape *const out,
                                tare_error *const err) {
  const tarei_shape *const longer = a->rank >= b->rank ? a : b;
  const tarei_shape *const shorter = a->rank >= b->rank ? b : a;
  const int lead = longer->rank - shorter->rank;
  tarei_shape result = *longer;
  for (int i = 0; i < shorter->rank; i++) {
    if (!dims_broadcast_dim(graph, longer->dims[lead + i], shorter->dims[i],
                            &result.dims[lead + i])) {
      char x[256], y[256];
      return tarei_fail(err, TARE_E_MODEL, "input shapes %s and %s do not broadcast",
                        tarei_ops_show(graph, a, x, sizeof x),
                        tarei_ops_show(graph, b, y, sizeof y));
    }
  }
  *out = result;
  return TARE_OK;
}

static bool fits_dim(const tarei_graph *const graph, const tarei_expr from, const tarei_expr to) {
  int64_t n;
  tarei_equal_dims_note(graph, from, to, true);
  return (tarei_expr_is_const(graph->exprs, from, &n) && n == 1) ||
         !tarei_ops_at_least(graph, from, 2) || !tarei_ops_differ(graph, from, to);
}

tare_status tarei_ops_want_fits(const tarei_graph *const graph, const tarei_value *const value,
                                const tarei_shape *const shape, tare_error *const err) {
  const tarei_shape from = tarei_ops_shape(value);
  const int lead = shape->rank - from.rank;
  bool fits = lead >= 0;
  for (int i = 0; fits && i < from.rank; i++) {
    fits = fits_dim(graph, from.dims[i], shape->dims[lead + i]);
  }
  if (fits) {
    return TARE_OK;
  }
  char x[256], y[256];
  return tarei_fail(err, TARE_E_MODEL, "input '%s' of shape %s does not broadcast to %s",
                    value->name, tarei_ops_show(graph, &from, x, sizeof x),
                    tarei_ops_show(graph, shape, y, sizeof y));
}

tare_status tarei_ops_want_vector(const tarei_graph *const graph, const tarei_value *const value,
                                  const tarei_expr n, tare_error *const err) {
  TAREI_TRY(tarei_ops_want_rank(value, 1, 1, err));
  tarei_equal_dims_note(graph, value->dims[0], n, false);
  if (!tarei_ops_differ(graph, value->dims[0], n)) {
    return TARE_OK;
  }
  const tarei_shape seen = tarei_ops_shape(value), wanted = {1, {n}};
  char x[256], y[256];
  return tarei_fail(err, TARE_E_MODEL, "input '%s' has shape %s, expected %s", value->name,
                    tarei_ops_show(graph, &seen, x, sizeof x),
                    tarei_ops_show(graph, &wanted, y, sizeof y));
}
