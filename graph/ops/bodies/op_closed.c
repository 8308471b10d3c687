#include "graph/closed.h"
#include "graph/ops/ops_common.h"

static bool closed_takes(const int64_t type, const int64_t rank) {
  return tare_dtype_size((tare_dtype)type) > 0 && rank >= 0 && rank <= TARE_MAX_RANK;
}

/* The types are those of the other branch. */
static tare_status infer_closed(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  int n_types = 0, n_dims = 0, at = 0;
  const int64_t *const types = tarei_attr_ints(node, TAREI_ATTR_CLOSED_TYPES, &n_types);
  const tarei_expr *const dims = tarei_attr_exprs(node, TAREI_ATTR_DIMS, &n_dims);
  if (n_types != 2 * node->n_out) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s",
                      tarei_attr_string(node, TAREI_ATTR_CLOSED_REASON, "has no types"));
  }
  for (int o = 0; o < node->n_out; o++) {
    const int64_t type = types[2 * o], rank = types[2 * o + 1];
    if (!closed_takes(type, rank) || rank > n_dims - at) {
      return tarei_fail(err, TARE_E_MODEL, "output %d has no type", o);
    }
    tarei_shape shape = {.rank = (int)rank};
    for (int d = 0; d < shape.rank; d++) {
      shape.dims[d] = dims[at++];
    }
    TAREI_TRY(tarei_ops_give(graph, node, o, (tare_dtype)type, &shape, err));
  }
  return TARE_OK;
}

const tarei_op tarei_op_closed = {
    .name = "Closed",
    .domain = "tare",
    .min_in = 0,
    .max_in = 0,
    .min_out = 1,
    .max_out = -1,
    .infer = infer_closed,
};
