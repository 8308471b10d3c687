/* LRN: x / (bias + alpha / size * (sum of the squares of `size` neighbouring channels))^beta. The
 * sum is a pool over the channels, with everything behind them as one axis. */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* How much of the neighbouring channels goes into each: their mean square. */
static int mean_square(tarei_build *const b, const int x, const int64_t size) {
  const int square = tarei_build_binary(b, "Mul", x, x);
  const int plane =
      tarei_build_binary(b, "Reshape", square, tarei_build_i64s(b, (const int64_t[]){0, 0, -1}, 3));
  const int image =
      tarei_build_binary(b, "Unsqueeze", plane, tarei_build_i64s(b, (const int64_t[]){1}, 1));
  const int pool = tarei_build_unary(b, "AveragePool", image);
  tarei_build_ints(b, "kernel_shape", (const int64_t[]){size, 1}, 2);
  tarei_build_ints(b, "pads", (const int64_t[]){(size - 1) / 2, 0, size / 2, 0}, 4);
  tarei_build_int(b, "count_include_pad", 1);
  return tarei_build_binary(b, "Reshape", pool, tarei_build_unary(b, "Shape", x));
}

static tare_status lrn_expand(tarei_graph *const graph, const int node, tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const tarei_value *const value = tarei_ops_in(graph, n, 0);
  const tare_dtype dtype = value->dtype;
  const int64_t size = tarei_attr_int(n, "size", 0);
  const double alpha = (double)tarei_attr_float(n, "alpha", 1e-4f);
  const double beta = (double)tarei_attr_float(n, "beta", 0.75f);
  const double bias = (double)tarei_attr_float(n, "bias", 1);
  const int out = n->out[0];
  TAREI_TRY(tarei_ops_want_float(value, err));
  TAREI_TRY(tarei_ops_want_rank(value, 3, TARE_MAX_RANK, err));
  if (size < 1 || size > INT32_MAX) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'size': expected 1 or more, got %lld",
                      (long long)size);
  }
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0);
  const int mean = mean_square(&b, x, size);
  const int part = tarei_build_binary(&b, "Mul", mean, tarei_build_number(&b, dtype, alpha));
  const int sum = tarei_build_binary(&b, "Add", part, tarei_build_number(&b, dtype, bias));
  const int power = tarei_build_binary(&b, "Pow", sum, tarei_build_number(&b, dtype, beta));
  tarei_build_into(&b, "Div", (const int[]){x, power}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_lrn = {
    .name = "LRN",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = lrn_expand,
};
