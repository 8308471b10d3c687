/* Turns inputs into constants. */
#ifndef TAREI_GRAPH_FIX_INPUT_H
#define TAREI_GRAPH_FIX_INPUT_H

#include "graph/ir/ir.h"

/* Turns input number `input` into a constant with the value `value` in every element. TARE_E_USAGE
 * if its dims are not constant, or if its type cannot hold the value. The graph must be inferred
 * afterwards. */
tare_status tarei_graph_fix_input(tarei_graph *graph, int input, double value, tare_error *err);

#endif
