#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* Checks constant indices against a constant length. */
static tare_status check_indices(const tarei_graph *const graph, const tarei_expr *const indices,
                                 const int n, const tarei_expr length, tare_error *const err) {
  int64_t limit, index;
  if (!tarei_expr_is_const(graph->exprs, length, &limit)) {
    return TARE_OK;
  }
  for (int i = 0; i < n; i++) {
    if (tarei_expr_is_const(graph->exprs, indices[i], &index) &&
        (index < -limit || index >= limit)) {
      return tarei_fail(err, TARE_E_MODEL,
                        "its index %" PRId64 " is out of range for an axis of %" PRId64, index,
                        limit);
    }
  }
  return TARE_OK;
}

/* Picks elements of a vector whose contents are known. */
static tare_status pick(tarei_graph *const graph, const tarei_node *const node,
                        const tarei_expr *const indices, const int n, tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const int n_in = tarei_ops_contents(graph, node->in[0], in);
  if (n_in < 0 || tarei_ops_in(graph, node, 0)->rank != 1) {
    return TARE_OK;
  }
  for (int i = 0; i < n; i++) {
    int64_t index;
    const bool known = tarei_expr_is_const(graph->exprs, indices[i], &index);
    out[i] = known ? in[index < 0 ? index + n_in : index] : TAREI_EXPR_NONE;
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status infer_gather(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  int axis = 0;
  TARE_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  if (at->dtype != TARE_I64 && at->dtype != TARE_I32) {
    return tarei_fail(err, TARE_E_MODEL, "its indices '%s' are %s, expected int64 or int32",
                      at->name, tare_dtype_name(at->dtype));
  }
  if (x->rank - 1 + at->rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "its output has rank %d, at most %d is supported",
                      x->rank - 1 + at->rank, TARE_MAX_RANK);
  }
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    for (int k = 0; i == axis && k < at->rank; k++) {
      out.dims[out.rank++] = at->dims[k];
    }
    if (i != axis) {
      out.dims[out.rank++] = x->dims[i];
    }
  }
  tarei_expr indices[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[1], indices);
  TARE_TRY(check_indices(graph, indices, n, x->dims[axis], err));
  TARE_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return pick(graph, node, indices, n, err);
}

const tarei_op tarei_op_gather = {
    .name = "Gather",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_gather,
};
