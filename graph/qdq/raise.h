/* Raising a model to a later version of the default operator set. */
#ifndef TAREI_GRAPH_QDQ_RAISE_H
#define TAREI_GRAPH_QDQ_RAISE_H

#include "graph/ir/ir.h"
#include "graph/qdq/onnx_file.h"

/* The latest version that models are raised to. */
#define TAREI_RAISE_MOST 21

/* Gives nodes the form that they have in `version`, and the model that version; does nothing where
 * it has it. `graph` is what was imported, for the ranks of its values. TARE_E_UNSUPPORTED names a
 * node that has no such form. */
tare_status tarei_onnx_raise(tarei_onnx_file *file, const tarei_graph *graph, int64_t version,
                             tare_error *err);

#endif
