#include "graph/ops/random/ops_random.h"

#include <string.h>

static tare_status want_drawn_type(const int64_t dtype, tare_error *const err) {
  if (dtype == TARE_F32 || dtype == TARE_F64) { /* shorter floats are float32 by now */
    return TARE_OK;
  }
  const char *const name =
      dtype >= 0 && dtype <= INT32_MAX ? tare_dtype_name((tare_dtype)dtype) : "?";
  return tarei_fail(err, TARE_E_MODEL,
                    "draws elements of type %s (%lld): expected a float (attribute 'dtype')", name,
                    (long long)dtype);
}

tare_status tarei_ops_draw_shape(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  const int64_t dtype = tarei_attr_int(node, "dtype", TARE_F32);
  int n = 0;
  const int64_t *const dims = tarei_attr_ints(node, "shape", &n);
  TAREI_TRY(want_drawn_type(dtype, err));
  if (!tarei_attr_find(node, "shape") || n > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'shape': expected at most %d integers",
                      TARE_MAX_RANK);
  }
  tarei_shape shape = {.rank = n};
  for (int i = 0; i < n; i++) {
    if (dims[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "attribute 'shape': axis %d is %lld, expected 0 or more",
                        i, (long long)dims[i]);
    }
    shape.dims[i] = tarei_expr_const(graph->exprs, dims[i]);
  }
  return tarei_ops_give(graph, node, 0, (tare_dtype)dtype, &shape, err);
}

tare_status tarei_ops_draw_like(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t dtype = tarei_attr_int(node, "dtype", x->dtype);
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(want_drawn_type(dtype, err));
  if (!tarei_attr_set_int(node, "dtype", dtype)) {
    return tarei_fail_memory(err, node->name, sizeof(tarei_attr));
  }
  return tarei_ops_give(graph, node, 0, (tare_dtype)dtype, &shape, err);
}
