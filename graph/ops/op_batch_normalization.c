#include "graph/ops/ops_common.h"

/* Inference only. Outputs behind the first hold statistics of training. */
static tare_status refuse_training(const tarei_graph *const graph, const tarei_node *const node,
                                   tare_error *const err) {
  if (tarei_attr_int(node, "training_mode", 0) != 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "it is in training mode");
  }
  if (tarei_attr_int(node, "spatial", 1) == 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "its attribute 'spatial' is 0");
  }
  for (int i = 1; i < node->n_out; i++) {
    if (node->out[i] >= 0) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "its output '%s' exists in training only",
                        graph->values[node->out[i]].name);
    }
  }
  return TARE_OK;
}

static tare_status infer_batch_normalization(tarei_graph *const graph, tarei_node *const node,
                                             tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 5, err));
  TARE_TRY(refuse_training(graph, node, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TARE_TRY(tarei_ops_want_float(x, err));
  TARE_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  for (int i = 1; i < 5; i++) {
    TARE_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, i), x->dims[1], err));
  }
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give(graph, node, 0, x->dtype, &shape, err);
}

const tarei_op tarei_op_batch_normalization = {
    .name = "BatchNormalization",
    .domain = "",
    .min_in = 5,
    .max_in = 5,
    .min_out = 1,
    .max_out = 5,
    .infer = infer_batch_normalization,
};
