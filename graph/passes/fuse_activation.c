/* An activation behind Linear, ConvLast or InstanceNormLast goes into its epilogue, as attributes
 * activation, activation_a and activation_b; behind a residual with activation_last. The value
 * before the activation disappears. */
#include <float.h>

#include "graph/passes/const_data.h"
#include "graph/passes/epilogue.h"
#include "graph/passes/passes.h"

typedef struct activation {
  const char *name; /* as in kernels: relu, gelu, ... */
  float a, b;
} activation;

/* Fills *out from a node; false when its form does not fit. */
typedef bool fuse_activation_read_fn(const tarei_graph *graph, const tarei_node *node,
                                     activation *out);

static bool read_relu(const tarei_graph *const graph, const tarei_node *const node,
                      activation *const out) {
  (void)graph;
  (void)node;
  *out = (activation){.name = "relu"};
  return true;
}

static bool read_sigmoid(const tarei_graph *const graph, const tarei_node *const node,
                         activation *const out) {
  (void)graph;
  (void)node;
  *out = (activation){.name = "sigmoid"};
  return true;
}

static bool read_tanh(const tarei_graph *const graph, const tarei_node *const node,
                      activation *const out) {
  (void)graph;
  (void)node;
  *out = (activation){.name = "tanh"};
  return true;
}

static bool read_gelu(const tarei_graph *const graph, const tarei_node *const node,
                      activation *const out) {
  (void)graph;
  const bool is_tanh = strcmp(tarei_attr_string(node, "approximate", "none"), "tanh") == 0;
  *out = (activation){.name = is_tanh ? "gelu_tanh" : "gelu"};
  return true;
}

static bool read_leaky_relu(const tarei_graph *const graph, const tarei_node *const node,
                            activation *const out) {
  (void)graph;
  *out = (activation){.name = "leaky_relu", .a = tarei_attr_float(node, "alpha", 0.01f)};
  return true;
}

/* One slope for all channels. */
static bool read_prelu(const tarei_graph *const graph, const tarei_node *const node,
                       activation *const out) {
  *out = (activation){.name = "leaky_relu"};
  return tarei_const_scalar(graph, node->in[1], &out->a);
}

static bool read_swish(const tarei_graph *const graph, const tarei_node *const node,
                       activation *const out) {
  (void)graph;
  *out = (activation){.name = "silu"};
  return tarei_attr_float(node, "alpha", 1) == 1;
}

static bool read_elu(const tarei_graph *const graph, const tarei_node *const node,
                     activation *const out) {
  (void)graph;
  *out = (activation){.name = "elu", .a = tarei_attr_float(node, "alpha", 1)};
  return true;
}

static bool read_hard_sigmoid(const tarei_graph *const graph, const tarei_node *const node,
                              activation *const out) {
  (void)graph;
  *out = (activation){.name = "hard_sigmoid",
                      .a = tarei_attr_float(node, "alpha", 0.2f),
                      .b = tarei_attr_float(node, "beta", 0.5f)};
  return true;
}

static bool read_hard_swish(const tarei_graph *const graph, const tarei_node *const node,
                            activation *const out) {
  (void)graph;
  (void)node;
  *out = (activation){.name = "hard_swish"};
  return true;
}

static bool read_clip(const tarei_graph *const graph, const tarei_node *const node,
                      activation *const out) {
  *out = (activation){.name = "clip", .a = -FLT_MAX, .b = FLT_MAX};
  return tarei_const_clip_bound(graph, node, 1, "min", &out->a) &&
         tarei_const_clip_bound(graph, node, 2, "max", &out->b) && out->a <= out->b;
}

