/* Linear or ConvLast without bias followed by Add of one constant per output channel takes the
 * constant as its bias. The value before the Add disappears. */
#include "graph/passes/const_data.h"
#include "graph/passes/epilogue.h"
#include "graph/passes/passes.h"

/* A vector of one number per channel, made from a constant that is broadcast over the rows. */
static tare_status bias_vector(tarei_graph *const graph, const int value, const int rank,
                               const int64_t channels, int *const out, tare_error *const err) {
  int step;
  const float *const from = tarei_const_channels(graph, value, rank, rank - 1, channels, &step);
  if (step == 1) {
    return tarei_const_strip(graph, value, 1, out, err);
  }
  float *data;
  TAREI_TRY(tarei_const_new(graph, value, "__bias", 1, &channels, out, &data, err));
  for (int64_t i = 0; i < channels; i++) {
    data[i] = *from;
  }
  return TARE_OK;
}

static tare_status fuse_bias_at(tarei_graph *const graph, const int index, bool *const changed,
                                tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const int out = node->out[0];
  const int next = tarei_graph_sole_consumer(graph, out);
  if (next < 0 || graph->nodes[next].op != &tarei_op_add || tarei_node_in(node, 2) >= 0 ||
      tarei_node_in(node, 3) >= 0 || tarei_has_activation(node)) {
    return TARE_OK;
  }
  const int other = tarei_other_input(&graph->nodes[next], out);
  const int rank = graph->values[out].rank;
  int64_t channels;
  int step, bias;
  if (!tarei_value_dim_const(graph, out, rank - 1, &channels) ||
      !tarei_const_channels(graph, other, rank, rank - 1, channels, &step)) {
    return TARE_OK;
  }
  TAREI_TRY(bias_vector(graph, other, rank, channels, &bias, err));
  TAREI_TRY(tarei_node_set_in(graph, index, 2, bias, err));
  *changed = true;
  return tarei_absorb(graph, index, next, err);
}

static tare_status fuse_bias_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op && graph->nodes[i].op->adds_residual) {
      TAREI_TRY(fuse_bias_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_bias = {
    .name = "fuse_bias",
    .summary = "takes a constant Add into the bias of Linear or ConvLast",
    .removes_tensors = true,
    .run = fuse_bias_run,
};
