/* The inside of an ONNX file from which parts are cut. */
#ifndef TAREI_GRAPH_EXTRACT_EXTRACT_H
#define TAREI_GRAPH_EXTRACT_EXTRACT_H

#include <tare/extract.h>

#include "base/names.h"
#include "graph/qdq/file_types.h"
#include "graph/qdq/onnx_file.h"

typedef struct tarei_extract_node {
  Onnx__NodeProto *proto;
  char *name;        /* owned */
  const char **uses; /* all that it and its bodies read of the graph; texts of the message */
  int n_uses;
  size_t cap_uses;
  const char **read; /* those that nodes write or that are inputs of the model */
  int n_read;
} tarei_extract_node;

struct tare_extract {
  tarei_onnx_file file;
  tarei_file_types types;
  tarei_extract_node *nodes; /* in the order of execution */
  int n_nodes;
  tarei_names makers; /* of tensors: numbers of nodes */
};

/* Fills what a node reads; `variable` has the tensors that nodes write and the inputs of the model.
 * False when out of memory. */
bool tarei_extract_note_reads(tarei_extract_node *node, const tarei_names *variable);

#endif
