/* Inputs that become constants. */
#ifndef TAREI_GRAPH_FIX_INPUT_H
#define TAREI_GRAPH_FIX_INPUT_H

#include "graph/ir/ir.h"

/* Input number `input` becomes a constant, every element of which is `value` in its type. TARE_E_USAGE
 * where its dims are not constant or its type does not hold the value. The graph is to be inferred then. */
tare_status tarei_graph_fix_input(tarei_graph *graph, int input, double value, tare_error *err);

#endif
