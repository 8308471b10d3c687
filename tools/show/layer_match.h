/* Which layers of two plans compute the same nodes of a model. */
#ifndef TAREI_TOOLS_SHOW_LAYER_MATCH_H
#define TAREI_TOOLS_SHOW_LAYER_MATCH_H

#include <tare/tare.h>

typedef struct layer_pair {
  int a, b; /* layers; -1: the other plan has one for which this one has none */
} layer_pair;

/* Pairs layers of the same name, then those that share a node of the model. Layers of `a` come in
 * their order, then those that only `b` has; the caller frees the array of *n. */
layer_pair *layers_match(const tare_plan *a, const tare_plan *b, int *n);

#endif
