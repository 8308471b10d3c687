/*
 * Passes: one file each in graph/passes, one row each in graph/passes/passes.inc, run in order.
 *
 * Shape inference is tarei_graph_infer; it runs after import and after passes that change shapes.
 *
 * Known dims: resolve_shapes takes the shape input of Reshape and Expand away. The output dims then
 * stand in the attribute "dims" (string: expressions as tarei_expr_print writes them, separated by
 * ';'), which inference reads by tarei_dims_from_attr (graph/passes/dims_attr.h). A shape input
 * stays where the dims hold a measured symbol that the data input does not: without it nothing
 * would keep the node that measures.
 *
 * keep_all_tensors leaves out what has removes_tensors set: a tensor of the model would be computed
 * no more. Passes that drop tensors holding the same values as one that stays (identities,
 * transposes, reshapes) run always.
 */
#ifndef TAREI_GRAPH_PASS_H
#define TAREI_GRAPH_PASS_H

#include <tare/model.h>

#include "graph/op.h"

/* Computes the outputs of a node whose inputs are all constant. The engine supplies this, so that
 * folding needs no arithmetic of its own. out[i] receives a new buffer for output i (dtype and
 * dims are those inferred). */
typedef tare_status (*tarei_evaluate_fn)(void *user, const tarei_graph *graph,
                                         const tarei_node *node, tarei_buffer **out,
                                         tare_error *err);

typedef struct tarei_pass_options {
  tarei_evaluate_fn evaluate; /* NULL: nothing is folded by evaluation */
  void *evaluate_user;
  int64_t *room;              /* bytes that folding may still add to the constants; NULL: any */
  bool keep_all_tensors;      /* leave out the fusions that make tensors of the model disappear */
} tarei_pass_options;

typedef struct tarei_pass {
  const char *name;
  const char *summary;
  bool removes_tensors;       /* left out under keep_all_tensors */
  tare_status (*run)(tarei_graph *graph, const tarei_pass_options *options, bool *changed,
                     tare_error *err);
} tarei_pass;

/* Infers all values. TARE_E_MODEL / TARE_E_UNSUPPORTED name every offending node at once. */
tare_status tarei_graph_infer(tarei_graph *graph, tare_error *err);

/* Runs all passes in the order of the rows, infers and compacts in between, until a round changes
 * nothing (at most 8 rounds). */
tare_status tarei_graph_optimize(tarei_graph *graph, const tarei_pass_options *options,
                                 tare_error *err);

/* Reads an ONNX model. TARE_E_INPUT (file), TARE_E_MODEL (malformed), TARE_E_UNSUPPORTED (all
 * unsupported operators by name and node, at once). Shapes are inferred, unless the graph `waits` for
 * symbols to be fixed (graph/fix_symbols.h; NULL: that is refused). */
tare_status tarei_onnx_load(const char *path, const tare_load_options *options, tarei_graph **out,
                            tare_error *waits, tare_error *err);
/* The same from memory, or from a file that is open: `path` is then where external data is looked for,
 * and NULL otherwise. Options may be NULL. */
tare_status tarei_onnx_load_source(tarei_source *source, const char *path,
                                   const tare_load_options *options, tarei_graph **out,
                                   tare_error *waits, tare_error *err);

#endif
