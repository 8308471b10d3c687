/* Sum and Mean: chains of Add, so that residual branches are found whichever operator wrote them.
 */
#include "graph/ir/build.h"

/* The sum of all inputs but the last `left` ones. */
static int sum_but(tarei_build *const b, const int left) {
  const int n = b->graph->nodes[b->node].n_in - left;
  int sum = tarei_build_in(b, 0);
  for (int i = 1; i < n; i++) {
    sum = tarei_build_binary(b, "Add", sum, tarei_build_in(b, i));
  }
  return sum;
}

static tare_status expand_sum(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const int out = graph->nodes[node].out[0], n = graph->nodes[node].n_in;
  const int last = tarei_build_in(&b, n - 1);
  const int rest = n > 1 ? sum_but(&b, 1) : -1;
  tarei_build_into(&b, n > 1 ? "Add" : "Identity", n > 1 ? (const int[]){rest, last} : &last,
                   n > 1 ? 2 : 1, out);
  return tarei_build_done(&b, err);
}

static tare_status expand_mean(tarei_graph *const graph, const int node, tare_error *const err) {
  const int out = graph->nodes[node].out[0], n = graph->nodes[node].n_in;
  if (n == 1) {
    return expand_sum(graph, node, err);
  }
  tarei_build b = tarei_build_at(graph, node);
  const tare_dtype dtype = graph->values[tarei_build_in(&b, 0)].dtype;
  const int sum = sum_but(&b, 0);
  const int count = tarei_build_number(&b, dtype, n);
  tarei_build_into(&b, "Div", (const int[]){sum, count}, 2, out);
  return tarei_build_done(&b, err);
}

#define VARIADIC(id, onnx_name, expand_fn) \
  const tarei_op tarei_op_##id = {         \
      .name = onnx_name,                   \
      .domain = "",                        \
      .min_in = 1,                         \
      .max_in = -1,                        \
      .min_out = 1,                        \
      .max_out = 1,                        \
      .expand = expand_fn,                 \
  }

VARIADIC(mean, "Mean", expand_mean);
VARIADIC(sum, "Sum", expand_sum);
