/* MeanVarianceNormalization: (x - mean) / (deviation + 1e-9) over axes. */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status mean_variance_normalization_expand(tarei_graph *const graph, const int node,
                                                      tare_error *const err) {
  static const int64_t batch_and_space[] = {0, 2, 3};
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const tarei_value *const value = tarei_ops_in(graph, n, 0);
  TAREI_TRY(tarei_ops_want_float(value, err));
  tarei_axes axes;
  TAREI_TRY(tarei_ops_axes(graph, n, 1, value->rank, &axes, err));
  if (!axes.given) {
    TAREI_TRY(tarei_ops_want_rank(value, 4, 4, err));
  }
  int64_t list[TARE_MAX_RANK];
  for (int i = 0; i < axes.n; i++) {
    list[i] = axes.at[i];
  }
  const tare_dtype dtype = value->dtype;
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0);
  const int over =
      axes.given ? tarei_build_i64s(&b, list, axes.n) : tarei_build_i64s(&b, batch_and_space, 3);
  const int d = tarei_build_binary(&b, "Sub", x, tarei_build_binary(&b, "ReduceMean", x, over));
  const int square = tarei_build_binary(&b, "Mul", d, d);
  const int deviation =
      tarei_build_unary(&b, "Sqrt", tarei_build_binary(&b, "ReduceMean", square, over));
  const int divisor = tarei_build_binary(&b, "Add", deviation, tarei_build_number(&b, dtype, 1e-9));
  tarei_build_into(&b, "Div", (const int[]){d, divisor}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_mean_variance_normalization = {
    .name = "MeanVarianceNormalization",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = mean_variance_normalization_expand,
};
