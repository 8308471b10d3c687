/* Layer normalization written out by exporters becomes one LayerNormalization over the last axis:
 * d = x - mean(x);  d / sqrt(mean(d * d) + epsilon) [* gain] [+ shift]. Where no mean is taken out,
 * x / sqrt(mean(x * x) + epsilon) [* gain], as in T5, it becomes an RMSNormalization. The values
 * between disappear. */
#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

typedef struct layer_norm_match {
  tarei_pattern nodes;
  int x, root;
  int64_t channels;
  float epsilon;
  int gain, shift; /* constants, or -1 */
  const tarei_op *op;
} layer_norm_match;

/* Input of a mean over the last axis that keeps the axis, or -1. */
static int fuse_layer_norm_mean_of(const tarei_graph *const graph, const int value) {
  const tarei_node *const node = tarei_producer_is(graph, value, &tarei_op_reduce_mean);
  if (!node || tarei_attr_int(node, "keepdims", 1) != 1) {
    return -1;
  }
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  int64_t axis = 0;
  int n = 0;
  if (attr && attr->kind == TAREI_ATTR_INTS && attr->n == 1) {
    axis = attr->ints[0];
  } else if (attr || !tarei_value_ints(graph, tarei_node_in(node, 1), &axis, 1, &n) || n != 1) {
    return -1;
  }
  const int rank = graph->values[node->in[0]].rank;
  return axis == -1 || axis == rank - 1 ? node->in[0] : -1;
}

/* What a value is the square of, or -1. */
static int base_of_square(const tarei_graph *const graph, const int value) {
  const tarei_node *const node = tarei_producer(graph, value);
  const bool multiplies = node && node->op == &tarei_op_mul && node->in[0] == node->in[1];
  const bool squares = node && node->op == &tarei_op_pow && tarei_const_near(graph, node->in[1], 2);
  return multiplies || squares ? node->in[0] : -1;
}

/* The same value, or the same difference: older exporters compute it twice. */
static bool is_same_or_equal(const tarei_graph *const graph, const int a, const int b) {
  if (a >= 0 && a == b) {
    return true;
  }
  const tarei_node *const first = tarei_producer_is(graph, a, &tarei_op_sub);
  const tarei_node *const second = tarei_producer_is(graph, b, &tarei_op_sub);
  return first && second && first->in[0] == second->in[0] && first->in[1] == second->in[1];
}

/* From sqrt(mean(d * d) + epsilon) back; notes the nodes. */
static bool read_deviation(const tarei_graph *const graph, const int value, const int d,
                           layer_norm_match *const n) {
  const tarei_node *const root = tarei_producer_is(graph, value, &tarei_op_sqrt);
  const tarei_node *const add = root ? tarei_producer_is(graph, root->in[0], &tarei_op_add) : NULL;
  if (!add) {
    return false;
  }
  const bool first = tarei_const_scalar(graph, add->in[0], &n->epsilon);
  const int variance = add->in[first];
  const int square = fuse_layer_norm_mean_of(graph, variance);
  const int base = base_of_square(graph, square);
  return tarei_const_scalar(graph, add->in[!first], &n->epsilon) &&
         is_same_or_equal(graph, base, d) &&
         (base == d || tarei_pattern_add(graph, &n->nodes, base)) &&
         tarei_pattern_add(graph, &n->nodes, value) &&
         tarei_pattern_add(graph, &n->nodes, root->in[0]) &&
         tarei_pattern_add(graph, &n->nodes, variance) &&
         tarei_pattern_add(graph, &n->nodes, square);
}

static bool fuse_layer_norm_read(const tarei_graph *const graph, const tarei_node *const div,
                                 layer_norm_match *const n) {
  const int d = div->in[0];
  const tarei_node *const sub = tarei_producer_is(graph, d, &tarei_op_sub);
  n->root = div->out[0];
  if (!sub || fuse_layer_norm_mean_of(graph, sub->in[1]) != sub->in[0]) {
    return false;
  }
  n->x = sub->in[0];
  const int rank = graph->values[n->x].rank;
  return tarei_value_is_f32(graph, n->x) && read_deviation(graph, div->in[1], d, n) &&
         tarei_pattern_add(graph, &n->nodes, n->root) && tarei_pattern_add(graph, &n->nodes, d) &&
         tarei_pattern_add(graph, &n->nodes, sub->in[1]) &&
         tarei_value_dim_const(graph, n->x, rank - 1, &n->channels) && n->channels > 0 &&
         tarei_pattern_is_closed(graph, &n->nodes, n->root);
}

/* What a value is the inverse of, or -1. */
static int inverse_of(const tarei_graph *const graph, const int value) {
  const tarei_node *const node = tarei_producer(graph, value);
  if (node && node->op == &tarei_op_reciprocal) {
    return node->in[0];
  }
  const bool divides = node && node->op == &tarei_op_div;
  return divides && tarei_const_near(graph, node->in[0], 1) ? node->in[1] : -1;
}

