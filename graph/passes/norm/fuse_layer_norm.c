/* Layer normalization written out by exporters becomes one LayerNormalization over the last axis:
 * d = x - mean(x);  d [* gain] / sqrt(mean(d * d) + epsilon) [* gain] [+ shift]. Where no mean is
 * taken out, x / sqrt(mean(x * x) + epsilon) [* gain], as in T5, it becomes an RMSNormalization.
 * Over all axes but the first, as in Conv-TasNet, it becomes a GlobalNormLast between two
 * transposes. The values between disappear. */
#include <string.h>

#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

typedef struct layer_norm_match {
  tarei_pattern nodes;
  int x, root, axis; /* axis: of the channels */
  int64_t channels;
  float epsilon;
  int gain, shift; /* constants, or -1 */
  const tarei_op *op;
} layer_norm_match;

/* Axes of a mean that keeps them, as bits; none when they are not known. */
static unsigned mean_axes(const tarei_graph *const graph, const tarei_node *const node) {
  const int rank = graph->values[node->in[0]].rank;
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  int64_t axes[TARE_MAX_RANK];
  unsigned bits = 0;
  int n = 0;
  if (attr && attr->kind == TAREI_ATTR_INTS && attr->n <= rank) {
    n = attr->n;
    memcpy(axes, attr->ints, (size_t)n * sizeof *axes);
  } else if (attr || !tarei_value_ints(graph, tarei_node_in(node, 1), axes, rank, &n)) {
    return 0;
  }
  for (int i = 0; i < n; i++) {
    bits |= 1u << (axes[i] < 0 ? axes[i] + rank : axes[i]);
  }
  return tarei_attr_int(node, "keepdims", 1) == 1 ? bits : 0;
}

static bool is_global(const layer_norm_match *const n) {
  return n->op == &tarei_op_global_norm_last;
}

/* Input of the mean over the axes of the norm, perhaps by means of means, or -1; notes the nodes.
 */
static int read_mean(const tarei_graph *const graph, int value, layer_norm_match *const n) {
  const int rank = value < 0 ? 0 : graph->values[value].rank;
  unsigned left = rank == 0 ? 0 : is_global(n) ? (1u << rank) - 2 : 1u << (rank - 1);
  if (left == 0) {
    return -1;
  }
  while (left) {
    const tarei_node *const node = tarei_producer_is(graph, value, &tarei_op_reduce_mean);
    const unsigned axes = node ? mean_axes(graph, node) : 0;
    if (!axes || (axes & ~left) || !tarei_pattern_add(graph, &n->nodes, value)) {
      return -1;
    }
    left &= ~axes;
    value = node->in[0];
  }
  return value;
}

/* What a value is the square root of, or -1. */
static int base_of_root(const tarei_graph *const graph, const int value) {
  const tarei_node *const node = tarei_producer(graph, value);
  const bool powers =
      node && node->op == &tarei_op_pow && tarei_const_near(graph, node->in[1], 0.5f);
  return powers || (node && node->op == &tarei_op_sqrt) ? node->in[0] : -1;
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
  const int sum = base_of_root(graph, value);
  const tarei_node *const add = sum < 0 ? NULL : tarei_producer_is(graph, sum, &tarei_op_add);
  if (!add) {
    return false;
  }
  const bool first = tarei_const_scalar(graph, add->in[0], &n->epsilon);
  const int square = read_mean(graph, add->in[first], n);
  const int base = base_of_square(graph, square);
  return tarei_const_scalar(graph, add->in[!first], &n->epsilon) &&
         is_same_or_equal(graph, base, d) &&
         (base == d || tarei_pattern_add(graph, &n->nodes, base)) &&
         tarei_pattern_add(graph, &n->nodes, value) && tarei_pattern_add(graph, &n->nodes, sum) &&
         tarei_pattern_add(graph, &n->nodes, square);
}

/* Whether the channels of a value can have numbers of their own. */
static bool read_channels(const tarei_graph *const graph, const int value,
                          layer_norm_match *const n) {
  const int rank = graph->values[value].rank;
  n->axis = is_global(n) ? 1 : rank - 1;
  return tarei_value_is_f32(graph, value) && rank > 0 &&
         (!is_global(n) || rank == 3 || rank == 4) &&
         tarei_value_dim_const(graph, value, n->axis, &n->channels) && n->channels > 0;
}

/* What is divided; where that is a product with a constant per channel, this is the gain. */
static int read_difference(const tarei_graph *const graph, const int value,
                           layer_norm_match *const n) {
  const tarei_node *const mul = tarei_producer_is(graph, value, &tarei_op_mul);
  for (int i = 0; mul && i < 2; i++) {
    int step;
    if (tarei_const_channels(graph, mul->in[i], graph->values[value].rank, n->axis, n->channels,
                             &step)) {
      n->gain = mul->in[i];
      return tarei_pattern_add(graph, &n->nodes, value) ? mul->in[1 - i] : -1;
    }
  }
  return value;
}

