#include "graph/ops/ops_common.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

const tarei_value *tarei_ops_in(const tarei_graph *const graph, const tarei_node *const node,
                                const int i) {
  return i < node->n_in && node->in[i] >= 0 ? &graph->values[node->in[i]] : NULL;
}

tare_status tarei_ops_need(const tarei_graph *const graph, const tarei_node *const node,
                           const int n, tare_error *const err) {
  for (int i = 0; i < n || i < node->n_in; i++) {
    const tarei_value *const value = tarei_ops_in(graph, node, i);
    if (!value && i < n) {
      return tarei_fail(err, TARE_E_MODEL, "input %d is missing", i);
    }
    if (value && (value->rank < 0 || value->dtype == TARE_DTYPE_NONE)) {
      return tarei_fail(err, TARE_E_MODEL, "input '%s' has no shape", value->name);
    }
  }
  return TARE_OK;
}

tarei_shape tarei_ops_shape(const tarei_value *const value) {
  tarei_shape shape = {.rank = value->rank};
  for (int i = 0; i < value->rank; i++) {
    shape.dims[i] = value->dims[i];
  }
  return shape;
}

static tare_status check_shape(const tarei_graph *const graph, const char *const name,
                               const tarei_shape *const shape, tare_error *const err) {
  for (int i = 0; i < shape->rank; i++) {
    int64_t n;
    if (shape->dims[i] == TAREI_EXPR_NONE) {
      return tarei_fail(err, TARE_E_MODEL, "dim %d of output '%s' exceeds 64 bits", i, name);
    }
    if (tarei_expr_is_const(graph->exprs, shape->dims[i], &n) && n < 0) {
      return tarei_fail(err, TARE_E_MODEL, "dim %d of output '%s' would be negative: %" PRId64, i,
                        name, n);
    }
  }
  return TARE_OK;
}

tare_status tarei_ops_give(tarei_graph *const graph, const tarei_node *const node, const int i,
                           const tare_dtype dtype, const tarei_shape *const shape,
                           tare_error *const err) {
  assert(shape->rank >= 0 && shape->rank <= TARE_MAX_RANK);
  if (i >= node->n_out || node->out[i] < 0) {
    return TARE_OK;
  }
  tarei_value *const value = &graph->values[node->out[i]];
  TAREI_TRY(check_shape(graph, value->name, shape, err));
  value->dtype = dtype;
  value->rank = shape->rank;
  for (int k = 0; k < shape->rank; k++) {
    value->dims[k] = shape->dims[k];
  }
  (void)tarei_value_set_contents(graph, node->out[i], NULL, 0); /* taking away cannot fail */
  return TARE_OK;
}

tarei_expr tarei_ops_measured(const tarei_graph *const graph, const tarei_node *const node,
                              const int k) {
  return tarei_exprs_measured(graph->exprs, node->number, node->name, k);
}

tarei_shape tarei_ops_measured_shape(const tarei_graph *const graph, const tarei_node *const node,
                                     const int rank) {
  tarei_shape shape = {.rank = rank};
  for (int d = 0; d < rank; d++) {
    shape.dims[d] = tarei_ops_measured(graph, node, d);
  }
  return shape;
}

tare_status tarei_ops_want_rank(const tarei_value *const value, const int min, const int max,
                                tare_error *const err) {
  if (value->rank >= min && value->rank <= max) {
    return TARE_OK;
  }
  if (min == max) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' has rank %d, expected %d", value->name,
                      value->rank, min);
  }
  return tarei_fail(err, TARE_E_MODEL, "input '%s' has rank %d, expected %d to %d", value->name,
                    value->rank, min, max);
}

bool tarei_ops_is_integer(const tare_dtype dtype) {
  return dtype != TARE_DTYPE_NONE && dtype != TARE_BOOL && !tarei_is_float(dtype);
}

tare_status tarei_ops_want_float(const tarei_value *const value, tare_error *const err) {
  if (tarei_is_float(value->dtype)) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_MODEL, "input '%s' is %s, expected a float type", value->name,
                    tare_dtype_name(value->dtype));
}

tare_status tarei_ops_want_dtype(const tarei_value *const value, const tare_dtype dtype,
                                 tare_error *const err) {
  if (value->dtype == dtype) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_MODEL, "input '%s' is %s, expected %s", value->name,
                    tare_dtype_name(value->dtype), tare_dtype_name(dtype));
}

tare_status tarei_ops_want_same_dtype(const tarei_value *const a, const tarei_value *const b,
                                      tare_error *const err) {
  if (a->dtype == b->dtype) {
    return TARE_OK;
  }
  return tarei_fail(err, TARE_E_MODEL, "inputs '%s' and '%s' are %s and %s, expected the same type",
                    a->name, b->name, tare_dtype_name(a->dtype), tare_dtype_name(b->dtype));
}

tare_status tarei_ops_fail_data(const tarei_value *const value, tare_error *const err) {
  return tarei_fail(err, TARE_E_UNSUPPORTED,
                    "the output's rank depends on data at run time (input '%s')", value->name);
}

const char *tarei_ops_show(const tarei_graph *const graph, const tarei_shape *const shape,
                           char *const text, const size_t size) {
  tarei_str s = {0};
  tarei_str_add(&s, "[");
  for (int i = 0; i < shape->rank; i++) {
    tarei_str_add(&s, i > 0 ? ", " : "");
    tarei_expr_print(graph->exprs, shape->dims[i], &s);
  }
  tarei_str_add(&s, "]");
  (void)snprintf(text, size, "%s", tarei_str_get(&s)); /* cut when too long */
  tarei_str_free(&s);
  return text;
}

tare_status tarei_ops_ints(const tarei_node *const node, const char *const name, const int n,
                           const int64_t fallback, int64_t *const out, tare_error *const err) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  if (attr && attr->kind != TAREI_ATTR_INTS) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s' is not a list of integers", name);
  }
  if (attr && attr->n != n) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s' has %d elements, expected %d", name,
                      attr->n, n);
  }
  for (int i = 0; i < n; i++) {
    out[i] = attr ? attr->ints[i] : fallback;
  }
  return TARE_OK;
}

tare_status tarei_ops_axis(const int64_t axis, const int rank, int *const out,
                           tare_error *const err) {
  if (axis < -rank || axis >= rank) {
    return tarei_fail(err, TARE_E_MODEL, "axis %" PRId64 " is out of range for rank %d", axis,
                      rank);
  }
  *out = (int)(axis < 0 ? axis + rank : axis);
  return TARE_OK;
}

tare_status tarei_ops_want_indices(const tarei_value *const value, tare_error *const err) {
  return value->dtype == TARE_I64 || value->dtype == TARE_I32
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "'%s' is %s, expected int64 or int32", value->name,
                          tare_dtype_name(value->dtype));
}
