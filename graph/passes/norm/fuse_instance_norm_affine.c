/* InstanceNormalization or GroupNorm followed by Mul or Add of one constant per channel, as
 * exporters write them: the constants go into scale and bias. The values between disappear. */
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* Scale and bias of a norm, constants of one number per channel. */
typedef struct affine {
  int64_t channels;
  const float *scale, *bias;
} affine;

static bool read_affine(const tarei_graph *const graph, const tarei_node *const norm,
                        affine *const out) {
  int step_scale, step_bias;
  if (norm->n_in != 3 || !tarei_value_dim_const(graph, norm->in[0], 1, &out->channels)) {
    return false;
  }
  out->scale = tarei_const_channels(graph, norm->in[1], 1, 0, out->channels, &step_scale);
  out->bias = tarei_const_channels(graph, norm->in[2], 1, 0, out->channels, &step_bias);
  return out->scale && out->bias && ((step_scale && step_bias) || out->channels == 1);
}

static tare_status fuse_pair(tarei_graph *const graph, const int norm, const int next,
                             bool *const fused, tare_error *const err) {
  const int out = graph->nodes[norm].out[0];
  const bool multiplies = graph->nodes[next].op == &tarei_op_mul;
  const int other = tarei_other_input(&graph->nodes[next], out);
  affine a;
  int step, scale, bias;
  if (!read_affine(graph, &graph->nodes[norm], &a)) {
    return TARE_OK;
  }
  const float *const by =
      tarei_const_channels(graph, other, graph->values[out].rank, 1, a.channels, &step);
  if (!by) {
    return TARE_OK;
  }
  float *scale_data, *bias_data;
  TAREI_TRY(tarei_const_new(graph, graph->nodes[norm].in[1], "__fused", 1, &a.channels, &scale,
                            &scale_data, err));
  TAREI_TRY(tarei_const_new(graph, graph->nodes[norm].in[2], "__fused", 1, &a.channels, &bias,
                            &bias_data, err));
  for (int64_t c = 0; c < a.channels; c++) {
    scale_data[c] = multiplies ? a.scale[c] * by[c * step] : a.scale[c];
    bias_data[c] = multiplies ? a.bias[c] * by[c * step] : a.bias[c] + by[c * step];
  }
  tarei_graph_set_in(graph, norm, 1, scale);
  tarei_graph_set_in(graph, norm, 2, bias);
  *fused = true;
  return tarei_absorb(graph, norm, next, err);
}

/* Takes in what follows a norm for as long as it fits. */
static tare_status fuse_instance_norm_affine_at(tarei_graph *const graph, const int norm,
                                                bool *const changed, tare_error *const err) {
  for (bool fused = true; fused;) {
    fused = false;
    const int next = tarei_graph_sole_consumer(graph, graph->nodes[norm].out[0]);
    if (next >= 0 &&
        (graph->nodes[next].op == &tarei_op_mul || graph->nodes[next].op == &tarei_op_add)) {
      TAREI_TRY(fuse_pair(graph, norm, next, &fused, err));
    }
    *changed = *changed || fused;
  }
  return TARE_OK;
}

static tare_status fuse_instance_norm_affine_run(tarei_graph *const graph,
                                                 const tarei_pass_options *const options,
                                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    const tarei_op *const op = graph->nodes[i].op;
    if (op == &tarei_op_instance_normalization || op == &tarei_op_group_norm) {
      TAREI_TRY(fuse_instance_norm_affine_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_instance_norm_affine = {
    .name = "fuse_instance_norm_affine",
    .summary = "folds per-channel Mul and Add into InstanceNormalization and GroupNorm",
    .removes_tensors = true,
    .run = fuse_instance_norm_affine_run,
};
