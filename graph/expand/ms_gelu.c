/* The GELU family of com.microsoft. */
#include "graph/expand/ms_expansion.h"
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status want_input(const tarei_graph *const graph, const int node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  return tarei_ops_want_float(tarei_ops_in(graph, &graph->nodes[node], 0), err);
}

/* Gelu of the sum of all inputs. */
static tare_status ms_gelu_write(tarei_graph *const graph, const int node,
                                 const char *const approximate, tare_error *const err) {
  TAREI_TRY(want_input(graph, node, err));
  tarei_build b = tarei_build_at(graph, node);
  const int bias = tarei_build_in(&b, 1), out = graph->nodes[node].out[0];
  int x = tarei_build_in(&b, 0);
  x = bias < 0 ? x : tarei_build_binary(&b, "Add", x, bias);
  tarei_build_into(&b, "Gelu", &x, 1, out);
  tarei_build_string(&b, "approximate", approximate);
  return tarei_build_done(&b, err);
}

static tare_status expand_exact(tarei_graph *const graph, const int node, tare_error *const err) {
  return ms_gelu_write(graph, node, "none", err);
}

static tare_status expand_fast(tarei_graph *const graph, const int node, tare_error *const err) {
  return ms_gelu_write(graph, node, "tanh", err);
}

/* x * sigmoid(alpha * x) */
static tare_status expand_quick(tarei_graph *const graph, const int node, tare_error *const err) {
  TAREI_TRY(want_input(graph, node, err));
  const tarei_node *const n = &graph->nodes[node];
  const tare_dtype dtype = tarei_ops_in(graph, n, 0)->dtype;
  const float alpha = tarei_attr_float(n, "alpha", 1.702f);
  const int x = n->in[0], out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int scaled =
      alpha == 1 ? x
                 : tarei_build_binary(&b, "Mul", x, tarei_build_number(&b, dtype, (double)alpha));
  const int gate = tarei_build_unary(&b, "Sigmoid", scaled);
  tarei_build_into(&b, "Mul", (const int[]){x, gate}, 2, out);
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_bias_gelu, "BiasGelu", 2, 2, 1, expand_exact);
TAREI_MS_EXPANSION(ms_fast_gelu, "FastGelu", 1, 2, 1, expand_fast);
TAREI_MS_EXPANSION(ms_gelu, "Gelu", 1, 1, 1, expand_exact);
TAREI_MS_EXPANSION(ms_quick_gelu, "QuickGelu", 1, 1, 1, expand_quick);
