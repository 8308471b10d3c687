/* Rules that count the multiply-adds of layers. The lowering of each layer with products names one
 * of them (engine/step.h). */
#ifndef TAREI_ENGINE_OPERATIONS_H
#define TAREI_ENGINE_OPERATIONS_H

#include "graph/ir/ir.h"

/* Returns a double because a sum over layers may exceed 2^63; `symbols` are the values of the
 * symbols of the graph. */
typedef double tarei_operations_fn(const tarei_graph *graph, const tarei_node *node,
                                   const int64_t *symbols);

/* Convolutions: each output is a product with the weights of its own channel. */
tarei_operations_fn tarei_operations_by_weights;
/* Products: each output is one with a row of the first input. */
tarei_operations_fn tarei_operations_by_row;
/* Gemm: as above, the first input transposed or not. */
tarei_operations_fn tarei_operations_by_gemm;
/* Attention: each element of Q meets each key, and each value meets each row. */
tarei_operations_fn tarei_operations_by_keys;
/* Recurrent layers: each row of the input meets W, and a state R, in each direction. */
tarei_operations_fn tarei_operations_by_recurrence;

#endif
