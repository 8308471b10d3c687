/* EyeLike: ones where column = row + k, as the comparison of two ranges. */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* 0, 1, .. along an axis of the input. */
static int count_axis(tarei_build *const b, const int axis) {
  const int size = tarei_build_unary(b, "Shape", tarei_build_in(b, 0));
  tarei_build_int(b, "start", axis);
  tarei_build_int(b, "end", axis + 1);
  const int range[] = {tarei_build_number(b, TARE_I64, 0), size,
                       tarei_build_number(b, TARE_I64, 1)};
  return tarei_build_node(b, "Range", range, 3);
}

static tare_status eye_like_expand(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 1, err));
  const tarei_value *const x = tarei_ops_in(graph, &graph->nodes[node], 0);
  TAREI_TRY(tarei_ops_want_rank(x, 2, 2, err));
  const int64_t to = tarei_attr_int(&graph->nodes[node], "dtype", x->dtype);
  const int64_t k = tarei_attr_int(&graph->nodes[node], "k", 0);
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int diagonal =
      tarei_build_binary(&b, "Add", count_axis(&b, 0), tarei_build_i64s(&b, &k, 1));
  const int last = tarei_build_i64s(&b, (const int64_t[]){1}, 1);
  const int rows = tarei_build_binary(&b, "Unsqueeze", diagonal, last);
  const int ones = tarei_build_binary(&b, "Equal", rows, count_axis(&b, 1));
  tarei_build_into(&b, "Cast", &ones, 1, out);
  tarei_build_int(&b, "to", to); /* Cast refuses what is no type */
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_eye_like = {
    .name = "EyeLike",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .expand = eye_like_expand,
};
