/* InstanceNormalization and its channels-last form, and the norms of all channels and of groups of
 * them. */
#include "graph/ops/ops_common.h"

static tare_status instance_normalization_infer(tarei_graph *const graph, tarei_node *const node,
                                                const bool channels_last, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  const tarei_expr channels = x->dims[channels_last ? x->rank - 1 : 1];
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, 1), channels, err));
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, 2), channels, err));
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give_writable(graph, node, x->dtype, &shape, err);
}

static tare_status group_norm_infer(tarei_graph *const graph, tarei_node *const node,
                                    const bool channels_last, tare_error *const err) {
  TAREI_TRY(instance_normalization_infer(graph, node, channels_last, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t groups = tarei_attr_int(node, TAREI_ATTR_GROUPS, 0);
  int64_t channels;
  return tarei_expr_is_const(graph->exprs, x->dims[channels_last ? x->rank - 1 : 1], &channels) &&
                 groups > 0 && channels % groups == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "attribute '%s': expected a divisor of the channels, got %lld",
                          TAREI_ATTR_GROUPS, (long long)groups);
}

static tare_status infer_group_norm(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  return group_norm_infer(graph, node, false, err);
}

static tare_status infer_group_norm_last(tarei_graph *const graph, tarei_node *const node,
                                         tare_error *const err) {
  return group_norm_infer(graph, node, true, err);
}

static tare_status infer_instance_normalization(tarei_graph *const graph, tarei_node *const node,
                                                tare_error *const err) {
  return instance_normalization_infer(graph, node, false, err);
}

static tare_status infer_instance_norm_last(tarei_graph *const graph, tarei_node *const node,
                                            tare_error *const err) {
  return instance_normalization_infer(graph, node, true, err);
}

const tarei_op tarei_op_instance_normalization = {
    .name = "InstanceNormalization",
    .domain = "",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .channels_last = &tarei_op_instance_norm_last,
    .infer = infer_instance_normalization,
};

const tarei_op tarei_op_instance_norm_last = {
    .name = "InstanceNormLast",
    .domain = "tare",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .takes_activation = true,
    .infer = infer_instance_norm_last,
};

const tarei_op tarei_op_global_norm_last = {
    .name = "GlobalNormLast",
    .domain = "tare",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .takes_activation = true,
    .infer = infer_instance_norm_last,
};

const tarei_op tarei_op_group_norm = {
    .name = "GroupNorm",
    .domain = "tare",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .channels_last = &tarei_op_group_norm_last,
    .infer = infer_group_norm,
};

const tarei_op tarei_op_group_norm_last = {
    .name = "GroupNormLast",
    .domain = "tare",
    .growth = TAREI_GROWTH_BOUNDED,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .takes_activation = true,
    .infer = infer_group_norm_last,
};
