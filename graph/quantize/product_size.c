#include "graph/quantize/product_size.h"

#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"
#include "shapes/profiles.h"

/* Limits, measured with AVX512-VNNI (docs/numerics.md). They are the same on every machine: so is
 * what a plan computes. */
#define COLUMNS 16        /* outputs are computed in vectors of so many */
#define FEW_PRODUCTS 1024 /* multiply-adds of a row, below which it is faster in float */
#define SHORT_SUM 4       /* terms of a sum over activations, up to which it is faster in float */
#define FEW_TAPS 9        /* of a depthwise window over two axes that gains by bytes alone */
#define FEW_OUTPUTS 32    /* of a layer that is slower with rows of 16 bits */
#define FEW_FRAMES 8      /* of a transform of sixteen */
#define MOST_MOVES 4      /* nodes on the way to a layer that are looked through */

/* The largest that a dim gets; false where only a run tells. */
static bool largest_dim(const tarei_graph *const g, const tare_profiles *const profiles,
                        const tarei_expr dim, int64_t *const size) {
  return tarei_expr_is_const(g->exprs, dim, size) ||
         (profiles && tarei_profiles_largest(profiles, g->exprs, dim, size));
}

/* Elements of a factor that one output sums over at most; unknown dims count as `unknown`. */
static int64_t summed_dims(const tarei_graph *const g, const tare_profiles *const profiles,
                           const tarei_value *const v, const tarei_int8_form *const form,
                           const int64_t unknown) {
  const int first = form->sum_first + (form->sum_first < 0 ? v->rank : 0);
  const int last = form->sum_last + (form->sum_last < 0 ? v->rank : 0);
  int64_t length = 1;
  for (int d = first; d >= 0 && d <= last; d++) {
    int64_t size;
    length *= largest_dim(g, profiles, v->dims[d], &size) ? size : unknown;
  }
  return length;
}

/* A recurrent layer has two constants of weights. */
static int64_t longest_sum(const tarei_graph *const g, const tare_profiles *const profiles,
                           const tarei_node *const node, const tarei_int8_form *const form,
                           const int64_t unknown) {
  int64_t longest = 0;
  for (int i = 1; i <= (form->weights ? form->weights : 1); i++) {
    const int64_t length = summed_dims(g, profiles, &g->values[node->in[i]], form, unknown);
    longest = length > longest ? length : longest;
  }
  return longest;
}

int64_t tarei_product_sum(const tarei_graph *const graph, const tare_profiles *const profiles,
                          const tarei_node *const node, const tarei_int8_form *const form) {
  return longest_sum(graph, profiles, node, form, 1);
}

/* A recurrent layer has them for each direction. */
static int64_t row_outputs(const tarei_graph *const g, const tarei_node *const node,
                           const tarei_int8_form *const form, const int64_t sum) {
  const tarei_value *const w = &g->values[node->in[1]];
  int64_t elements = 1, size;
  for (int d = form->weights > 1; d < w->rank; d++) {
    elements *= tarei_expr_is_const(g->exprs, w->dims[d], &size) ? size : 1;
  }
  return elements / (sum > 0 ? sum : 1);
}

/* Positions and samples, and of a recurrent layer the samples of a step. */
static int64_t product_rows(const tarei_graph *const g, const tare_profiles *const profiles,
                            const tarei_node *const node, const tarei_int8_form *const form) {
  const bool steps = form->weights > 1;
  const tarei_value *const v = &g->values[steps ? node->in[0] : node->out[0]];
  const int first = steps && tarei_attr_int(node, "layout", 0) == 0;
  const int end = steps ? first + 1 : v->rank - 1;
  int64_t rows = 1;
  for (int d = first; d < end; d++) {
    int64_t size;
    const bool known = largest_dim(g, profiles, v->dims[d], &size) && size > 0;
    rows = known && rows < INT64_MAX / size ? rows * size : INT64_MAX;
  }
  return rows;
}

