/* com.microsoft QLinearWhere: of two quantized tensors the elements that a condition picks. */
#include "graph/expand/qdq.h"

static tare_status qlinear_where_expand(tarei_graph *const graph, const int node,
                                        tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, 0267 /* all but the zero points */, err));
  const tarei_qdq x = tarei_qdq_in(&b, 1), z = tarei_qdq_in(&b, 4);
  const int in[] = {tarei_build_in(&b, 0), tarei_qdq_read(&b, x, -1), tarei_qdq_read(&b, z, -1)};
  tarei_qdq_write(&b, tarei_build_node(&b, "Where", in, 3), tarei_qdq_scale(&b, 7), x.value);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_qlinear_where = {
    .name = "QLinearWhere",
    .domain = "com.microsoft",
    .min_in = 8,
    .max_in = 9,
    .min_out = 1,
    .max_out = 1,
    .expand = qlinear_where_expand,
};
