/* What is made and used in a graph, and taking away what is used no more. */
#ifndef TAREI_GRAPH_QDQ_EDIT_USES_H
#define TAREI_GRAPH_QDQ_EDIT_USES_H

#include "base/names.h"
#include "graph/qdq/onnx_file.h"

/* The names that nodes read, those in bodies included, and the outputs of the graph. The texts stay
 * the message's. False when out of memory. */
bool tarei_uses_collect(const Onnx__GraphProto *graph, tarei_names *out);

/* The nodes of the graph by the names of their outputs. The table is ended also after a failure. */
tare_status tarei_uses_name_makers(const Onnx__GraphProto *graph, tarei_names *out,
                                   tare_error *err);

/* Drops nodes and constants that were used `before` and are not any more; what was unused before
 * stays. False when out of memory. */
bool tarei_uses_drop(tarei_onnx_file *file, const tarei_names *before);

#endif
