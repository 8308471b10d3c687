/* Matrix products with batch dims, shared by MatMul, Gemm and the operators made of them. */
#include "graph/equal_dims.h"
#include "graph/ops/ops_common.h"

tare_status tarei_ops_want_inner(const tarei_graph *const graph, const tarei_value *const a,
                                 const int a_axis, const tarei_value *const b, const int b_axis,
                                 tare_error *const err) {
  tarei_equal_dims_note(graph, a->dims[a_axis], b->dims[b_axis], false);
  if (!tarei_ops_differ(graph, a->dims[a_axis], b->dims[b_axis])) {
    return TARE_OK;
  }
  const tarei_shape x = tarei_ops_shape(a), y = tarei_ops_shape(b);
  char x_text[256], y_text[256];
  return tarei_fail(err, TARE_E_MODEL,
                    "inputs '%s' %s and '%s' %s differ in their inner dim (axis %d and axis %d)",
                    a->name, tarei_ops_show(graph, &x, x_text, sizeof x_text), b->name,
                    tarei_ops_show(graph, &y, y_text, sizeof y_text), a_axis, b_axis);
}

static tarei_shape batch_of(const tarei_value *const value) {
  tarei_shape shape = tarei_ops_shape(value);
  shape.rank = shape.rank > 2 ? shape.rank - 2 : 0;
  return shape;
}

tare_status tarei_ops_matmul(const tarei_graph *const graph, const tarei_value *const a,
                             const tarei_value *const b, const bool trans_b, tarei_shape *const out,
                             tare_error *const err) {
  TAREI_TRY(tarei_ops_want_rank(a, 1, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_rank(b, trans_b ? 2 : 1, TARE_MAX_RANK, err));
  const int b_columns = b->rank - (trans_b ? 2 : 1); /* of a vector: its only axis, the inner one */
  const int b_inner = b->rank == 1 ? 0 : b->rank - (trans_b ? 1 : 2);
  TAREI_TRY(tarei_ops_want_inner(graph, a, a->rank - 1, b, b_inner, err));
  const tarei_shape a_batch = batch_of(a), b_batch = batch_of(b);
  TAREI_TRY(tarei_ops_broadcast(graph, &a_batch, &b_batch, out, err));
  if (a->rank > 1) {
    out->dims[out->rank++] = a->dims[a->rank - 2];
  }
  if (b->rank > 1) {
    out->dims[out->rank++] = b->dims[b_columns];
  }
  return TARE_OK;
}
