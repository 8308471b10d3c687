/* A convolution of single positions over joined channels, of which some are the same at each
 * position (a mean that Expand or Tile spreads, as pooling by attention has it), is the sum of two:
 * one over the other channels, and one over the spread ones before they are spread. The joined
 * value disappears. */
#include <string.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/rewrite.h"

enum { SPREAD_MOST_PARTS = 16 };

/* Some channels of the joined value: the values that have them, and their weights. */
typedef struct spread_part {
  int n, in[SPREAD_MOST_PARTS];
  int64_t channels;
  int weight; /* [outputs][channels] */
} spread_part;

typedef struct spread_split {
  int conv, concat;
  int64_t outputs;
  spread_part parts[2]; /* the others, the spread ones */
  bool is_spread[SPREAD_MOST_PARTS];
  int64_t channels[SPREAD_MOST_PARTS]; /* of each input of the Concat */
} spread_split;

/* What is spread over all axes behind the channels; -1: nothing is. */
static int spread_source(const tarei_graph *const graph, const int value) {
  const tarei_node *const node = tarei_producer(graph, value);
  if (!node || (node->op != &tarei_op_expand && node->op != &tarei_op_tile) ||
      tarei_node_measures(graph, node)) {
    return -1;
  }
  const tarei_value *const from = &graph->values[node->in[0]], *const to = &graph->values[value];
  bool spread =
      from->rank == to->rank && from->dims[0] == to->dims[0] && from->dims[1] == to->dims[1];
  for (int d = 2; spread && d < from->rank; d++) {
    spread = tarei_axis_is_one(graph, node->in[0], d);
  }
  return spread ? node->in[0] : -1;
}

static bool all_ints_are(const tarei_node *const node, const char *const name,
                         const int64_t expected) {
  int n = 0;
  const int64_t *const ints = tarei_attr_ints(node, name, &n);
  bool all = true;
  for (int i = 0; ints && i < n; i++) {
    all = all && ints[i] == expected;
  }
  return all;
}

/* A window of one position, whose constant weights have one axis of channels. */
static bool is_position_conv(const tarei_graph *const graph, const tarei_node *const node) {
  if (node->op != &tarei_op_conv || tarei_attr_int(node, "group", 1) != 1 ||
      !tarei_value_is_const(graph, node->in[1]) || !tarei_value_is_f32(graph, node->in[1]) ||
      tarei_attr_find(node, TAREI_ATTR_WEIGHT_SCALES) || !all_ints_are(node, "pads", 0) ||
      !all_ints_are(node, "strides", 1)) {
    return false;
  }
  const tare_tensor w = tarei_value_tensor(graph, node->in[1]);
  return w.rank > 2 && tare_tensor_count(&w) == w.dims[0] * w.dims[1];
}

static bool joins_channels(const tarei_graph *const graph, const tarei_node *const node) {
  const int64_t axis = tarei_attr_int(node, "axis", INT64_MIN);
  return node->op == &tarei_op_concat && node->n_in <= SPREAD_MOST_PARTS &&
         (axis == 1 || axis == 1 - graph->values[node->out[0]].rank);
}

/* Sorts the inputs of the Concat into the two parts. */
static bool read_spread_parts(const tarei_graph *const graph, spread_split *const s) {
  const tarei_node *const concat = &graph->nodes[s->concat];
  int64_t all = 0;
  for (int i = 0; i < concat->n_in; i++) {
    const int source = spread_source(graph, concat->in[i]);
    spread_part *const part = &s->parts[source >= 0];
    s->is_spread[i] = source >= 0;
    part->in[part->n++] = source >= 0 ? source : concat->in[i];
    if (!tarei_value_dim_const(graph, concat->in[i], 1, &s->channels[i]) || s->channels[i] < 1) {
      return false;
    }
    part->channels += s->channels[i];
    all += s->channels[i];
  }
  const tare_tensor w = tarei_value_tensor(graph, graph->nodes[s->conv].in[1]);
  s->outputs = w.dims[0];
  return s->parts[0].n > 0 && s->parts[1].n > 0 && all == w.dims[1];
}

