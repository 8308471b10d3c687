/* GlobalLpPool: (sum over space of |x|^p)^(1/p). */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status global_lp_pool_expand(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  const tarei_value *const x = tarei_ops_in(graph, &graph->nodes[node], 0);
  const tare_dtype dtype = x->dtype;
  const int64_t p = tarei_attr_int(&graph->nodes[node], "p", 2);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  if (p < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'p': expected 1 or more, got %lld",
                      (long long)p);
  }
  int64_t axes[TARE_MAX_RANK];
  const int n = x->rank - 2;
  for (int i = 0; i < n; i++) {
    axes[i] = 2 + i;
  }
  tarei_build b = tarei_build_at(graph, node);
  const int size = tarei_build_unary(&b, "Abs", tarei_build_in(&b, 0));
  const int power = tarei_build_number(&b, dtype, (double)p);
  const int root = tarei_build_number(&b, dtype, 1.0 / (double)p);
  const int powers = p == 1 ? size : tarei_build_binary(&b, "Pow", size, power);
  const int sum = tarei_build_binary(&b, "ReduceSum", powers, tarei_build_i64s(&b, axes, n));
  tarei_build_into(&b, "Pow", (const int[]){sum, root}, 2, graph->nodes[node].out[0]);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_global_lp_pool = {
    .name = "GlobalLpPool",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = global_lp_pool_expand,
};
