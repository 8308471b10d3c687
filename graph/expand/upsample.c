/* Upsample: a Resize that begins at the first element. Its scales are an attribute before opset 9.
 */
#include <stdio.h>

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

static tare_status upsample_expand(tarei_graph *const graph, const int index,
                                   tare_error *const err) {
  tarei_build b = tarei_build_at(graph, index);
  const tarei_node *const node = &graph->nodes[index];
  const tarei_attr *const attr = tarei_attr_find(node, "scales");
  const int x = node->in[0], out = node->out[0];
  int scales = tarei_build_in(&b, 1);
  if (scales < 0) {
    if (!attr || attr->kind != TAREI_ATTR_FLOATS) {
      return tarei_fail(err, TARE_E_MODEL, "no scales");
    }
    scales = tarei_build_const(&b, TARE_F32, 1, (int64_t[]){attr->n}, attr->floats);
  }
  char mode[16];
  (void)snprintf(mode, sizeof mode, "%s",
                 tarei_attr_string(&graph->nodes[index], "mode", "nearest"));
  tarei_build_into(&b, "Resize", (const int[]){x, -1, scales}, 3, out);
  tarei_build_string(&b, "mode", mode);
  tarei_build_string(&b, "coordinate_transformation_mode", "asymmetric");
  tarei_build_string(&b, "nearest_mode", "floor");
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_upsample = {
    .name = "Upsample",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = upsample_expand,
};