static const struct {
  const tarei_op *op;
  fuse_activation_read_fn *read;
} rows[] = {
    {&tarei_op_clip, read_clip},
    {&tarei_op_elu, read_elu},
    {&tarei_op_gelu, read_gelu},
    {&tarei_op_hard_sigmoid, read_hard_sigmoid},
    {&tarei_op_hard_swish, read_hard_swish},
    {&tarei_op_leaky_relu, read_leaky_relu},
    {&tarei_op_prelu, read_prelu},
    {&tarei_op_relu, read_relu},
    {&tarei_op_sigmoid, read_sigmoid},
    {&tarei_op_swish, read_swish},
    {&tarei_op_tanh, read_tanh},
};

static bool fuse_activation_read(const tarei_graph *const graph, const tarei_node *const node,
                                 activation *const out) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op == node->op) {
      return rows[i].read(graph, node, out);
    }
  }
  return false;
}

/* Sigmoid(value) of value * Sigmoid(value), where both are used for nothing else; or -1. */
static int find_silu(const tarei_graph *const graph, const int value) {
  if (graph->values[value].is_output || tarei_graph_count_uses(graph, value) != 2) {
    return -1;
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    const tarei_node *const sigmoid = &graph->nodes[i];
    if (sigmoid->op != &tarei_op_sigmoid || sigmoid->in[0] != value) {
      continue;
    }
    const int next = tarei_graph_sole_consumer(graph, sigmoid->out[0]);
    const tarei_node *const mul = next < 0 ? NULL : &graph->nodes[next];
    return mul && mul->op == &tarei_op_mul && tarei_other_input(mul, sigmoid->out[0]) == value ? i
                                                                                               : -1;
  }
  return -1;
}

static tare_status set_activation(tarei_node *const node, const activation *const act,
                                  tare_error *const err) {
  const bool has_residual = node->op->adds_residual && tarei_node_in(node, 3) >= 0;
  const bool done = tarei_attr_set_string(node, TAREI_ATTR_ACTIVATION, act->name) &&
                    tarei_attr_set_float(node, TAREI_ATTR_ACTIVATION_A, act->a) &&
                    tarei_attr_set_float(node, TAREI_ATTR_ACTIVATION_B, act->b) &&
                    (!has_residual || tarei_attr_set_int(node, TAREI_ATTR_ACTIVATION_LAST, 1));
  return done ? TARE_OK : tarei_fail_memory(err, "activation", sizeof(tarei_attr));
}

static tare_status fuse_silu(tarei_graph *const graph, const int index, const int sigmoid,
                             tare_error *const err) {
  const int mul = tarei_graph_sole_consumer(graph, graph->nodes[sigmoid].out[0]);
  TAREI_TRY(tarei_join_names(&graph->nodes[index], graph->nodes[sigmoid].name, err));
  tarei_graph_remove_node(graph, sigmoid);
  TAREI_TRY(tarei_absorb(graph, index, mul, err));
  return set_activation(&graph->nodes[index], &(activation){.name = "silu"}, err);
}

static tare_status fuse_activation_at(tarei_graph *const graph, const int index,
                                      bool *const changed, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  if (tarei_has_activation(node) || !tarei_value_is_f32(graph, node->out[0])) {
    return TARE_OK;
  }
  const int sigmoid = find_silu(graph, node->out[0]);
  if (sigmoid >= 0) {
    *changed = true;
    return fuse_silu(graph, index, sigmoid, err);
  }
  const int next = tarei_graph_sole_consumer(graph, node->out[0]);
  activation act;
  if (next < 0 || graph->nodes[next].in[0] != node->out[0] ||
      !fuse_activation_read(graph, &graph->nodes[next], &act)) {
    return TARE_OK;
  }
  *changed = true;
  TAREI_TRY(tarei_absorb(graph, index, next, err));
  return set_activation(&graph->nodes[index], &act, err);
}

static tare_status fuse_activation_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op && graph->nodes[i].op->takes_activation) {
      TAREI_TRY(fuse_activation_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_activation = {
    .name = "fuse_activation",
    .summary = "takes an activation into the epilogue of Linear, ConvLast or InstanceNormLast",
    .removes_tensors = true,
    .run = fuse_activation_run,
};
