#include "graph/ops/ops_common.h"

/* Before opset 9 the parameters may be those of each element of a sample instead of each channel.
 */
static bool by_element(const tarei_node *const node) {
  return node->opset < 9 && tarei_attr_int(node, "spatial", 1) == 0;
}

/* Statistics of the batch, and running ones, are there since opset 14. */
static tare_status batch_normalization_check_mode(const tarei_graph *const graph,
                                                  const tarei_node *const node, const bool trains,
                                                  tare_error *const err) {
  if (trains && node->opset < 14) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "training mode is not supported");
  }
  for (int i = 1; i < node->n_out; i++) {
    const bool asked = node->out[i] >= 0 && tarei_graph_count_uses(graph, node->out[i]) > 0;
    if (asked && (!trains || i > 2)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "output '%s' exists in training mode only",
                        graph->values[node->out[i]].name);
    }
  }
  return TARE_OK;
}

/* The four parameters, and their common shape: that of a channel, or of a sample's elements. */
static tare_status check_parameters(const tarei_graph *const graph, const tarei_node *const node,
                                    tarei_shape *const out, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  *out = (tarei_shape){1, {x->rank > 1 ? x->dims[1] : one}}; /* one axis: one channel */
  for (int i = 1; i < 5; i++) {
    const tarei_value *const parameter = tarei_ops_in(graph, node, i);
    TAREI_TRY(tarei_ops_want_float(parameter, err));
    if (!by_element(node)) {
      TAREI_TRY(tarei_ops_want_vector(graph, parameter, out->dims[0], err));
      continue;
    }
    TAREI_TRY(tarei_ops_want_rank(parameter, x->rank - 1, x->rank - 1, err));
    *out = tarei_ops_shape(parameter);
    const tarei_shape whole = tarei_ops_shape(x);
    TAREI_TRY(tarei_ops_want_fits(graph, parameter, &whole, err));
  }
  return TARE_OK;
}

static tare_status infer_batch_normalization(tarei_graph *const graph, tarei_node *const node,
                                             tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 5, err));
  const bool trains = tarei_attr_int(node, "training_mode", 0) != 0;
  TAREI_TRY(batch_normalization_check_mode(graph, node, trains, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK, err));
  tarei_shape parameters;
  TAREI_TRY(check_parameters(graph, node, &parameters, err));
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  for (int i = 1; i < node->n_out; i++) {
    const int like = i % 2 ? 3 : 4; /* means and variances by turns */
    TAREI_TRY(
        tarei_ops_give(graph, node, i, tarei_ops_in(graph, node, like)->dtype, &parameters, err));
  }
  return TARE_OK;
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