/* A product whose rows want scales of their own quantizes floats. */
static bool layer_reads_bytes(const tarei_graph *const g, const tarei_use use) {
  const tarei_node *const node = &g->nodes[use.node];
  const tarei_int8_form *const form = node->op->int8;
  const tarei_quant *const quant = &g->values[node->in[use.input]].quant;
  const bool rows = form->windows ? tarei_quant_wants_windows(quant) || quant->over_budget
                                  : quant->granularity == TAREI_PER_ROW;
  return use.input == TAREI_INT8_RESIDUAL ||
         (use.input < form->activations && (!rows || tarei_is_depthwise(g, node)));
}

/* Do only layers read it, as bytes, or nodes that move bytes to them? */
static bool is_read_as_bytes(const tarei_graph *const g, const int value, const int moves) {
  const tarei_value *const v = &g->values[value];
  bool all = !v->is_output && v->first_use.node >= 0;
  for (tarei_use u = v->first_use; all && u.node >= 0; u = tarei_graph_next_use(g, u)) {
    const tarei_node *const node = &g->nodes[u.node];
    all = node->op->int8 ? layer_reads_bytes(g, u)
                         : tarei_node_selects(node) && moves < MOST_MOVES &&
                               is_read_as_bytes(g, node->out[0], moves + 1);
  }
  return all;
}

/* Channels of a depthwise layer with few taps over two axes; 0: another one. */
static int64_t few_taps_channels(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_value *const w = &g->values[node->in[1]];
  int64_t channels, height, width;
  const bool few = w->rank == 4 && tarei_expr_is_const(g->exprs, w->dims[0], &channels) &&
                   tarei_expr_is_const(g->exprs, w->dims[1], &height) &&
                   tarei_expr_is_const(g->exprs, w->dims[2], &width) && height <= FEW_TAPS &&
                   width <= FEW_TAPS && height * width <= FEW_TAPS;
  return few ? channels : 0;
}

/* A depthwise window over two axes does little with a byte, and needs all lanes of a vector. */
static bool is_small_depthwise(const tarei_graph *const g, const tarei_node *const node) {
  const int64_t channels = few_taps_channels(g, node);
  return channels > 0 && (channels <= COLUMNS || !is_read_as_bytes(g, node->out[0], 0));
}

bool tarei_few_taps_gain(const tarei_graph *const graph, const tarei_node *const node,
                         const int64_t least_channels) {
  return few_taps_channels(graph, node) >= least_channels &&
         is_read_as_bytes(graph, node->out[0], 0);
}

tarei_product_size tarei_product_size_of(const tarei_graph *const graph,
                                         const tare_profiles *const profiles,
                                         const tarei_node *const node,
                                         const tarei_int8_form *const form) {
  const int64_t sum = longest_sum(graph, profiles, node, form, TAREI_INT8_LONGEST_SUM);
  return (tarei_product_size){
      .sum = sum,
      .outputs = form->activations > 1 ? 0 : row_outputs(graph, node, form, sum),
      .rows = product_rows(graph, profiles, node, form)};
}

bool tarei_product_is_small(const tarei_graph *const graph, const tare_profiles *const profiles,
                            const tarei_node *const node, const tarei_int8_form *const form) {
  const int64_t sum = longest_sum(graph, profiles, node, form, TAREI_INT8_LONGEST_SUM);
  if (form->activations > 1) {
    return sum <= SHORT_SUM;
  }
  if (tarei_is_depthwise(graph, node)) {
    return is_small_depthwise(graph, node);
  }
  const int64_t outputs = row_outputs(graph, node, form, sum);
  return (outputs + COLUMNS - 1) / COLUMNS * COLUMNS * sum < FEW_PRODUCTS;
}

bool tarei_product_is_narrow(const tarei_graph *const graph, const tare_profiles *const profiles,
                             const tarei_node *const node, const tarei_int8_form *const form) {
  const int64_t sum = longest_sum(graph, profiles, node, form, 1);
  return form->activations == 1 && form->weights == 1 &&
         row_outputs(graph, node, form, sum) <= FEW_OUTPUTS;
}

bool tarei_spectrum_is_short(const tarei_graph *const graph, const tare_profiles *const profiles,
                             const tarei_node *const node) {
  int64_t frames;
  return largest_dim(graph, profiles, graph->values[node->out[0]].dims[1], &frames) &&
         frames < FEW_FRAMES;
}
