#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"

void tarei_graph_rename_output(tarei_graph *const graph, const int old_value, const int new_value) {
  tarei_value *const from = &graph->values[old_value], *const to = &graph->values[new_value];
  assert(from->is_output && !to->is_output && !to->is_input);
  char *const name = from->name;
  from->name = to->name;
  to->name = name;
  from->is_output = false;
  to->is_output = true;
  for (int i = 0; i < graph->n_outputs; i++) {
    if (graph->outputs[i] == old_value) {
      graph->outputs[i] = new_value;
    }
  }
}

void tarei_graph_remove_node(tarei_graph *const graph, const int index) {
  tarei_node *const node = &graph->nodes[index];
  tarei_graph_cut_inputs(graph, index, 0);
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0 && graph->values[node->out[i]].producer == index) {
      graph->values[node->out[i]].producer = -1;
    }
  }
  tarei_node_fini(node);
}

/* What stays, and where it goes. */
typedef struct ir_change_plan {
  int *order; /* live nodes in topological order */
  int n_order;
  bool *needed;   /* per node */
  int *new_value; /* per value: the new index, or -1 */
} ir_change_plan;

static void need_value(const tarei_graph *const graph, const ir_change_plan *const p,
                       const int value) {
  if (value >= 0) {
    p->new_value[value] = 0;
    if (graph->values[value].producer >= 0) {
      p->needed[graph->values[value].producer] = true;
    }
  }
}

/* Against the order, so that consumers speak before their producers are asked. */
static void ir_change_mark_needed(const tarei_graph *const graph, const ir_change_plan *const p) {
  for (int i = 0; i < graph->n_values; i++) {
    p->new_value[i] = -1;
    if (graph->values[i].is_input) {
      p->new_value[i] = 0;
    }
  }
  for (int i = 0; i < graph->n_outputs; i++) {
    need_value(graph, p, graph->outputs[i]);
  }
  for (int i = p->n_order - 1; i >= 0; i--) {
    const tarei_node *const node = &graph->nodes[p->order[i]];
    for (int k = 0; p->needed[p->order[i]] && k < node->n_in; k++) {
      need_value(graph, p, node->in[k]);
    }
    for (int k = 0; p->needed[p->order[i]] && k < node->n_out; k++) {
      need_value(graph, p, node->out[k]);
    }
  }
}

static void move_values(tarei_graph *const graph, const ir_change_plan *const p) {
  int n = 0;
  tarei_names_fini(&graph->names); /* some of the names go */
  for (int i = 0; i < graph->n_values; i++) {
    if (p->new_value[i] < 0) {
      tarei_value_fini(&graph->values[i]);
      continue;
    }
    p->new_value[i] = n;
    graph->values[n] = graph->values[i];
    graph->values[n++].producer = -1;
  }
  graph->n_values = n;
}

static void ir_change_renumber(int *const list, const int n, const int *const new_value) {
  for (int i = 0; i < n; i++) {
    list[i] = list[i] < 0 ? -1 : new_value[list[i]];
  }
}

static void move_nodes(tarei_graph *const graph, const ir_change_plan *const p,
                       tarei_node *const nodes) {
  int n = 0;
  for (int i = 0; i < p->n_order; i++) {
    tarei_node *const node = &graph->nodes[p->order[i]];
    if (!p->needed[p->order[i]]) {
      tarei_node_fini(node);
      continue;
    }
    ir_change_renumber((int *)node->in, node->n_in, p->new_value);
    ir_change_renumber(node->out, node->n_out, p->new_value);
    for (int k = 0; k < node->n_out; k++) {
      if (node->out[k] >= 0) {
        graph->values[node->out[k]].producer = n;
      }
    }
    nodes[n++] = *node;
    *node = (tarei_node){0};
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    if (!graph->nodes[i].op) {
      tarei_node_fini(&graph->nodes[i]);
    }
  }
  free(graph->nodes);
  graph->nodes = nodes;
  graph->n_nodes = n;
  tarei_uses_link_all(graph);
}

static tare_status compact(tarei_graph *const graph, ir_change_plan *const p,
                           tare_error *const err) {
  const size_t n_nodes = (size_t)graph->n_nodes;
  tarei_node *const nodes = tarei_calloc(n_nodes, sizeof *nodes);
  if (!nodes || !p->order || !p->needed || !p->new_value) {
    free(nodes);
    return tarei_fail_memory(err, graph->name, n_nodes * sizeof *nodes);
  }
  const tare_status status = tarei_graph_order(graph, p->order, &p->n_order, err);
  if (status != TARE_OK) {
    free(nodes);
    return status;
  }
  ir_change_mark_needed(graph, p);
  move_values(graph, p);
  move_nodes(graph, p, nodes);
  graph->cap_nodes = n_nodes;
  ir_change_renumber(graph->inputs, graph->n_inputs, p->new_value);
  ir_change_renumber(graph->outputs, graph->n_outputs, p->new_value);
  return TARE_OK;
}

tare_status tarei_graph_compact(tarei_graph *const graph, tare_error *const err) {
  const size_t n_nodes = (size_t)graph->n_nodes, n_values = (size_t)graph->n_values;
  ir_change_plan p = {.order = tarei_calloc(n_nodes, sizeof *p.order),
                      .needed = tarei_calloc(n_nodes, sizeof *p.needed),
                      .new_value = tarei_calloc(n_values, sizeof *p.new_value)};
  const tare_status status = compact(graph, &p, err);
  free(p.order);
  free(p.needed);
  free(p.new_value);
  return status;
}