static bool find_spread(const tarei_graph *const graph, const int conv, spread_split *const s) {
  *s = (spread_split){.conv = conv};
  if (!is_position_conv(graph, &graph->nodes[conv])) {
    return false;
  }
  const int x = graph->nodes[conv].in[0];
  const tarei_node *const concat = tarei_producer(graph, x);
  if (!concat || !joins_channels(graph, concat) || !tarei_value_is_f32(graph, x) ||
      tarei_graph_sole_consumer(graph, x) != conv) {
    return false;
  }
  s->concat = (int)(concat - graph->nodes);
  return read_spread_parts(graph, s);
}

static tare_status divide_weights(tarei_graph *const graph, spread_split *const s,
                                  tare_error *const err) {
  static const char *const suffixes[] = {"__own", "__spread"};
  const int weight = graph->nodes[s->conv].in[1];
  const tare_tensor w = tarei_value_tensor(graph, weight);
  const float *from = w.data;
  float *to[2];
  int64_t dims[TARE_MAX_RANK];
  memcpy(dims, w.dims, (size_t)w.rank * sizeof *dims);
  for (int p = 0; p < 2; p++) {
    dims[1] = s->parts[p].channels;
    TAREI_TRY(tarei_const_new(graph, weight, suffixes[p], w.rank, dims, &s->parts[p].weight, &to[p],
                              err));
  }
  for (int64_t o = 0; o < s->outputs; o++) {
    for (int i = 0; i < graph->nodes[s->concat].n_in; i++) {
      float **const at = &to[s->is_spread[i]];
      memcpy(*at, from, (size_t)s->channels[i] * sizeof *from);
      *at += s->channels[i];
      from += s->channels[i];
    }
  }
  return TARE_OK;
}

/* The channels of a part, joined where several values have them. */
static tare_status join_part(tarei_graph *const graph, const spread_split *const s, const int p,
                             int *const out, tare_error *const err) {
  const spread_part *const part = &s->parts[p];
  int node;
  *out = part->in[0];
  if (part->n == 1) {
    return TARE_OK;
  }
  const tarei_node *const concat = &graph->nodes[s->concat];
  TAREI_TRY(tarei_add_helper(graph, concat->out[0], p == 0 ? "__own" : "__spread", out, err));
  TAREI_TRY(tarei_add_node(graph, &tarei_op_concat, graph->nodes[s->concat].name,
                           graph->nodes[s->concat].opset, part->in, part->n, *out, &node, err));
  return tarei_copy_attrs(graph, node, s->concat, err);
}

/* The convolution keeps the other channels and its bias; what it makes is added to that of the
 * second. The sum keeps the output's name. */
static tare_status split_spread_at(tarei_graph *const graph, spread_split *const s,
                                   tare_error *const err) {
  int x[2], y[2], second, ignored;
  TAREI_TRY(divide_weights(graph, s, err));
  for (int p = 0; p < 2; p++) {
    TAREI_TRY(join_part(graph, s, p, &x[p], err));
    TAREI_TRY(tarei_add_helper(graph, graph->nodes[s->conv].out[0], p == 0 ? "__own" : "__spread",
                               &y[p], err));
  }
  const int out = graph->nodes[s->conv].out[0];
  TAREI_TRY(tarei_add_node(graph, &tarei_op_conv, graph->nodes[s->conv].name,
                           graph->nodes[s->conv].opset, (int[]){x[1], s->parts[1].weight}, 2, y[1],
                           &second, err));
  TAREI_TRY(tarei_copy_attrs(graph, second, s->conv, err));
  tarei_graph_set_in(graph, s->conv, 0, x[0]);
  tarei_graph_set_in(graph, s->conv, 1, s->parts[0].weight);
  graph->nodes[s->conv].out[0] = y[0];
  graph->values[y[0]].producer = s->conv;
  return tarei_add_node(graph, &tarei_op_add, graph->nodes[s->conv].name, 14, y, 2, out, &ignored,
                        err);
}

static tare_status split_spread_run(tarei_graph *const graph,
                                    const tarei_pass_options *const options, bool *const changed,
                                    tare_error *const err) {
  (void)options;
  for (int i = 0, n = graph->n_nodes; i < n; i++) {
    spread_split s;
    if (find_spread(graph, i, &s)) {
      TAREI_TRY(split_spread_at(graph, &s, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_split_spread = {
    .name = "split_spread",
    .summary = "takes channels that are the same at each position out of convolutions",
    .removes_tensors = true,
    .run = split_spread_run,
};
