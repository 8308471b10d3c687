#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"

static tarei_graph *clone_body(const tarei_graph *body);

static bool clone_declared(tarei_value *const to, char *const *const names) {
  to->declared = names ? tarei_calloc(TARE_MAX_RANK, sizeof *to->declared) : NULL;
  bool good = !names == !to->declared;
  for (int d = 0; names && good && d < TARE_MAX_RANK; d++) {
    to->declared[d] = tarei_strdup(names[d]);
    good = !names[d] == !to->declared[d];
  }
  return good;
}

/* The copy owns nothing of `from` even when it fails half-way. */
static bool clone_value(tarei_value *const to, const tarei_value *const from) {
  *to = *from;
  const size_t n_contents = (size_t)from->n_contents, n_scales = (size_t)from->quant.n_scales;
  to->name = tarei_strdup(from->name);
  to->data = tarei_buffer_retain(from->data);
  to->contents =
      from->contents ? tarei_memdup(from->contents, n_contents * sizeof *to->contents) : NULL;
  to->quant.scales = from->quant.scales
                         ? tarei_memdup(from->quant.scales, n_scales * sizeof *to->quant.scales)
                         : NULL;
  const bool declared = clone_declared(to, from->declared);
  return declared && to->name && !from->contents == !to->contents &&
         !from->quant.scales == !to->quant.scales;
}

bool tarei_attr_copy(tarei_node *const to, const tarei_attr *const from) {
  tarei_attr copy;
  if (!tarei_attr_copy_plain(from, &copy)) {
    return false;
  }
  copy.graph = from->graph ? clone_body(from->graph) : NULL;
  if (from->graph && !copy.graph) {
    tarei_attr_fini(&copy);
    return false;
  }
  return tarei_attr_put(to, &copy);
}

static bool clone_node(tarei_node *const to, const tarei_node *const from) {
  *to = (tarei_node){.op = from->op,
                     .number = from->number,
                     .opset = from->opset,
                     .passes = from->passes,
                     .n_in = from->n_in,
                     .n_out = from->n_out};
  to->name = tarei_strdup(from->name);
  to->in = tarei_memdup(from->in, (size_t)from->n_in * sizeof *to->in);
  to->out = tarei_memdup(from->out, (size_t)from->n_out * sizeof *to->out);
  to->links = tarei_memdup(from->links, (size_t)from->n_in * sizeof *to->links);
  for (int i = 0; i < from->n_attrs; i++) {
    if (!tarei_attr_copy(to, &from->attrs[i])) {
      return false;
    }
  }
  return to->name && to->in && to->out && to->links &&
         tarei_record_copy(&to->record, &from->record);
}

/* Bodies share the expressions of the graph around them. */
static void share_exprs(const tarei_graph *const graph) {
  for (int n = 0; n < graph->n_nodes; n++) {
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(&graph->nodes[n], i)) != NULL; i++) {
      body->exprs = graph->exprs;
      share_exprs(body);
      if (body->closed) {
        body->closed->exprs = graph->exprs;
        share_exprs(body->closed);
      }
    }
  }
}

static bool clone_captures(tarei_graph *const to, const tarei_graph *const from) {
  const size_t n = (size_t)(from->n_inputs - from->n_formal);
  to->n_formal = from->n_formal;
  to->captures = from->captures ? tarei_memdup(from->captures, n * sizeof *to->captures) : NULL;
  to->closed = from->closed ? clone_body(from->closed) : NULL;
  return !from->captures == !to->captures && !from->closed == !to->closed;
}

/* `exprs`: those that a body shares, or NULL. */
static bool clone_into(tarei_graph *const to, const tarei_graph *const from,
                       tarei_exprs *const exprs) {
  to->is_body = exprs != NULL;
  to->name = tarei_strdup(from->name);
  to->producer = tarei_strdup(from->producer);
  to->exprs = exprs ? exprs : tarei_exprs_clone(from->exprs);
  to->inputs = tarei_memdup(from->inputs, (size_t)from->n_inputs * sizeof *to->inputs);
  to->outputs = tarei_memdup(from->outputs, (size_t)from->n_outputs * sizeof *to->outputs);
  to->values = tarei_calloc((size_t)from->n_values, sizeof *to->values);
  to->nodes = tarei_calloc((size_t)from->n_nodes, sizeof *to->nodes);
  if (!to->name || !to->producer || !to->exprs || !to->inputs || !to->outputs || !to->values ||
      !to->nodes || !clone_captures(to, from)) {
    return false;
  }
  to->n_inputs = from->n_inputs;
  to->n_outputs = from->n_outputs;
  to->cap_values = (size_t)from->n_values;
  to->cap_nodes = (size_t)from->n_nodes;
  while (to->n_values < from->n_values) {
    const int i = to->n_values++;
    if (!clone_value(&to->values[i], &from->values[i])) {
      return false;
    }
  }
  while (to->n_nodes < from->n_nodes) {
    const int i = to->n_nodes++;
    if (from->nodes[i].op && !clone_node(&to->nodes[i], &from->nodes[i])) {
      return false;
    }
  }
  share_exprs(to);
  to->ir_version = from->ir_version;
  to->opset = from->opset;
  to->model_hash = from->model_hash;
  to->limits = from->limits;
  return true;
}

/* A copy that shares the expressions; NULL when out of memory. */
static tarei_graph *clone_body(const tarei_graph *const body) {
  tarei_graph *const copy = tarei_calloc(1, sizeof *copy);
  if (copy && !clone_into(copy, body, body->exprs)) {
    tarei_graph_free(copy);
    return NULL;
  }
  return copy;
}

tare_status tarei_graph_clone(const tarei_graph *const graph, tarei_graph **const out,
                              tare_error *const err) {
  tarei_graph *const copy = tarei_calloc(1, sizeof *copy);
  if (!copy || !clone_into(copy, graph, NULL)) {
    tarei_graph_free(copy);
    return tarei_fail_memory(err, graph->name, (size_t)graph->n_values * sizeof *graph->values);
  }
  *out = copy;
  return TARE_OK;
}
