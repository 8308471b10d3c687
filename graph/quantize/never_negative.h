/*
 * Which values are never below zero, whatever the inputs of a model are.
 *
 * Half of the bytes around 128 would stand for nothing in such a value. The `min` of a table says
 * so for the recordings that it was made from; here it follows from operators and constants alone,
 * so that rows that become bytes at run time can count from 0 on. A Winograd convolution may round
 * a sum of such values to slightly less than zero; that becomes the byte 0.
 */
#ifndef TAREI_GRAPH_QUANTIZE_NEVER_NEGATIVE_H
#define TAREI_GRAPH_QUANTIZE_NEVER_NEGATIVE_H

#include "graph/ir/ir.h"

/* Sets `never_negative` of the values that the nodes of a graph, which stand in topological order,
 * and of its bodies make. */
void tarei_graph_mark_never_negative(tarei_graph *graph);

/* Whether a value is: also a constant, or one of an unsigned type. */
bool tarei_is_never_negative(const tarei_graph *graph, int value);

/* What rows of such values are predicted to lose: they have twice as many steps. Annotations are
 * those of a table, marks are set. */
void tarei_graph_expect_unsigned_rows(tarei_graph *graph);

#endif
