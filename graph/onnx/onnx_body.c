/* Graphs inside of nodes: the bodies of If, Loop and Scan. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/closed.h"
#include "graph/onnx/importer.h"
#include "graph/op.h"

/* Type and dims of formal inputs follow from what the node is given. */
static tare_status formal_inputs(tarei_importer *const inner, tare_error *const err) {
  const Onnx__GraphProto *const proto = inner->proto;
  for (size_t i = 0; i < proto->n_input; i++) {
    int value = -1;
    TAREI_TRY(tarei_onnx_add_value(inner, tarei_onnx_text(proto->input[i]->name),
                                   "the body's list of inputs", &value, err));
    if (!tarei_graph_mark_input(inner->graph, value)) {
      return tarei_fail_memory(err, "body", sizeof value);
    }
  }
  inner->graph->n_formal = inner->graph->n_inputs;
  return TARE_OK;
}

static tare_status import(tarei_importer *const inner, tare_error *const err) {
  TAREI_TRY(tarei_onnx_names(inner, err));
  TAREI_TRY(tarei_onnx_initializers(inner, err));
  TAREI_TRY(formal_inputs(inner, err));
  TAREI_TRY(tarei_onnx_nodes(inner, err));
  TAREI_TRY(tarei_onnx_outputs(inner, err));
  return tarei_graph_compact(inner->graph, err);
}

static tare_status import_body(tarei_importer *const importer, Onnx__AttributeProto *const proto,
                               const int node, tarei_graph *const body, tare_error *const err) {
  tarei_importer inner = {.graph = body,
                          .proto = proto->g,
                          .externals = importer->externals,
                          .body = importer->body,
                          .around = importer,
                          .node = node,
                          .ours = importer->ours};
  const bool is_branch = importer->graph->nodes[node].op == &tarei_op_if;
  tare_status status =
      is_branch ? tarei_onnx_check_support(proto->g, importer->ours, err) : TARE_OK;
  status = status == TARE_OK ? import(&inner, err) : status;
  tarei_names_fini(&inner.values);
  tarei_names_fini(&inner.nodes);
  return status;
}

/* What is not supported in a branch refuses only runs that take it. */
static tare_status close_body(tarei_graph *const around, const int node, const int n_in,
                              const size_t n_outputs, tarei_graph **const body,
                              const tare_error *const inner, tare_error *const err) {
  tare_error why = {0};
  (void)tarei_fail(&why, inner->status, "%s: %s", (*body)->name, inner->message);
  tarei_graph *const stand_in = tarei_closed_new(around, (*body)->name, (int)n_outputs, &why);
  if (!stand_in) {
    return tarei_fail_memory(err, "body", sizeof *stand_in);
  }
  for (int i = n_in; i < around->nodes[node].n_in; i++) { /* what the branch read so far */
    tarei_graph_set_in(around, node, i, -1);
  }
  tarei_graph_free(*body);
  *body = stand_in;
  return TARE_OK;
}

tare_status tarei_onnx_body(tarei_importer *const importer, Onnx__AttributeProto *const proto,
                            const int node, tarei_graph **const out, tare_error *const err) {
  *out = NULL;
  if (!proto->g) {
    return tarei_fail(err, TARE_E_MODEL, "has no graph");
  }
  tarei_graph *const around = importer->graph;
  tarei_str name = {0};
  tarei_str_add(&name, "%s/%s", around->nodes[node].name, tarei_onnx_text(proto->name));
  tarei_graph *const body = name.failed ? NULL : tarei_graph_new_body(around, tarei_str_get(&name));
  tarei_str_free(&name);
  if (!body) {
    return tarei_fail_memory(err, "body", sizeof *body);
  }
  *out = body; /* the attribute frees it, also after a failure */
  const int n_in = around->nodes[node].n_in;
  tare_error inner = {0};
  const tare_status status = import_body(importer, proto, node, body, &inner);
  if (status == TARE_OK) {
    return TARE_OK;
  }
  const bool closes = status == TARE_E_UNSUPPORTED && around->nodes[node].op == &tarei_op_if &&
                      proto->g->n_output > 0 && proto->g->n_output <= INT_MAX;
  return closes ? close_body(around, node, n_in, proto->g->n_output, out, &inner, err)
                : tarei_fail(err, status, "%s", inner.message);
}
