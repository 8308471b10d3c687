#include <inttypes.h>

#include "graph/ops/ops_common.h"

static tare_status op_transpose_read_perm(const tarei_node *const node, const int rank,
                                          int64_t *const perm, tare_error *const err) {
  TAREI_TRY(tarei_ops_ints(node, "perm", rank, -1, perm, err));
  if (!tarei_attr_find(node, "perm")) {
    for (int i = 0; i < rank; i++) {
      perm[i] = rank - 1 - i;
    }
  }
  bool used[TARE_MAX_RANK] = {0};
  for (int i = 0; i < rank; i++) {
    if (perm[i] < 0 || perm[i] >= rank || used[perm[i]]) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute 'perm' is not a permutation: it has %" PRId64 " at %d", perm[i],
                        i);
    }
    used[perm[i]] = true;
  }
  return TARE_OK;
}

static tare_status infer_transpose(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int64_t perm[TARE_MAX_RANK];
  TAREI_TRY(op_transpose_read_perm(node, x->rank, perm, err));
  tarei_shape out = {.rank = x->rank};
  for (int i = 0; i < x->rank; i++) {
    out.dims[i] = x->dims[perm[i]];
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  int64_t from[TARE_MAX_RANK], strides[TARE_MAX_RANK];
  if (!tarei_ops_strides(graph, x, from)) {
    return TARE_OK;
  }
  for (int i = 0; i < x->rank; i++) {
    strides[i] = from[perm[i]];
  }
  return tarei_ops_view_contents(graph, node, 0, strides, err);
}

const tarei_op tarei_op_transpose = {
    .name = "Transpose",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .infer = infer_transpose,
};
