/* Changes of a message that make constants of inputs, and replace nodes by their branches. */
#ifndef TAREI_GRAPH_QDQ_SETTLE_MESSAGE_H
#define TAREI_GRAPH_QDQ_SETTLE_MESSAGE_H

#include <tare/export.h>

#include "graph/onnx/importer.h"

/* What was taken out of a message; names may still point into it. */
typedef struct tarei_settle_rest {
  ProtobufCMessage **items;
  size_t n, cap;
} tarei_settle_rest;

void tarei_settle_rest_free(tarei_settle_rest *left); /* and all of them */

/* Makes a constant of an input that can be set so (graph/fix_input.h). False when out of memory. */
bool tarei_message_set(Onnx__GraphProto *graph, const tare_export_set *set,
                       tarei_settle_rest *left);

/* Replaces node i, an If, by its branch. `decided` has an output of each If that goes so. False
 * when out of memory. */
bool tarei_message_take_branch(Onnx__GraphProto *graph, size_t i, bool then,
                               const tarei_names *decided, tarei_settle_rest *left);

#endif
