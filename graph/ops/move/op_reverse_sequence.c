#include <inttypes.h>

#include "graph/ops/ops_common.h"

static tare_status infer_reverse_sequence(tarei_graph *const graph, tarei_node *const node,
                                          tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t batch = tarei_attr_int(node, "batch_axis", 1);
  const int64_t time = tarei_attr_int(node, "time_axis", 0);
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  if (batch < 0 || batch > 1 || time < 0 || time > 1 || batch == time) {
    return tarei_fail(err, TARE_E_MODEL,
                      "batch axis %" PRId64 " and time axis %" PRId64
                      ": expected 0 and 1, in either order",
                      batch, time);
  }
  TAREI_TRY(tarei_ops_want_indices(tarei_ops_in(graph, node, 1), err));
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, 1), x->dims[batch], err));
  return tarei_ops_give(graph, node, 0, x->dtype, &shape, err);
}

const tarei_op tarei_op_reverse_sequence = {
    .name = "ReverseSequence",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_reverse_sequence,
};
