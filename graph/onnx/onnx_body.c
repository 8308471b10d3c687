/* Graphs inside of nodes: the bodies of If, Loop and Scan. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

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

tare_status tarei_onnx_body(tarei_importer *const importer, Onnx__AttributeProto *const proto,
                            const int node, tarei_graph **const out, tare_error *const err) {
  *out = NULL;
  if (!proto->g) {
    return tarei_fail(err, TARE_E_MODEL, "has no graph");
  }
  tarei_str name = {0};
  tarei_str_add(&name, "%s/%s", importer->graph->nodes[node].name, tarei_onnx_text(proto->name));
  tarei_graph *const body =
      name.failed ? NULL : tarei_graph_new_body(importer->graph, tarei_str_get(&name));
  tarei_str_free(&name);
  if (!body) {
    return tarei_fail_memory(err, "body", sizeof *body);
  }
  *out = body; /* the attribute frees it, also after a failure */
  tarei_importer inner = {.graph = body,
                          .proto = proto->g,
                          .externals = importer->externals,
                          .body = importer->body,
                          .around = importer,
                          .node = node};
  const tare_status status = import(&inner, err);
  tarei_names_fini(&inner.values);
  tarei_names_fini(&inner.nodes);
  return status;
}
