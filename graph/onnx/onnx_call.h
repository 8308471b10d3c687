/* A call of a function of a model: copies of the function's nodes, with the tensors and attributes
 * that the calling node gives. */
#ifndef TAREI_GRAPH_ONNX_ONNX_CALL_H
#define TAREI_GRAPH_ONNX_ONNX_CALL_H

#include <stdbool.h>

#include "base/names.h"
#include "onnx.pb-c.h"

/* Names of the tensors and of the nodes of a model; none is given twice. */
typedef struct tarei_onnx_calls {
  tarei_names tensors, nodes;
  char **texts; /* names that were made, owned */
  size_t n_texts, cap_texts;
} tarei_onnx_calls;

/* False: out of memory; to be ended also then. The graph's names must outlive the calls. */
bool tarei_onnx_calls_begin(tarei_onnx_calls *calls, const Onnx__GraphProto *graph);
void tarei_onnx_calls_end(tarei_onnx_calls *calls);

typedef struct tarei_onnx_call {
  tarei_onnx_calls *calls;
  const Onnx__NodeProto *node; /* that calls */
  const Onnx__FunctionProto *function;
  tarei_names inner;  /* names in the function; index: in outer */
  const char **outer; /* names in the model */
  size_t n_outer, cap_outer;
} tarei_onnx_call;

/* False: out of memory; to be ended also then. The node has no more inputs and outputs than the
 * function. */
bool tarei_onnx_call_begin(tarei_onnx_calls *calls, const Onnx__NodeProto *node,
                           const Onnx__FunctionProto *function, tarei_onnx_call *call);
void tarei_onnx_call_end(tarei_onnx_call *call);

/* A copy of node i of the function, for the graph that calls; NULL: out of memory. */
Onnx__NodeProto *tarei_onnx_call_node(tarei_onnx_call *call, size_t i);
/* *out: a node that gives output i, if the function hands an input through; otherwise NULL. False:
 * out of memory. */
bool tarei_onnx_call_hand_through(tarei_onnx_call *call, size_t i, Onnx__NodeProto **out);

#endif
