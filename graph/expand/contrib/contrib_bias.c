/* What com.microsoft adds and gates in one node: BiasAdd, BiasSplitGelu, GatedAdd, GemmFastGelu. */
#include "graph/expand/ms_expansion.h"
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status contrib_bias_check(const tarei_graph *const graph, const tarei_node *const node,
                                      const int inputs, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, inputs, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  return tarei_ops_want_rank(x, 1, TARE_MAX_RANK, err);
}

/* X + bias + skip */
static tare_status expand_bias_add(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  TAREI_TRY(contrib_bias_check(graph, &graph->nodes[node], 3, err));
  tarei_build b = tarei_build_at(graph, node);
  const int out = graph->nodes[node].out[0];
  const int biased = tarei_build_binary(&b, "Add", tarei_build_in(&b, 0), tarei_build_in(&b, 1));
  tarei_build_into(&b, "Add", (const int[]){biased, tarei_build_in(&b, 2)}, 2, out);
  return tarei_build_done(&b, err);
}

/* X + Y * gate */
static tare_status expand_gated_add(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  TAREI_TRY(contrib_bias_check(graph, &graph->nodes[node], 3, err));
  tarei_build b = tarei_build_at(graph, node);
  const int out = graph->nodes[node].out[0];
  const int gated = tarei_build_binary(&b, "Mul", tarei_build_in(&b, 1), tarei_build_in(&b, 2));
  tarei_build_into(&b, "Add", (const int[]){tarei_build_in(&b, 0), gated}, 2, out);
  return tarei_build_done(&b, err);
}

/* The left half of X + bias, times the Gelu of the right half. */
static tare_status expand_bias_split_gelu(tarei_graph *const graph, const int node,
                                          tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(contrib_bias_check(graph, n, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, n, 0);
  int64_t width;
  if (!tarei_expr_is_const(graph->exprs, x->dims[x->rank - 1], &width) || width % 2) {
    return tarei_fail(err, TARE_E_MODEL, "the last axis of '%s' must be constant and even",
                      x->name);
  }
  tarei_build b = tarei_build_at(graph, node);
  const int out = n->out[0];
  const int biased = tarei_build_binary(&b, "Add", tarei_build_in(&b, 0), tarei_build_in(&b, 1));
  const int64_t halves[] = {width / 2, width / 2};
  int parts[] = {-2, -2};
  tarei_build_outputs(&b, "Split", (const int[]){biased, tarei_build_i64s(&b, halves, 2)}, 2, parts,
                      2);
  tarei_build_int(&b, "axis", -1);
  const int gate = tarei_build_unary(&b, "Gelu", parts[1]);
  tarei_build_into(&b, "Mul", (const int[]){parts[0], gate}, 2, out);
  return tarei_build_done(&b, err);
}

/* FastGelu of X . W + bias */
static tare_status expand_gemm_fast_gelu(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  TAREI_TRY(contrib_bias_check(graph, &graph->nodes[node], 2, err));
  tarei_build b = tarei_build_at(graph, node);
  const int out = graph->nodes[node].out[0], bias = tarei_build_in(&b, 2);
  int y = tarei_build_binary(&b, "MatMul", tarei_build_in(&b, 0), tarei_build_in(&b, 1));
  y = bias < 0 ? y : tarei_build_binary(&b, "Add", y, bias);
  tarei_build_into(&b, "Gelu", &y, 1, out);
  tarei_build_string(&b, "approximate", "tanh");
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_bias_add, "BiasAdd", 3, 3, 1, expand_bias_add);
TAREI_MS_EXPANSION(ms_bias_split_gelu, "BiasSplitGelu", 2, 2, 1, expand_bias_split_gelu);
TAREI_MS_EXPANSION(ms_gated_add, "GatedAdd", 3, 3, 1, expand_gated_add);
TAREI_MS_EXPANSION(ms_gemm_fast_gelu, "GemmFastGelu", 2, 3, 1, expand_gemm_fast_gelu);
