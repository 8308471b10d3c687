/* Inputs that become constants. */
#ifndef TAREI_GRAPH_FIX_INPUT_H
#define TAREI_GRAPH_FIX_INPUT_H

#include "graph/ir/ir.h"

/* The bytes of one element, at most 8: a number as Cast takes it into a type. */
void tarei_number_bytes(tare_dtype dtype, double value, void *out);

/* Input number `input` becomes a constant, every element of which is `value` in its type. TARE_E_USAGE
 * where its dims are not constant. The graph is to be inferred then. */
tare_status tarei_graph_fix_input(tarei_graph *graph, int input, double value, tare_error *err);

#endif
