/* A BatchNormalization that no Conv takes in is a convolution of single elements, each channel for
 * itself. As such it runs channels-last between other layers, takes in activations and residuals,
 * and reads and writes bytes. The output keeps its name and no tensor disappears. */
#include "graph/passes/norm/batchnorm.h"
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

/* Alone it would gain nothing, and stand between Transposes. */
static bool has_convs(const tarei_graph *const graph) {
  bool found = false;
  for (int i = 0; i < graph->n_nodes && !found; i++) {
    const tarei_op *const op = graph->nodes[i].op;
    found = op == &tarei_op_conv || op == &tarei_op_conv_last;
  }
  return found;
}

/* Is it a convolution, by now perhaps channels-last, that makes the value? */
static bool is_made_by_conv(const tarei_graph *const graph, const int value) {
  const tarei_node *const producer = tarei_producer(graph, value);
  const tarei_node *const before = producer && producer->op == &tarei_op_transpose
                                       ? tarei_producer(graph, producer->in[0])
                                       : producer;
  return before && (before->op == &tarei_op_conv || before->op == &tarei_op_conv_last);
}

/* Several channels over one or two axes. Between reshapes, channels are others than those of the
 * convolutions around. Behind a Conv it goes into that, where tensors may disappear. */
static bool batchnorm_to_conv_serves(const tarei_graph *const graph, const tarei_node *const node,
                                     const bool keep_all_tensors, tarei_batchnorm *const out) {
  if (node->op != &tarei_op_batch_normalization) {
    return false;
  }
  const tarei_value *const x = &graph->values[node->in[0]];
  const tarei_node *const producer = tarei_producer(graph, node->in[0]);
  int64_t channels;
  return tarei_value_is_f32(graph, node->in[0]) && (x->rank == 3 || x->rank == 4) &&
         tarei_expr_is_const(graph->exprs, x->dims[1], &channels) && channels > 1 &&
         !(producer && tarei_is_reshape(graph, producer)) &&
         !(keep_all_tensors && is_made_by_conv(graph, node->in[0])) &&
         tarei_batchnorm_read(graph, node, channels, out);
}

static void fill_conv(const tarei_batchnorm *const n, float *const weight, float *const bias) {
  for (int64_t c = 0; c < n->channels; c++) {
    weight[c] = (float)tarei_batchnorm_gain(n, c);
    bias[c] = tarei_batchnorm_bias(n, c, 0);
  }
}

static tare_status become_conv(tarei_graph *const graph, const int index,
                               const tarei_batchnorm *const n, tare_error *const err) {
  const int like = graph->nodes[index].in[1], rank = graph->values[graph->nodes[index].in[0]].rank;
  const int64_t dims[] = {n->channels, 1, 1, 1};
  int weight, bias;
  float *weight_data, *bias_data; /* the contents stay where they are when more values come */
  TAREI_TRY(tarei_const_new(graph, like, "__gain", rank, dims, &weight, &weight_data, err));
  TAREI_TRY(tarei_const_new(graph, like, "__bias", 1, dims, &bias, &bias_data, err));
  fill_conv(n, weight_data, bias_data);
  tarei_graph_cut_inputs(graph, index, 3);
  tarei_graph_set_in(graph, index, 1, weight);
  tarei_graph_set_in(graph, index, 2, bias);
  tarei_node *const node = &graph->nodes[index];
  while (node->n_attrs > 0) {
    tarei_attr_remove(node, node->attrs[0].name);
  }
  node->op = &tarei_op_conv;
  node->opset = 1;
  return tarei_attr_set_int(node, "group", n->channels) &&
                 tarei_attr_set_int(node, TAREI_ATTR_NORM, 1)
             ? TARE_OK
             : tarei_fail_memory(err, "group", sizeof(tarei_attr));
}

static tare_status batchnorm_to_conv_run(tarei_graph *const graph,
                                         const tarei_pass_options *const options,
                                         bool *const changed, tare_error *const err) {
  if (!has_convs(graph)) {
    return TARE_OK;
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    tarei_batchnorm norm;
    if (batchnorm_to_conv_serves(graph, &graph->nodes[i], options->keep_all_tensors, &norm)) {
      TAREI_TRY(become_conv(graph, i, &norm, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_batchnorm_to_conv = {
    .name = "batchnorm_to_conv",
    .summary = "turns other BatchNormalizations into depthwise convolutions",
    .run = batchnorm_to_conv_run,
};
