/*
 * Rows of bytes that count from a lower bound.
 *
 * What Gelu and Silu make is hardly below zero: around 128, nearly half of the bytes of its rows
 * would stand for nothing. The layer that makes such rows writes byte * scale + bound instead,
 * where only layers that take rows of bytes read them.
 */
#ifndef TAREI_GRAPH_QUANTIZE_LOWER_BOUND_H
#define TAREI_GRAPH_QUANTIZE_LOWER_BOUND_H

#include "graph/ir/ir.h"

/* The bound below zero of what a linear layer makes of any input, by its activation; 0 without one.
 */
float tarei_layer_bound(const tarei_node *layer);

/* The bound from which rows of bytes count; 0: they are around 128. */
float tarei_rows_bound(const tarei_graph *graph, int rows);

/* Whether the rows of a float value are predicted to have finer steps from the bound of the layer
 * that makes it; if so, what that loses, as the losses of the value. */
bool tarei_rows_have_bound(const tarei_graph *graph, int value, double *loss);

#endif