/* x / deviation, or x times its inverse. */
static bool read_rms(const tarei_graph *const graph, const tarei_node *const node,
                     layer_norm_match *const n) {
  int deviation = node->op == &tarei_op_div ? node->in[1] : -1;
  n->x = node->in[0];
  n->root = node->out[0];
  for (int i = 0; node->op == &tarei_op_mul && deviation < 0 && i < 2; i++) {
    deviation = inverse_of(graph, node->in[i]);
    n->x = node->in[1 - i];
    if (deviation >= 0 && !tarei_pattern_add(graph, &n->nodes, node->in[i])) {
      return false;
    }
  }
  const int rank = graph->values[n->x].rank;
  return deviation >= 0 && rank > 0 && tarei_value_is_f32(graph, n->x) &&
         read_deviation(graph, deviation, n->x, n) &&
         tarei_pattern_add(graph, &n->nodes, n->root) &&
         tarei_value_dim_const(graph, n->x, rank - 1, &n->channels) && n->channels > 0 &&
         tarei_pattern_is_closed(graph, &n->nodes, n->root);
}

/* A Mul or Add with one constant per channel behind the root joins the pattern; the constant. */
static int take_affine(const tarei_graph *const graph, layer_norm_match *const n,
                       const tarei_op *const op) {
  const int next = tarei_graph_sole_consumer(graph, n->root);
  if (next < 0 || graph->nodes[next].op != op) {
    return -1;
  }
  const int other = tarei_other_input(&graph->nodes[next], n->root);
  const int rank = graph->values[n->x].rank;
  int step;
  if (!tarei_const_channels(graph, other, rank, rank - 1, n->channels, &step) ||
      !tarei_pattern_add(graph, &n->nodes, graph->nodes[next].out[0])) {
    return -1;
  }
  n->root = graph->nodes[next].out[0];
  return other;
}

/* One number per channel as a vector; ones when there is no constant. */
static tare_status vector_of(tarei_graph *const graph, const layer_norm_match *const n,
                             const int value, int *const out, tare_error *const err) {
  static const float one = 1;
  const int rank = graph->values[n->x].rank;
  int step = 0;
  const float *const from =
      value < 0 ? &one : tarei_const_channels(graph, value, rank, rank - 1, n->channels, &step);
  float *data;
  TAREI_TRY(tarei_const_new(graph, value < 0 ? n->root : value, "__vector", 1, &n->channels, out,
                            &data, err));
  for (int64_t i = 0; i < n->channels; i++) {
    data[i] = from[i * step];
  }
  return TARE_OK;
}

static tare_status fuse(tarei_graph *const graph, layer_norm_match *const n,
                        tare_error *const err) {
  int in[3] = {n->x};
  const int n_in = n->shift < 0 ? 2 : 3;
  int node;
  TAREI_TRY(vector_of(graph, n, n->gain, &in[1], err));
  if (n->shift >= 0) {
    TAREI_TRY(vector_of(graph, n, n->shift, &in[2], err));
  }
  TAREI_TRY(tarei_pattern_replace(graph, &n->nodes, n->root, n->op,
                                  n->op == &tarei_op_layer_normalization ? 17 : 23, in, n_in, &node,
                                  err));
  if (!tarei_attr_set_int(&graph->nodes[node], "axis", -1) ||
      !tarei_attr_set_float(&graph->nodes[node], "epsilon", n->epsilon)) {
    return tarei_fail_memory(err, "axis", sizeof(tarei_attr));
  }
  return TARE_OK;
}

static bool find_norm(const tarei_graph *const graph, const tarei_node *const node,
                      layer_norm_match *const n) {
  *n = (layer_norm_match){.gain = -1, .shift = -1, .op = &tarei_op_layer_normalization};
  if (node->op == &tarei_op_div && fuse_layer_norm_read(graph, node, n)) {
    return true;
  }
  *n = (layer_norm_match){.gain = -1, .shift = -1, .op = &tarei_op_rms_normalization};
  return (node->op == &tarei_op_div || node->op == &tarei_op_mul) && read_rms(graph, node, n);
}

static tare_status fuse_layer_norm_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  const int n_nodes = graph->n_nodes;
  for (int i = 0; i < n_nodes; i++) {
    layer_norm_match n;
    if (!find_norm(graph, &graph->nodes[i], &n)) {
      continue;
    }
    n.gain = take_affine(graph, &n, &tarei_op_mul);
    n.shift = n.op == &tarei_op_layer_normalization ? take_affine(graph, &n, &tarei_op_add) : -1;
    TAREI_TRY(fuse(graph, &n, err));
    *changed = true;
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_layer_norm = {
    .name = "fuse_layer_norm",
    .summary = "finds layer normalization written as arithmetic",
    .removes_tensors = true,
    .run = fuse_layer_norm_run,
};
