/* LpNormalization: x / norm(x) along an axis, by the first or second norm; rows of norm 0 stay 0.
 */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status lp_normalization_expand(tarei_graph *const graph, const int node,
                                           tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const tarei_value *const value = tarei_ops_in(graph, n, 0);
  const int64_t p = tarei_attr_int(n, "p", 2), axis = tarei_attr_int(n, "axis", -1);
  const tare_dtype dtype = value->dtype;
  const int out = n->out[0];
  int at;
  TAREI_TRY(tarei_ops_want_float(value, err));
  TAREI_TRY(tarei_ops_axis(axis, value->rank, &at, err));
  if (p != 1 && p != 2) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'p': expected 1 or 2, got %lld", (long long)p);
  }
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0);
  const int norm =
      tarei_build_binary(&b, p == 1 ? "ReduceL1" : "ReduceL2", x, tarei_build_i64s(&b, &axis, 1));
  const int zero = tarei_build_binary(&b, "Equal", norm, tarei_build_number(&b, dtype, 0));
  const int choice[] = {zero, tarei_build_number(&b, dtype, 1), norm};
  const int divisor = tarei_build_node(&b, "Where", choice, 3);
  tarei_build_into(&b, "Div", (const int[]){x, divisor}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_lp_normalization = {
    .name = "LpNormalization",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = lp_normalization_expand,
};
