/* What the nodes of a float graph do with their inputs once its layers run in int8. */
#ifndef TAREI_GRAPH_QUANTIZE_QUANTIZE_USES_H
#define TAREI_GRAPH_QUANTIZE_QUANTIZE_USES_H

#include "graph/op.h"

/* An activation (tarei_op) of floats with constant parameters: on bytes it is a table. */
bool tarei_is_activation(const tarei_graph *graph, const tarei_node *node);

/* Whether a node only picks values (tarei_op's `selects`, `selects_when`), bytes as well as floats.
 */
bool tarei_node_selects(const tarei_node *node);

/* The tensor of the model that has the elements of a value: itself, or one that is moved to or from
 * it, e.g. into the layout of a layer; -1: none. */
int tarei_tensor_of(const tarei_graph *graph, int value);

/* Whether a value is made by a node that can write bytes, or moved from such a value. */
bool tarei_can_be_written_as_bytes(const tarei_graph *graph, int value);

/* Whether each channel of a convolution has a kernel of its own. */
bool tarei_is_depthwise(const tarei_graph *graph, const tarei_node *node);

/* False for a constant of float32 with a NaN or an infinite element. */
bool tarei_is_finite(const tarei_graph *graph, int value);

enum {
  TAREI_READ_AS_BYTES = 1, /* by an int8 layer, or moved on the way to one */
  TAREI_KEPT_AS_FLOAT = 2, /* a sum that it goes into is normalized or read by an operator that
                              multiplies rounding errors: a residual of it is not stored as bytes */
};

/* Sets these flags; `uses` holds n_values zeros. Nodes stand in topological order. */
void tarei_graph_mark_uses(const tarei_graph *graph, unsigned char *uses);

#endif
