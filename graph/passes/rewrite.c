#include "graph/passes/rewrite.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

tarei_node *tarei_producer(const tarei_graph *const graph, const int value) {
  const int producer = value < 0 ? -1 : graph->values[value].producer;
  return producer < 0 ? NULL : &graph->nodes[producer];
}

tarei_node *tarei_producer_is(const tarei_graph *const graph, const int value,
                              const tarei_op *const op) {
  tarei_node *const node = tarei_producer(graph, value);
  return node && node->op == op ? node : NULL;
}

int tarei_node_in(const tarei_node *const node, const int i) {
  return i < node->n_in ? node->in[i] : -1;
}

bool tarei_value_is_f32(const tarei_graph *const graph, const int value) {
  return value >= 0 && graph->values[value].dtype == TARE_F32;
}

bool tarei_axis_is_one(const tarei_graph *const graph, const int value, const int axis) {
  int64_t size;
  return tarei_value_dim_const(graph, value, axis, &size) && size == 1;
}

bool tarei_node_ints(const tarei_graph *const graph, const tarei_node *const node, const int input,
                     const char *const name, int64_t *const out, const int max, int *const n) {
  const tarei_attr *const attr = tarei_attr_find(node, name);
  if (tarei_node_in(node, input) >= 0) {
    return tarei_value_ints(graph, node->in[input], out, max, n);
  }
  if (!attr || attr->kind != TAREI_ATTR_INTS || attr->n > max) {
    return false;
  }
  *n = attr->n;
  memcpy(out, attr->ints, (size_t)attr->n * sizeof *out);
  return true;
}

int tarei_other_input(const tarei_node *const node, const int value) {
  assert(node->n_in == 2 && (node->in[0] == value || node->in[1] == value));
  return node->in[node->in[0] == value];
}

tare_status tarei_node_set_in(tarei_graph *const graph, const int node, const int i,
                              const int value, tare_error *const err) {
  while (graph->nodes[node].n_in <= i) {
    if (!tarei_graph_append_in(graph, node, -1)) {
      return tarei_fail_memory(err, graph->nodes[node].name, (size_t)(i + 1) * sizeof value);
    }
  }
  tarei_graph_set_in(graph, node, i, value);
  return TARE_OK;
}

bool tarei_node_measures(const tarei_graph *const graph, const tarei_node *const node) {
  return tarei_exprs_find_measured(graph->exprs, node->number, 0) >= 0;
}

bool tarei_is_reshape(const tarei_graph *const graph, const tarei_node *const node) {
  return node->op->reshapes && !tarei_node_measures(graph, node);
}

static void swap_quant(tarei_value *const a, tarei_value *const b) {
  const tarei_quant quant = a->quant;
  a->quant = b->quant;
  b->quant = quant;
}

static void become_identity(tarei_graph *const graph, const int index, const int value) {
  tarei_node *const node = &graph->nodes[index];
  node->op = &tarei_op_identity;
  tarei_graph_set_in(graph, index, 0, value);
  tarei_graph_cut_inputs(graph, index, 1);
  while (node->n_attrs > 0) {
    tarei_attr_remove(node, node->attrs[0].name);
  }
}

tare_status tarei_replace_output(tarei_graph *const graph, const int node, const int value,
                                 bool *const changed, tare_error *const err) {
  tarei_node *const n = &graph->nodes[node];
  tarei_value *const old = &graph->values[n->out[0]], *const heir = &graph->values[value];
  if (old->is_output && (heir->is_output || heir->is_input || heir->producer < 0)) {
    if (n->op == &tarei_op_identity) {
      return TARE_OK;
    }
    if (n->n_in < 1) {
      TAREI_TRY(tarei_node_set_in(graph, node, 0, value, err));
    }
    tarei_graph_replace_uses(graph, n->out[0], value);
    become_identity(graph, node, value);
    *changed = true;
    return TARE_OK;
  }
  tarei_graph_replace_uses(graph, n->out[0], value);
  if (heir->quant.n_scales == 0) {
    swap_quant(old, heir);
  }
  if (old->is_output) {
    tarei_graph_rename_output(graph, n->out[0], value);
    heir->observable = old->observable;
  }
  tarei_graph_remove_node(graph, node);
  *changed = true;
  return TARE_OK;
}

tare_status tarei_join_names(tarei_node *const node, const char *const next,
                             tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s + %s", node->name, next);
  if (name.failed) {
    tarei_str_free(&name);
    return tarei_fail_memory(err, node->name, strlen(next));
  }
  free(node->name);
  node->name = name.text;
  return TARE_OK;
}

void tarei_take_output(tarei_graph *const graph, const int node, const int next) {
  tarei_node *const n = &graph->nodes[node];
  const int out = graph->nodes[next].out[0];
  graph->values[n->out[0]].producer = -1;
  tarei_graph_remove_node(graph, next);
  n->out[0] = out;
  graph->values[out].producer = node;
}

tare_status tarei_absorb(tarei_graph *const graph, const int node, const int next,
                         tare_error *const err) {
  TAREI_TRY(tarei_join_names(&graph->nodes[node], graph->nodes[next].name, err));
  tarei_take_output(graph, node, next);
  return TARE_OK;
}

tare_status tarei_add_helper(tarei_graph *const graph, const int value, const char *const suffix,
                             int *const out, tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s%s", graph->values[value].name, suffix);
  *out = name.failed ? -1 : tarei_graph_add_value_like(graph, name.text, value);
  tarei_str_free(&name);
  return *out < 0 ? tarei_fail_memory(err, suffix, sizeof(tarei_value)) : TARE_OK;
}

void tarei_hand_over_name(tarei_graph *const graph, const int value, const int heir) {
  tarei_value *const from = &graph->values[value], *const to = &graph->values[heir];
  if (from->is_output || from->is_input || to->is_output || to->is_input) {
    return;
  }
  char *const name = from->name;
  from->name = to->name;
  to->name = name;
  const bool observable = from->observable;
  from->observable = to->observable;
  to->observable = observable;
  swap_quant(from, to);
}

tare_status tarei_add_output_twin(tarei_graph *const graph, const int node,
                                  const char *const suffix, int *const twin,
                                  tare_error *const err) {
  const int old = graph->nodes[node].out[0];
  TAREI_TRY(tarei_add_helper(graph, old, suffix, twin, err));
  tarei_hand_over_name(graph, old, *twin);
  graph->nodes[node].out[0] = *twin;
  graph->values[*twin].producer = node;
  return TARE_OK;
}

tare_status tarei_add_node(tarei_graph *const graph, const tarei_op *const op,
                           const char *const name, const int opset, const int *const in,
                           const int n_in, const int out, int *const node, tare_error *const err) {
  *node = tarei_graph_add_node(graph, op->name, op->domain, name, opset, in, n_in, &out, 1);
  return *node < 0 ? tarei_fail_memory(err, op->name, sizeof(tarei_node)) : TARE_OK;
}

tare_status tarei_copy_attrs(tarei_graph *const graph, const int to, const int from,
                             tare_error *const err) {
  for (int i = 0; i < graph->nodes[from].n_attrs; i++) {
    if (!tarei_attr_copy(&graph->nodes[to], &graph->nodes[from].attrs[i])) {
      return tarei_fail_memory(err, graph->nodes[from].attrs[i].name, sizeof(tarei_attr));
    }
  }
  return TARE_OK;
}
