/* ONNX messages made from nothing. Everything is owned by the message that it is added to; out of
 * memory ends the program. */
#ifndef TAREI_TESTS_RANDOM_MESSAGES_H
#define TAREI_TESTS_RANDOM_MESSAGES_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "onnx.pb-c.h"

/* `p`, or the end of the program where it is NULL. */
void *need(void *p);

/* A tensor of its own memory, elements not set; a copy of one; release it with free(t.data). */
tare_tensor tensor_new(tare_dtype dtype, int rank, const int64_t *dims);
tare_tensor tensor_copy(const tare_tensor *from);
size_t tensor_bytes(const tare_tensor *t);
bool same_dims(const tare_tensor *a, const tare_tensor *b);

Onnx__NodeProto *node_message(const char *op);
void node_add_input(Onnx__NodeProto *node, const char *name); /* "": absent */
void node_add_output(Onnx__NodeProto *node, const char *name);
void node_set_int(Onnx__NodeProto *node, const char *name, int64_t value);
void node_set_float(Onnx__NodeProto *node, const char *name, float value);
void node_set_text(Onnx__NodeProto *node, const char *name, const char *value);
void node_set_ints(Onnx__NodeProto *node, const char *name, const int64_t *values, int n);
void node_set_floats(Onnx__NodeProto *node, const char *name, const float *values, int n);
void node_set_graph(Onnx__NodeProto *node, const char *name, Onnx__GraphProto *value);
const Onnx__AttributeProto *node_attribute(const Onnx__NodeProto *node, const char *name);

Onnx__GraphProto *graph_message(const char *name);
void graph_add_node(Onnx__GraphProto *graph, Onnx__NodeProto *node);
void graph_add_constant(Onnx__GraphProto *graph, const char *name, const tare_tensor *value);
/* `symbols` may be NULL; where it has a name the dim is one. rank -1: the shape is left out. */
void graph_add_input(Onnx__GraphProto *graph, const char *name, tare_dtype dtype, int rank,
                     const int64_t *dims, const char *const *symbols);
void graph_set_scalar(
    Onnx__ValueInfoProto *input); /* gives an input without shape that of a scalar */
void graph_add_output(Onnx__GraphProto *graph, const char *name, tare_dtype dtype);
/* Leaves out nodes and constants that no output needs. */
void graph_prune(Onnx__GraphProto *graph);

Onnx__ModelProto *model_message(Onnx__GraphProto *graph, int opset);
Onnx__ModelProto *model_clone(const Onnx__ModelProto *model);

#endif
