/* GroupNormalization: an instance normalization of the groups. Before opset 21 scale and bias have
 * one number for each group, since then one for each channel. */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* A vector as [n, 1, 1, ..], so that it belongs to axis 1 of `rank`. */
static int along_channels(tarei_build *const b, const int vector, const int rank) {
  int64_t shape[TARE_MAX_RANK];
  for (int i = 0; i < rank - 1; i++) {
    shape[i] = i == 0 ? -1 : 1;
  }
  return tarei_build_binary(b, "Reshape", vector, tarei_build_i64s(b, shape, rank - 1));
}

/* The same number for each group. */
static int group_normalization_fill(tarei_build *const b, const tare_dtype dtype,
                                    const double number, const int64_t groups) {
  const int shape = tarei_build_i64s(b, &groups, 1);
  return tarei_build_binary(b, "Expand", tarei_build_number(b, dtype, number), shape);
}

static tare_status group_normalization_check(const tarei_graph *const graph,
                                             const tarei_node *const node, const int64_t groups,
                                             tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  if (groups < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'num_groups': expected 1 or more, got %lld",
                      (long long)groups);
  }
  int64_t channels;
  if (tarei_expr_is_const(graph->exprs, x->dims[1], &channels) && channels % groups != 0) {
    return tarei_fail(err, TARE_E_MODEL,
                      "%lld channels are not a multiple of attribute 'num_groups', %lld",
                      (long long)channels, (long long)groups);
  }
  const tarei_expr length = node->opset < 21 ? tarei_expr_const(graph->exprs, groups) : x->dims[1];
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, 1), length, err));
  return tarei_ops_want_vector(graph, tarei_ops_in(graph, node, 2), length, err);
}

static tare_status group_normalization_expand(tarei_graph *const graph, const int node,
                                              tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  const int64_t groups = tarei_attr_int(n, "num_groups", 0);
  TAREI_TRY(group_normalization_check(graph, n, groups, err));
  const tarei_value *const value = tarei_ops_in(graph, n, 0);
  const tare_dtype dtype = value->dtype;
  const int rank = value->rank, out = n->out[0];
  const bool by_group = n->opset < 21;
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-5f);
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0), scale = tarei_build_in(&b, 1), bias = tarei_build_in(&b, 2);
  const int rows = tarei_build_binary(&b, "Reshape", x,
                                      tarei_build_i64s(&b, (const int64_t[]){0, groups, -1}, 3));
  const int norm_in[] = {rows, by_group ? scale : group_normalization_fill(&b, dtype, 1, groups),
                         by_group ? bias : group_normalization_fill(&b, dtype, 0, groups)};
  const int norm = tarei_build_node(&b, "InstanceNormalization", norm_in, 3);
  tarei_build_float(&b, "epsilon", epsilon);
  const int shape = tarei_build_unary(&b, "Shape", x);
  if (by_group) {
    tarei_build_into(&b, "Reshape", (const int[]){norm, shape}, 2, out);
    return tarei_build_done(&b, err);
  }
  const int back = tarei_build_binary(&b, "Reshape", norm, shape);
  const int scaled = tarei_build_binary(&b, "Mul", back, along_channels(&b, scale, rank));
  const int shift = along_channels(&b, bias, rank);
  tarei_build_into(&b, "Add", (const int[]){scaled, shift}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_group_normalization = {
    .name = "GroupNormalization",
    .domain = "",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = group_normalization_expand,
};
