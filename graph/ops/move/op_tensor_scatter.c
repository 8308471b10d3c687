/* TensorScatter: new entries are written into a cache, from a place of their own in each sequence.
 */
#include <string.h>

#include "graph/ops/ops_common.h"

enum { CACHE, UPDATE, PLACES };

static tare_status check_update(const tarei_graph *const graph, const tarei_value *const cache,
                                const tarei_value *const update, const int axis,
                                tare_error *const err) {
  bool fits = cache->rank == update->rank;
  for (int d = 0; fits && d < cache->rank; d++) {
    int64_t most, n;
    fits = d == axis ? !tarei_expr_is_const(graph->exprs, cache->dims[d], &most) ||
                           !tarei_expr_is_const(graph->exprs, update->dims[d], &n) || n <= most
                     : !tarei_ops_differ(graph, cache->dims[d], update->dims[d]);
  }
  if (fits) {
    return TARE_OK;
  }
  const tarei_shape have = tarei_ops_shape(update), into = tarei_ops_shape(cache);
  char a[256], b[256];
  return tarei_fail(err, TARE_E_MODEL,
                    "update '%s' of shape %s does not fit into a cache of shape %s along axis %d",
                    update->name, tarei_ops_show(graph, &have, a, sizeof a),
                    tarei_ops_show(graph, &into, b, sizeof b), axis);
}

static tare_status infer_tensor_scatter(tarei_graph *const graph, tarei_node *const node,
                                        tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const cache = tarei_ops_in(graph, node, CACHE);
  const tarei_value *const update = tarei_ops_in(graph, node, UPDATE);
  const tarei_value *const places = tarei_ops_in(graph, node, PLACES);
  const tarei_shape out = tarei_ops_shape(cache);
  const char *const mode = tarei_attr_string(node, "mode", "linear");
  int axis = 0;
  TAREI_TRY(tarei_ops_want_rank(cache, 2, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", -2), cache->rank, &axis, err));
  if (axis == 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'axis' is that of the batch, the first one");
  }
  if (strcmp(mode, "linear") != 0 && strcmp(mode, "circular") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'mode': expected linear or circular, got '%s'",
                      mode);
  }
  TAREI_TRY(tarei_ops_want_same_dtype(cache, update, err));
  TAREI_TRY(check_update(graph, cache, update, axis, err));
  if (places) {
    TAREI_TRY(tarei_ops_want_indices(places, err));
    TAREI_TRY(tarei_ops_want_vector(graph, places, cache->dims[0], err));
  }
  return tarei_ops_give(graph, node, 0, cache->dtype, &out, err);
}

const tarei_op tarei_op_tensor_scatter = {
    .name = "TensorScatter",
    .domain = "",
    .sign = TAREI_SIGN_ALL,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_tensor_scatter,
};
