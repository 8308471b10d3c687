/* Quantize nodes in front of operators that move data. */
#ifndef TAREI_GRAPH_QUANTIZE_QUANTIZE_MOVE_H
#define TAREI_GRAPH_QUANTIZE_QUANTIZE_MOVE_H

#include "graph/op.h"

/* Adds a Quantize of `value` with this annotation, named after the value. */
tare_status tarei_add_quantize(tarei_graph *graph, int value, const tarei_quant *quant, int *out,
                               tare_error *err);

/* `value` quantized by the annotation of `like`: what stands already, or a new Quantize node. */
tare_status tarei_quantize_as(tarei_graph *graph, int value, int like, int *out, tare_error *err);

/* Quantize(Move(x)) becomes Move(Quantize(x)) where nobody else reads the moved floats, for the
 * Quantize node n. Sets *changed; the graph has to be compacted and inferred then. */
tare_status tarei_quantize_hoist(tarei_graph *graph, int n, bool *changed, tare_error *err);

#endif
