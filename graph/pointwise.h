/* The parameters of functions of one number (graph/pointwise.inc). */
#ifndef TAREI_GRAPH_POINTWISE_H
#define TAREI_GRAPH_POINTWISE_H

#include "graph/ir/ir.h"

/* Those of the function with this ONNX name as the attributes of a node have them, or by default.
 * Bounds of Clip that are inputs are left to the caller. False if it is no function of this kind.
 */
bool tarei_pointwise_parameters(const tarei_node *node, const char *name, float *a, float *b);

/* Whether the node is a Gelu that is computed by tanh. */
bool tarei_gelu_by_tanh(const tarei_node *node);

#endif
