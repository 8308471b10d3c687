/* Compress: what a vector of conditions selects, along an axis or of all elements. */
#include "graph/ops/ops_common.h"

/* How many conditions hold of the first `most`, where all of them are known. */
static bool count_known(const tarei_graph *const graph, const int value, const tarei_expr most,
                        int64_t *const count) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, value, contents);
  int64_t limit;
  if (n < 0 || !tarei_expr_is_const(graph->exprs, most, &limit)) {
    return false;
  }
  *count = 0;
  for (int i = 0; i < n && i < limit; i++) {
    int64_t holds;
    if (!tarei_expr_is_const(graph->exprs, contents[i], &holds)) {
      return false;
    }
    *count += holds != 0;
  }
  return true;
}

static tare_status compress_infer(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const condition = tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_rank(condition, 1, 1, err));
  TAREI_TRY(tarei_ops_want_dtype(condition, TARE_BOOL, err));
  tarei_shape out = tarei_ops_shape(x);
  int axis = 0;
  int64_t count;
  if (tarei_attr_find(node, "axis")) {
    TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  } else {
    out.dims[0] = tarei_ops_product(graph, &out, 0, out.rank);
    out.rank = 1;
  }
  const bool known = count_known(graph, node->in[1], out.dims[axis], &count);
  out.dims[axis] =
      known ? tarei_expr_const(graph->exprs, count) : tarei_ops_measured(graph, node, 0);
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

const tarei_op tarei_op_compress = {
    .name = "Compress",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = compress_infer,
};
