/* Computes a node with constant inputs, for constant folding in the graph. */
#ifndef TAREI_ENGINE_EVALUATE_H
#define TAREI_ENGINE_EVALUATE_H

#include "base/limits.h"
#include "graph/pass.h"
#include "kernels/kernels.h"

/* How the nodes of a graph are computed: by which kernels, and for how long all of them. */
typedef struct tarei_evaluation {
  const tarei_kernels *kernels;
  tarei_deadline deadline;
} tarei_evaluation;

void tarei_evaluation_start(tarei_evaluation *evaluation, const tarei_kernels *kernels);

/* A tarei_evaluate_fn; `user` is a tarei_evaluation. TARE_E_LIMIT if all nodes together take longer
 * than the limits of the graph allow. */
tare_status tarei_evaluate(void *user, const tarei_graph *graph, const tarei_node *node,
                           tarei_buffer **out, tare_error *err);

#endif
