#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* Repeats known contents; the dims of input and output are constant where both are. */
static tare_status tile_contents(tarei_graph *const graph, const tarei_node *const node,
                                 tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int64_t dims[TARE_MAX_RANK], to[TARE_MAX_RANK], strides[TARE_MAX_RANK];
  const int n = node->out[0] < 0 ? -1 : tarei_ops_count(graph, &graph->values[node->out[0]]);
  if (n < 0 || tarei_ops_contents(graph, node->in[0], in) < 0 ||
      !tarei_ops_const_dims(graph, x, dims) || !tarei_ops_strides(graph, x, strides) ||
      !tarei_ops_const_dims(graph, &graph->values[node->out[0]], to)) {
    return TARE_OK;
  }
  for (int k = 0; k < n; k++) {
    int64_t from = 0;
    for (int d = x->rank - 1, rest = k; d >= 0; d--) {
      from += rest % to[d] % dims[d] * strides[d];
      rest /= (int)to[d];
    }
    out[k] = in[from];
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status infer_tile(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  tarei_shape out = tarei_ops_shape(x);
  tarei_list repeats;
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, node, 1), TARE_I64, err));
  TAREI_TRY(tarei_ops_list(graph, node, 1, "repeats", 1, &repeats, err));
  if (repeats.counted && repeats.n != x->rank) {
    return tarei_fail(err, TARE_E_MODEL, "has %d repeats for an input of rank %d", repeats.n,
                      x->rank);
  }
  for (int d = 0, measured = 0; d < x->rank; d++) {
    const tarei_expr times = repeats.counted ? repeats.at[d] : TAREI_EXPR_NONE;
    int64_t n;
    if (tarei_expr_is_const(graph->exprs, times, &n) && n < 0) {
      return tarei_fail(err, TARE_E_MODEL, "cannot repeat axis %d %" PRId64 " times", d, n);
    }
    out.dims[d] = times == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, measured++)
                                           : tarei_expr_mul(graph->exprs, out.dims[d], times);
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return tile_contents(graph, node, err);
}

const tarei_op tarei_op_tile = {
    .name = "Tile",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_tile,
};
