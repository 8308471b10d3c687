/* The internals of tare_model. Other floors read its graph, and clone it before they change it. */
#ifndef TAREI_GRAPH_MODEL_H
#define TAREI_GRAPH_MODEL_H

#include <tare/model.h>

#include "base/str.h"
#include "graph/ir/ir.h"

typedef struct tarei_op_count {
  const char *name;
  int count;
} tarei_op_count;

struct tare_model {
  tarei_graph *graph;
  tare_error waits; /* TARE_OK: the graph is inferred. Otherwise the reason why it cannot be
                       inferred before profiles fix symbols (graph/fix_symbols.h) */
  tare_port *inputs, *outputs; /* as many as the graph has */
  tarei_names names;           /* of the values of the graph */
  tarei_op_count *ops;         /* sorted by name */
  int n_ops;
  tarei_str sets; /* inputs that were fixed: "NAME=VALUE,..." */
};

/* Makes a model from a graph, which it owns from then on; after a failure the graph is freed. */
tare_status tarei_model_new(tarei_graph *graph, tare_model **out, tare_error *err);

#endif
