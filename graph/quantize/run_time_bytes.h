/* Activations that a model quantizes at run time: bytes with one scale for the tensor, which is
 * known with them. */
#ifndef TAREI_GRAPH_QUANTIZE_RUN_TIME_BYTES_H
#define TAREI_GRAPH_QUANTIZE_RUN_TIME_BYTES_H

#include "graph/ir/ir.h"

/* Whether a node is a DequantizeLinear of u8 whose scale and zero point are single numbers, not
 * both constant. */
bool tarei_restores_at_run_time(const tarei_graph *graph, const tarei_node *node);

/* Whether a layer with one activation reads what such a node made, past what only moves it, and has
 * an int8 form that takes the bytes. */
bool tarei_takes_run_time_bytes(const tarei_graph *graph, const tarei_node *layer);

/* The tensor of the model that such a layer reads the bytes of. */
int tarei_run_time_tensor(const tarei_graph *graph, const tarei_node *layer);

/* Lets such a layer, node n, read the bytes instead, with their scale and zero point as inputs. */
tare_status tarei_take_run_time_bytes(tarei_graph *graph, int n, tare_error *err);

#endif
