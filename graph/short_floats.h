/*
 * Nodes that a model computes in float16 or bfloat16.
 *
 * The graph computes them in float32 (graph/onnx/onnx_half.c), or in what a plan quantizes them to.
 * Their names are taken before passes fuse nodes, and noted afterwards on the nodes that compute
 * them, so that plans can tell.
 */
#ifndef TAREI_GRAPH_SHORT_FLOATS_H
#define TAREI_GRAPH_SHORT_FLOATS_H

#include "graph/ir/ir.h"

typedef struct tarei_short_floats {
  struct tarei_short_float {
    char *name;
    tare_dtype type;
  } * nodes;
  int n;
  size_t capacity;
  tarei_names names; /* of the nodes */
} tarei_short_floats;

/* The nodes of an inferred graph and its bodies. Marks the values that they pass on. TARE_E_MEMORY;
 * ended also after a failure. */
tare_status tarei_short_floats_find(tarei_graph *graph, tarei_short_floats *out, tare_error *err);
void tarei_short_floats_fini(tarei_short_floats *found);

/* Sets TAREI_ATTR_MODEL_TYPES of each node that is one of them, or was fused from one. */
tare_status tarei_short_floats_note(const tarei_short_floats *found, tarei_graph *graph,
                                    tare_error *err);

/* The type in which the model computes part i of a node "a + b"; TARE_DTYPE_NONE: as it is. */
tare_dtype tarei_short_float_of(const tarei_node *node, int i);

#endif
