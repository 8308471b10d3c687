/* The constant weights of a layer as a matrix: output channels by inputs, in whatever layout the
 * graph has them. */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_VIEW_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_VIEW_H

#include "graph/op.h"

typedef struct tarei_weight_view {
  int value;                 /* float32 constant */
  int64_t n, k;              /* output channels; inputs of each, which it sums over */
  int64_t taps;              /* of a convolution; 1 for other layers */
  int64_t step_n;            /* floats between one output channel and the next, */
  int64_t step_c, step_taps; /* between input channels (of a group), and between taps */
} tarei_weight_view;

/* The weights of a layer, float or int8, that has one constant of them: a convolution, or a product
 * with a constant matrix. False for other nodes. */
bool tarei_weight_view_of(const tarei_graph *graph, const tarei_node *node, tarei_weight_view *out);

/* The weights that a layer multiplies the rows of input 0 by: those above, or W of a recurrent
 * layer, of which each unit of each gate and direction is an output channel. */
bool tarei_row_weights_of(const tarei_graph *graph, const tarei_node *node, tarei_weight_view *out);

/* Where the weight of output channel j for input i is in the constant. Input i is that of ONNX's
 * order in every layout: tap i % taps of input channel i / taps. */
static inline int64_t tarei_weight_view_at(const tarei_weight_view *const v, const int64_t j,
                                           const int64_t i) {
  return j * v->step_n + i / v->taps * v->step_c + i % v->taps * v->step_taps;
}

/* The input that is element `at` of a row that the layer reads: rows have the channels of a tap
 * side by side. */
static inline int64_t tarei_weight_view_input(const tarei_weight_view *const v, const int64_t at) {
  const int64_t channels = v->k / v->taps;
  return at % channels * v->taps + at / channels;
}

/* Scale of an output channel of the weights w. */
float tarei_weight_view_scale(const float *w, const tarei_weight_view *view, int64_t channel);

/* A hash of n, k and the weights in the order of j and i, the same in every layout. */
uint64_t tarei_weight_view_hash(const tarei_graph *graph, const tarei_weight_view *view);

#endif
