/*
 * Functions that a model defines: a node that calls one is replaced by the nodes of its body,
 * before the message becomes a graph. Exporters write parts of a network as functions (PyTorch's by
 * TorchDynamo: one for each module or operator).
 *
 * Tensors and nodes of a body are named after the node that calls it. What the body says of
 * attributes of the function is taken from that node, or is the default.
 */
#ifndef TAREI_GRAPH_ONNX_ONNX_FUNCTIONS_H
#define TAREI_GRAPH_ONNX_ONNX_FUNCTIONS_H

#include <tare/limits.h>

#include "onnx.pb-c.h"

/* The model then has no functions. TARE_E_MODEL where a call does not fit its function,
 * TARE_E_UNSUPPORTED where a function is for another opset than the model, TARE_E_LIMIT,
 * TARE_E_MEMORY. */
tare_status tarei_onnx_inline_functions(Onnx__ModelProto *model, const tare_limits *limits,
                                        tare_error *err);

#endif
