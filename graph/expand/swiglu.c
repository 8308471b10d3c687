/* SwiGLU: Swish of the gate, times the value. */
#include "graph/ir/build.h"

static tare_status swiglu_expand(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const int out = graph->nodes[node].out[0];
  const float alpha = tarei_attr_float(&graph->nodes[node], "alpha", 1);
  const int gate = tarei_build_unary(&b, "Swish", tarei_build_in(&b, 0));
  tarei_build_float(&b, "alpha", alpha);
  tarei_build_into(&b, "Mul", (const int[]){gate, tarei_build_in(&b, 1)}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_swiglu = {
    .name = "SwiGLU",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = swiglu_expand,
};