static bool fuse_layer_norm_read(const tarei_graph *const graph, const tarei_node *const div,
                                 layer_norm_match *const n) {
  n->root = div->out[0];
  const int d = read_channels(graph, n->root, n) ? read_difference(graph, div->in[0], n) : -1;
  const tarei_node *const sub = d < 0 ? NULL : tarei_producer_is(graph, d, &tarei_op_sub);
  n->x = sub ? sub->in[0] : -1;
  return sub && read_mean(graph, sub->in[1], n) == n->x &&
         read_deviation(graph, div->in[1], d, n) && tarei_pattern_add(graph, &n->nodes, n->root) &&
         tarei_pattern_add(graph, &n->nodes, d) && tarei_values_same_shape(graph, n->x, n->root) &&
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
  return deviation >= 0 && read_channels(graph, n->x, n) &&
         read_deviation(graph, deviation, n->x, n) &&
         tarei_pattern_add(graph, &n->nodes, n->root) &&
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
  if (!tarei_const_channels(graph, other, rank, n->axis, n->channels, &step) ||
      !tarei_pattern_add(graph, &n->nodes, graph->nodes[next].out[0])) {
    return -1;
  }
  n->root = graph->nodes[next].out[0];
  return other;
}

/* One number per channel as a vector; `otherwise` when there is no constant. */
static tare_status vector_of(tarei_graph *const graph, const layer_norm_match *const n,
                             const int value, const float otherwise, int *const out,
                             tare_error *const err) {
  const int rank = graph->values[n->x].rank;
  int step = 0;
  const float *const from =
      value < 0 ? &otherwise
                : tarei_const_channels(graph, value, rank, n->axis, n->channels, &step);
  float *data;
  TAREI_TRY(tarei_const_new(graph, value < 0 ? n->root : value, "__vector", 1, &n->channels, out,
                            &data, err));
  for (int64_t i = 0; i < n->channels; i++) {
    data[i] = from[i * step];
  }
  return TARE_OK;
}

/* Between two Transposes, which push_transposes moves away. */
static tare_status fuse_layer_norm_surround(tarei_graph *const graph, const int node,
                                            tare_error *const err) {
  const int x = graph->nodes[node].in[0];
  const tarei_perm to_last = tarei_perm_to_last(graph->values[x].rank);
  const tarei_perm from_last = tarei_perm_inverse(&to_last);
  int last;
  TAREI_TRY(tarei_add_helper(graph, x, "__nxc", &last, err));
  TAREI_TRY(tarei_add_transpose(graph, x, last, &to_last, err));
  tarei_graph_set_in(graph, node, 0, last);
  return tarei_output_before(graph, node, &from_last, err);
}

static tare_status fuse(tarei_graph *const graph, layer_norm_match *const n,
                        tare_error *const err) {
  const int opset = n->op == &tarei_op_layer_normalization ? 17
                    : n->op == &tarei_op_rms_normalization ? 23
                                                           : 1;
  int in[3] = {n->x};
  const int n_in = n->shift < 0 && !is_global(n) ? 2 : 3;
  int node;
  TAREI_TRY(vector_of(graph, n, n->gain, 1, &in[1], err));
  if (n_in > 2) {
    TAREI_TRY(vector_of(graph, n, n->shift, 0, &in[2], err));
  }
  TAREI_TRY(tarei_pattern_replace(graph, &n->nodes, n->root, n->op, opset, in, n_in, &node, err));
  if (!tarei_attr_set_float(&graph->nodes[node], "epsilon", n->epsilon) ||
      (!is_global(n) && !tarei_attr_set_int(&graph->nodes[node], "axis", -1))) {
    return tarei_fail_memory(err, "epsilon", sizeof(tarei_attr));
  }
  return is_global(n) ? fuse_layer_norm_surround(graph, node, err) : TARE_OK;
}

static bool find_norm(const tarei_graph *const graph, const tarei_node *const node,
                      layer_norm_match *const n) {
  static const tarei_op *const centred[] = {&tarei_op_layer_normalization,
                                            &tarei_op_global_norm_last};
  for (int i = 0; node->op == &tarei_op_div && i < 2; i++) {
    *n = (layer_norm_match){.gain = -1, .shift = -1, .op = centred[i]};
    if (fuse_layer_norm_read(graph, node, n)) {
      return true;
    }
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
    n.gain = n.gain < 0 ? take_affine(graph, &n, &tarei_op_mul) : n.gain;
    n.shift = n.op == &tarei_op_rms_normalization ? -1 : take_affine(graph, &n, &tarei_op_add);
    TAREI_TRY(fuse(graph, &n, err));
    *changed = true;
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_layer_norm = {
    .name = "fuse_layer_norm",
    .summary = "finds layer and global normalization written as arithmetic",
    .removes_tensors = true,
    .run = fuse_layer_norm_run,
};
