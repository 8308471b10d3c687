/* Turns inputs into constants. */
#ifndef TAREI_GRAPH_FIX_INPUT_H
#define TAREI_GRAPH_FIX_INPUT_H

#include "graph/ir/ir.h"

/* Turns input number `input` into a constant: one value for all elements, or as many as it has. A
 * vector whose length is a symbol is as long as other inputs that have the symbol, if one value is
 * given; else it is as long as the values, and so is what else has the symbol. TARE_E_USAGE if its
 * size is not known so, or if its type cannot hold a value. The graph must be inferred afterwards;
 * indices held elsewhere become invalid. */
tare_status tarei_graph_fix_input(tarei_graph *graph, int input, const double *values, int n_values,
                                  tare_error *err);

#endif
