/* How large the products of a layer are. */
#ifndef TAREI_GRAPH_QUANTIZE_PRODUCT_SIZE_H
#define TAREI_GRAPH_QUANTIZE_PRODUCT_SIZE_H

#include <tare/profile.h>

#include "graph/op.h"

/* The longest sum of a layer: how many elements of its weights, or of its second factor, one output
 * sums over at most. A dim that only a run tells, which then checks it itself, counts as 1. */
int64_t tarei_product_sum(const tarei_graph *graph, const tare_profiles *profiles,
                          const tarei_node *node, const tarei_int8_form *form);

/* At the largest lengths; what only a run tells is taken to be long. */
typedef struct tarei_product_size {
  int64_t sum;     /* terms of the longest sum; of attention, the keys */
  int64_t outputs; /* of a row of a layer with weights; of a recurrent one, in one direction */
  int64_t rows;    /* that are multiplied at a time; of a recurrent layer, those of a step */
} tarei_product_size;

tarei_product_size tarei_product_size_of(const tarei_graph *graph, const tare_profiles *profiles,
                                         const tarei_node *node, const tarei_int8_form *form);

/* Whether a depthwise layer has few taps over two axes, at least so many channels, and only readers
 * of bytes. */
bool tarei_few_taps_gain(const tarei_graph *graph, const tarei_node *node, int64_t least_channels);

/* Whether a layer is so small that it is faster in float: converting its input and its sums takes
 * more time than the products. */
bool tarei_product_is_small(const tarei_graph *graph, const tare_profiles *profiles,
                            const tarei_node *node, const tarei_int8_form *form);

/* Whether a layer has so few outputs that rows of 16 bits, two products of bytes, take more time
 * than float. */
bool tarei_product_is_narrow(const tarei_graph *graph, const tare_profiles *profiles,
                             const tarei_node *node, const tarei_int8_form *form);

/* Whether a convolution whose weights are a Fourier transform has so few frames that transforms of
 * many at a time take more time than integers. */
bool tarei_spectrum_is_short(const tarei_graph *graph, const tare_profiles *profiles,
                             const tarei_node *node);

#endif
