/*
 * Passes rewrite the graph. Each has one file in graph/passes and one row in
 * graph/passes/passes.inc; they run in the order of the rows.
 *
 * Shape inference is tarei_graph_infer; it runs after import and after passes that change shapes.
 *
 * Known dims: resolve_shapes removes the shape input of Reshape and Expand. The output dims are
 * then in the attribute "dims" (expressions), which inference reads with tarei_dims_from_attr
 * (graph/passes/dims_attr.h). A shape input is kept if the dims contain a measured symbol that the
 * data input does not have: otherwise nothing would keep the node that measures it.
 *
 * keep_all_tensors skips passes with removes_tensors set, after which a tensor of the model would
 * no longer be computed. Passes that only remove tensors with the same values as one that remains
 * (identities, transposes, reshapes) always run.
 */
#ifndef TAREI_GRAPH_PASS_H
#define TAREI_GRAPH_PASS_H

#include <tare/model.h>

#include "graph/op.h"
#include "graph/pass_log.h"

/* Computes the outputs of a node whose inputs are all constant. The engine supplies this function,
 * so that folding needs no arithmetic of its own. out[i] receives a new buffer for output i, with
 * the inferred dtype and dims. */
typedef tare_status (*tarei_evaluate_fn)(void *user, const tarei_graph *graph,
                                         const tarei_node *node, tarei_buffer **out,
                                         tare_error *err);

typedef struct tarei_pass_options {
  tarei_evaluate_fn evaluate; /* NULL: nothing is folded by evaluation */
  void *evaluate_user;
  int64_t *room;         /* bytes that folding may still add to the constants; NULL: any */
  bool keep_all_tensors; /* skip the fusions that remove tensors of the model, */
  bool fold_norms;       /* but fold_batchnorm, as exports fold */
  tarei_pass_log *log;   /* what the passes do is entered here; NULL: nowhere */
} tarei_pass_options;

typedef struct tarei_pass {
  const char *name;
  const char *summary;
  bool removes_tensors; /* skipped with keep_all_tensors */
  /* NULL for those of graph/quantize/, which have options of their own. */
  tare_status (*run)(tarei_graph *graph, const tarei_pass_options *options, bool *changed,
                     tare_error *err);
} tarei_pass;

/* Infers types and dims of all values. TARE_E_MODEL and TARE_E_UNSUPPORTED name all nodes in
 * question. */
tare_status tarei_graph_infer(tarei_graph *graph, tare_error *err);

/* The same, and where windows slide over inputs, what follows from the lengths that they need. */
tare_status tarei_graph_infer_settled(tarei_graph *graph, tare_error *err);
/* Whether all nodes have the inputs and outputs that their operators need, whatever the dims. */
bool tarei_graph_has_operands(const tarei_graph *graph);

/* Runs all passes in the order of the rows, with inference and compaction in between, until a round
 * changes nothing, at most 8 rounds. */
tare_status tarei_graph_optimize(tarei_graph *graph, const tarei_pass_options *options,
                                 tare_error *err);

/* The summary of a pass, static; "" for unknown names. */
const char *tarei_pass_summary(const char *name);

/* Reads an ONNX model. TARE_E_INPUT (file), TARE_E_MODEL (malformed), TARE_E_UNSUPPORTED (all
 * unsupported operators, by name and node). Shapes are inferred, unless the graph `waits` for
 * symbols to be fixed (graph/fix_symbols.h); if `waits` is NULL, that is an error. */
tare_status tarei_onnx_load(const char *path, const tare_load_options *options, tarei_graph **out,
                            tare_error *waits, tare_error *err);
/* The same from memory, or from an open file: `path` then tells where external data is; otherwise
 * it is NULL. Options may be NULL. */
tare_status tarei_onnx_load_source(tarei_source *source, const char *path,
                                   const tare_load_options *options, tarei_graph **out,
                                   tare_error *waits, tare_error *err);

#endif
