/*
 * Which values follow the level of what a model hears.
 *
 * A table has the amax of the recordings that it was made from, and others may be louder. A value
 * follows the level if it grows with a float input of the model: no sigmoid, softmax, normalization
 * or recurrent layer lies between. That is worth more than one scale only where the level varies:
 * a layer at the beginning reads a waveform, or many rows of an input are quiet, as those of a
 * spectrum are.
 *
 * A logarithm makes a quiet element count as much as a loud one of the same row, which neither one
 * scale nor row scales do, and a root of at least half the power nearly so. Layers before it stay
 * float if nothing has a bias on the way from the input of the model: such are a Fourier transform
 * by convolution, and filter banks.
 */
#ifndef TAREI_GRAPH_QUANTIZE_LEVELS_H
#define TAREI_GRAPH_QUANTIZE_LEVELS_H

#include "graph/ir/ir.h"

/* Sets `follows_level` and `logged` in the annotations of the graph and of its bodies, which have
 * the losses of a table. */
tare_status tarei_graph_mark_levels(tarei_graph *graph, tare_error *err);

/* Whether a convolution reads a single channel, of which a row is a single value and shows
 * nothing. */
bool tarei_reads_single_channel(const tarei_graph *graph, const tarei_node *node);

#endif
