/* com.microsoft QLinearAveragePool and QLinearGlobalAveragePool. */
#include "graph/expand/qdq.h"

static tare_status qlinear_pool_expand(tarei_graph *const graph, const int node,
                                       const char *const op, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, TAREI_QDQ_UNARY, err));
  const bool last = tarei_attr_int(&graph->nodes[node], "channels_last", 0) != 0;
  const tarei_qdq x = tarei_qdq_in(&b, 0);
  const int y =
      tarei_build_unary(&b, op, tarei_qdq_channels_first(&b, tarei_qdq_read(&b, x, -1), last));
  tarei_qdq_attrs(&b, b.last);
  tarei_qdq_write(&b, tarei_qdq_channels_last(&b, y, last), tarei_qdq_scale(&b, 3), x.value);
  return tarei_build_done(&b, err);
}

static tare_status expand_average(tarei_graph *const graph, const int node, tare_error *const err) {
  return qlinear_pool_expand(graph, node, "AveragePool", err);
}

static tare_status expand_global(tarei_graph *const graph, const int node, tare_error *const err) {
  return qlinear_pool_expand(graph, node, "GlobalAveragePool", err);
}

const tarei_op tarei_op_qlinear_average_pool = {
    .name = "QLinearAveragePool",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_average,
};

const tarei_op tarei_op_qlinear_global_average_pool = {
    .name = "QLinearGlobalAveragePool",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_global,
};
