/* What the nodes of a float graph do with their inputs once its layers run in int8. */
#ifndef TAREI_GRAPH_QUANTIZE_QUANTIZE_USES_H
#define TAREI_GRAPH_QUANTIZE_QUANTIZE_USES_H

#include "graph/op.h"

/* A layer and its int8 form. */
typedef struct tarei_layer_kind {
  const tarei_op *from, *to;
  int activations; /* that many inputs are quantized at run time */
  int constants;   /* that many behind them are weights */
} tarei_layer_kind;
const tarei_layer_kind *tarei_layer_kind_of(const tarei_op *from); /* NULL: no layer */

/* A function of one element at a time with bounded slope: on bytes it is a table. Clip only with
 * constant bounds. */
bool tarei_is_activation(const tarei_graph *graph, const tarei_node *node);

/* Whether a node only picks values (`selects`), bytes as well as floats: Resize by the nearest alone. */
bool tarei_node_selects(const tarei_node *node);

/* Whether a value is made by a node that can write bytes, or moved from such a value. */
bool tarei_can_be_written_as_bytes(const tarei_graph *graph, int value);

#define TAREI_INT8_RESIDUAL 3 /* input of a layer that is added to its result */

enum {
  TAREI_READ_AS_BYTES = 1, /* by an int8 layer, or moved on the way to one */
  TAREI_KEPT_AS_FLOAT = 2, /* a sum that it goes into is normalized or read by an operator that
                              multiplies rounding errors: a residual of it is not stored as bytes */
};

/* Sets these flags; `uses` holds n_values zeros. Nodes stand in topological order. */
void tarei_graph_mark_uses(const tarei_graph *graph, unsigned char *uses);

#endif
