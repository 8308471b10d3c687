/*
 * The names that nodes have for the random numbers they draw: hashes of the first output and the
 * attribute "seed" in the file. Passes may rename values, move branches to where an If stood, and
 * expand operators: a node keeps its name as an attribute, in plan files too, so that the plans of
 * a model in any precision draw the same (docs/numerics.md).
 */
#ifndef TAREI_GRAPH_NOISE_NAME_H
#define TAREI_GRAPH_NOISE_NAME_H

#include "graph/op.h"

/* Notes the name of an imported node, if it may draw. False if memory runs out. */
bool tarei_noise_name_set(tarei_node *node, const char *output);
/* That of a node which draws, or that draws for another operator. */
int64_t tarei_noise_name_of(const tarei_graph *graph, const tarei_node *node);

/* Nodes of a graph and its bodies that draw. */
int tarei_graph_count_draws(const tarei_graph *graph);

#endif
