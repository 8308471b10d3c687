/* What the weights of a layer do to the noise of its output. */
#ifndef TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_NOISE_H
#define TAREI_GRAPH_QUANTIZE_WEIGHTS_WEIGHT_NOISE_H

#include "graph/ir/ir.h"

/* Sums over the weights of an output channel; their means over all channels. */
typedef struct tarei_weight_sums {
  double squares; /* of the weights: by them the noise of an input grows */
  double noise;   /* expected squares of what int8 rounding changes them by */
} tarei_weight_sums;

/* Zeros for a layer without a constant matrix of weights. */
tarei_weight_sums tarei_weight_sums_of(const tarei_graph *graph, const tarei_node *node);

#endif
