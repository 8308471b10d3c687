#include "graph/closed.h"

#include <stdlib.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/pass.h"

static tarei_node *closed_node(const tarei_graph *const body) {
  return body && body->n_nodes == 1 && body->nodes[0].op == &tarei_op_closed ? &body->nodes[0]
                                                                             : NULL;
}

static bool closed_fill(tarei_graph *const stand_in, const char *const name, const int n_outputs) {
  int *const outputs = tarei_calloc((size_t)n_outputs, sizeof *outputs);
  bool ok = outputs != NULL;
  for (int o = 0; ok && o < n_outputs; o++) {
    outputs[o] = tarei_graph_add_unique(stand_in, name);
    ok = outputs[o] >= 0 && tarei_graph_mark_output(stand_in, outputs[o]);
  }
  ok = ok && tarei_graph_add_node(stand_in, tarei_op_closed.name, tarei_op_closed.domain, name,
                                  stand_in->opset, NULL, 0, outputs, n_outputs) >= 0;
  free(outputs);
  return ok;
}

tarei_graph *tarei_closed_new(const tarei_graph *const around, const char *const name,
                              const int n_outputs, const tare_error *const why) {
  tarei_graph *const stand_in = tarei_graph_new_body(around, name);
  if (stand_in &&
      (!closed_fill(stand_in, name, n_outputs) || !tarei_closed_explain(stand_in, why))) {
    tarei_graph_free(stand_in);
    return NULL;
  }
  return stand_in;
}

const char *tarei_closed_reason(const tarei_graph *const body, tare_status *const status) {
  const tarei_node *const node = closed_node(body);
  if (node && status) {
    *status = (tare_status)tarei_attr_int(node, TAREI_ATTR_CLOSED_STATUS, TARE_E_UNSUPPORTED);
  }
  return node ? tarei_attr_string(node, TAREI_ATTR_CLOSED_REASON, "") : NULL;
}

bool tarei_closed_explain(tarei_graph *const stand_in, const tare_error *const why) {
  tarei_node *const node = closed_node(stand_in);
  return tarei_attr_set_string(node, TAREI_ATTR_CLOSED_REASON, why->message) &&
         tarei_attr_set_int(node, TAREI_ATTR_CLOSED_STATUS, why->status);
}

bool tarei_closed_give(const tarei_graph *const stand_in, const tarei_graph *const other) {
  const int n = stand_in->n_outputs;
  int64_t *const types = tarei_calloc(2 * (size_t)n, sizeof *types);
  tarei_expr *const dims = tarei_calloc((size_t)n * TARE_MAX_RANK, sizeof *dims);
  int n_dims = 0;
  for (int o = 0; types && dims && o < n; o++) {
    const tarei_value *const v = &other->values[other->outputs[o]];
    types[2 * o] = v->dtype;
    types[2 * o + 1] = v->rank;
    for (int d = 0; d < v->rank; d++) {
      dims[n_dims++] = v->dims[d];
    }
  }
  tarei_node *const node = closed_node(stand_in);
  const bool ok = types && dims &&
                  tarei_attr_set_ints(node, TAREI_ATTR_CLOSED_TYPES, types, 2 * n) &&
                  tarei_attr_set_exprs(node, TAREI_ATTR_DIMS, dims, n_dims);
  free(types);
  free(dims);
  return ok;
}

tare_status tarei_branch_close(const tarei_graph *const around, tarei_attr *const branch,
                               const tare_error *const why, tare_error *const err) {
  tarei_graph *const body = branch->graph;
  tarei_graph *const stand_in = tarei_closed_new(around, body->name, body->n_outputs, why);
  if (!stand_in || !tarei_closed_give(stand_in, body)) {
    tarei_graph_free(stand_in);
    return tarei_fail_memory(err, body->name, sizeof *stand_in);
  }
  tarei_graph_free(body);
  branch->graph = stand_in;
  return tarei_graph_infer(stand_in, err);
}

tarei_graph *tarei_branch_itself(tarei_graph *const body) {
  return body && body->closed ? body->closed : body;
}

static void drop_kept(tarei_graph *const graph, const int node, tarei_graph *const stand_in) {
  const tarei_graph *const kept = stand_in->closed;
  for (int i = 0; kept && i < kept->n_inputs - kept->n_formal; i++) {
    tarei_graph_set_in(graph, node, kept->captures[i], -1);
  }
  tarei_graph_free(stand_in->closed);
  stand_in->closed = NULL;
}

void tarei_graph_drop_closed(tarei_graph *const graph) {
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      drop_kept(graph, n, body);
      tarei_graph_drop_closed(body);
    }
  }
}

static const tarei_graph *find_closed(const tarei_graph *const graph, int *const before) {
  const tarei_graph *found = NULL;
  for (int n = 0; n < graph->n_nodes && !found; n++) {
    const tarei_graph *body;
    for (int i = 0; !found && (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      found = tarei_closed_reason(body, NULL) ? ((*before)-- == 0 ? body : NULL)
                                              : find_closed(body, before);
    }
  }
  return found;
}

const tarei_graph *tarei_graph_closed_branch(const tarei_graph *const graph, int i) {
  return i < 0 ? NULL : find_closed(graph, &i);
}

int tarei_graph_n_closed(const tarei_graph *const graph) {
  int n = 0;
  while (tarei_graph_closed_branch(graph, n)) {
    n++;
  }
  return n;
}
