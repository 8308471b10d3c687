/*
 * Element types of the values of a message, by name. Float16 and bfloat16 are float32 in the graph
 * that is imported, so that only the message tells them apart.
 */
#ifndef TAREI_GRAPH_QDQ_FILE_TYPES_H
#define TAREI_GRAPH_QDQ_FILE_TYPES_H

#include "base/names.h"
#include "graph/qdq/onnx_file.h"

typedef struct tarei_file_types {
  tarei_names names; /* of values; the texts are the message's */
  tare_dtype *types;
  int n;
} tarei_file_types;

/* Reads the types of the graph as it is now, in one pass. On failure too it is to be ended. */
tare_status tarei_file_types_init(const tarei_onnx_file *file, tarei_file_types *out,
                                  tare_error *err);
void tarei_file_types_fini(tarei_file_types *types);

/* Type of a value; TARE_DTYPE_NONE where the message does not say. */
tare_dtype tarei_file_type(const tarei_file_types *types, const char *value);

#endif
