/* Activations as bytes whose rows, or equal parts of them, have scales of their own. */
#ifndef TAREI_GRAPH_QUANTIZE_ROW_BYTES_H
#define TAREI_GRAPH_QUANTIZE_ROW_BYTES_H

#include "graph/ir/ir.h"

/* Lets input `input` of node n read its value as bytes with scales, which input
 * TAREI_INT8_ROW_SCALES + input then has. All nodes that read the same parts share a QuantizeRows.
 * groups: equal parts of a row with a scale each; 0: whole rows, whose bytes may count from a bound
 * (graph/quantize/lower_bound.h), or from 0 where the value is never negative. */
tare_status tarei_read_row_bytes(tarei_graph *graph, int n, int input, int64_t groups,
                                 tare_error *err);

/* A QuantizeRows goes where nobody else reads its rows and the reader can quantize them itself;
 * sets *changed then. */
tare_status tarei_return_row_floats(tarei_graph *graph, int quantize, bool *changed,
                                    tare_error *err);

#endif
