/* CastLike: a Cast to the element type of another tensor. */
#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status cast_like_expand(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 2, err));
  const tare_dtype to = tarei_ops_in(graph, &graph->nodes[node], 1)->dtype;
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  tarei_build_into(&b, "Cast", (const int[]){tarei_build_in(&b, 0)}, 1, out);
  tarei_build_int(&b, "to", to);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_cast_like = {
    .name = "CastLike",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = cast_like_expand,
};
