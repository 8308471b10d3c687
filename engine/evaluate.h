/* Computes a node with constant inputs, for constant folding in the graph. */
#ifndef TAREI_ENGINE_EVALUATE_H
#define TAREI_ENGINE_EVALUATE_H

#include "graph/pass.h"

/* A tarei_evaluate_fn; `user` is the table of kernels to use. */
tare_status tarei_evaluate(void *user, const tarei_graph *graph, const tarei_node *node,
                           tarei_buffer **out, tare_error *err);

#endif
