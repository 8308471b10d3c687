/* BatchNormalization behind a Conv with constant weights goes into the weights and the bias. The
 * Conv's own output disappears. */
#include "graph/passes/norm/batchnorm.h"
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* Weight and bias of the Conv as constants of one output channel per first axis. */
static bool read_conv(const tarei_graph *const graph, const tarei_node *const conv,
                      tare_tensor *const weight, const float **const bias) {
  const int w = tarei_node_in(conv, 1), b = tarei_node_in(conv, 2);
  int step = 1;
  if (!tarei_value_is_const(graph, w) || !tarei_value_is_f32(graph, w)) {
    return false;
  }
  *weight = tarei_value_tensor(graph, w);
  *bias = NULL;
  if (weight->rank < 3 || weight->dims[0] < 1) {
    return false;
  }
  if (b >= 0) {
    *bias = tarei_const_channels(graph, b, 1, 0, weight->dims[0], &step);
  }
  return b < 0 || (*bias && (step == 1 || weight->dims[0] == 1));
}

static void fold(const tarei_batchnorm *const n, const tare_tensor *const weight,
                 const float *const bias, float *const new_weight, float *const new_bias) {
  const int64_t per_channel = tare_tensor_count(weight) / n->channels;
  for (int64_t o = 0; o < n->channels; o++) {
    const double gain = tarei_batchnorm_gain(n, o);
    for (int64_t i = o * per_channel; i < (o + 1) * per_channel; i++) {
      new_weight[i] = (float)(((const float *)weight->data)[i] * gain);
    }
    new_bias[o] = tarei_batchnorm_bias(n, o, bias ? bias[o] : 0.0);
  }
}

static tare_status fold_pair(tarei_graph *const graph, const int conv, const int next,
                             bool *const changed, tare_error *const err) {
  tare_tensor weight;
  const float *bias;
  tarei_batchnorm n;
  if (!read_conv(graph, &graph->nodes[conv], &weight, &bias) ||
      !tarei_batchnorm_read(graph, &graph->nodes[next], weight.dims[0], &n)) {
    return TARE_OK;
  }
  int new_weight, new_bias;
  float *weight_data, *bias_data; /* the contents stay where they are when more values come */
  const int like = graph->nodes[conv].in[1];
  TAREI_TRY(tarei_const_new(graph, like, "__folded", weight.rank, weight.dims, &new_weight,
                            &weight_data, err));
  TAREI_TRY(tarei_const_new(graph, like, "__bias", 1, &n.channels, &new_bias, &bias_data, err));
  fold(&n, &weight, bias, weight_data, bias_data);
  tarei_graph_set_in(graph, conv, 1, new_weight);
  TAREI_TRY(tarei_node_set_in(graph, conv, 2, new_bias, err));
  *changed = true;
  return tarei_absorb(graph, conv, next, err);
}

static tare_status fold_batchnorm_run(tarei_graph *const graph,
                                      const tarei_pass_options *const options, bool *const changed,
                                      tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op != &tarei_op_conv ||
        tarei_attr_find(&graph->nodes[i], TAREI_ATTR_WEIGHT_SCALES)) {
      continue;
    }
    const int next = tarei_graph_sole_consumer(graph, graph->nodes[i].out[0]);
    if (next >= 0 && graph->nodes[next].in[0] == graph->nodes[i].out[0]) {
      TAREI_TRY(fold_pair(graph, i, next, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fold_batchnorm = {
    .name = "fold_batchnorm",
    .summary = "folds BatchNormalization into the convolution before it",
    .removes_tensors = true,
    .run = fold_batchnorm_run,
};
