/* ONNX messages: files to messages, tensors to views, models to files that have no place. */
#ifndef TAREI_TESTS_CONFORMANCE_PROTO_H
#define TAREI_TESTS_CONFORMANCE_PROTO_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "onnx.pb-c.h"

/* A file's bytes, or NULL; free them. */
void *read_file(const char *path, size_t *size);

/* Reads a model or a tensor; NULL when the file is missing or none. Free with
 * onnx__..._proto__free_unpacked. */
Onnx__ModelProto *read_model(const char *path);
Onnx__TensorProto *read_tensor(const char *path);

/* The elements of a message; free data. False for types that tare has not, or sizes that do not
 * fit: `why` says it. */
bool tensor_from_proto(const Onnx__TensorProto *proto, tare_tensor *out, char *why, size_t size);

/* Writes a model to memory and gives a path that tare_model_load takes; the file is gone when the
 * descriptor is closed. -1 on failure. */
int model_to_memory(const Onnx__ModelProto *model, char *path, size_t size);

/* "float32", "uint8", ..., "float8e5m2", "string", "sequence", ... */
const char *type_name(const Onnx__TypeProto *type);
/* Whether tare has tensors of it. */
bool type_is_known(const Onnx__TypeProto *type);

#endif
