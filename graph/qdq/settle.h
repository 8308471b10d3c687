/*
 * Inputs that become constants of a model that is written, and the branches that they decide: an If
 * whose condition follows from constants is replaced by the nodes of its branch, which keep the
 * names that they have in tables of the model with the same inputs fixed (tare_model_set_values).
 */
#ifndef TAREI_GRAPH_QDQ_SETTLE_H
#define TAREI_GRAPH_QDQ_SETTLE_H

#include <tare/export.h>

#include "graph/pass.h"
#include "graph/qdq/onnx_file.h"

/* A branch that is taken; `output` is the first that the If writes. */
typedef struct tarei_decision {
  char *output;
  bool then;
} tarei_decision;

typedef struct tarei_settling {
  const tare_export_set *sets;
  int n_sets;
  tarei_decision *decisions; /* an If in a branch comes behind the one that it stands in */
  int n_decisions;
  size_t cap_decisions;
} tarei_settling;

/* Finds what the inputs decide in a model. Even after a failure, tarei_settling_fini frees it.
 * TARE_E_USAGE where the model has no such input or it cannot be set so. */
tare_status tarei_settling_find(const char *path, const tare_export_options *options,
                                const tarei_pass_options *passes, tarei_settling *out,
                                tare_error *err);
void tarei_settling_fini(tarei_settling *settling);

/* The graph of the settled model. */
tare_status tarei_settled_graph(const char *path, const tare_export_options *options,
                                const tarei_settling *settling, tarei_graph **out,
                                tare_error *waits, tare_error *err);

/* Settles the message of a file. */
tare_status tarei_settle_file(tarei_onnx_file *file, const tarei_settling *settling,
                              tare_error *err);

#endif
