/* Which node inputs read a value: a list for each value, linked through the nodes, so that nothing
 * is allocated when inputs change and no question walks over the graph. */
#include <assert.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"

static const tarei_use no_use = {-1, -1};

static tarei_use_links *links_of(tarei_graph *const graph, const tarei_use use) {
  return &graph->nodes[use.node].links[use.input];
}

/* Inputs are written here alone, so that the lists stay right. */
static int *writable_inputs(tarei_node *const node) {
  return (int *)node->in;
}

/* Puts a use in front of the others of its value. */
static void use_link(tarei_graph *const graph, const tarei_use use) {
  const int value = graph->nodes[use.node].in[use.input];
  if (value < 0) {
    return;
  }
  assert(value < graph->n_values);
  tarei_value *const v = &graph->values[value];
  *links_of(graph, use) = (tarei_use_links){.next = v->first_use, .before = no_use};
  if (v->first_use.node >= 0) {
    links_of(graph, v->first_use)->before = use;
  }
  v->first_use = use;
  v->n_uses++;
}

static void use_unlink(tarei_graph *const graph, const tarei_use use) {
  const int value = graph->nodes[use.node].in[use.input];
  if (value < 0) {
    return;
  }
  tarei_value *const v = &graph->values[value];
  const tarei_use_links links = *links_of(graph, use);
  *(links.before.node < 0 ? &v->first_use : &links_of(graph, links.before)->next) = links.next;
  if (links.next.node >= 0) {
    links_of(graph, links.next)->before = links.before;
  }
  v->n_uses--;
}

void tarei_uses_link_node(tarei_graph *const graph, const int node) {
  for (int i = graph->nodes[node].n_in - 1; i >= 0; i--) {
    use_link(graph, (tarei_use){node, i});
  }
}

void tarei_uses_link_all(tarei_graph *const graph) {
  for (int v = 0; v < graph->n_values; v++) {
    graph->values[v].first_use = no_use;
    graph->values[v].n_uses = 0;
  }
  for (int n = graph->n_nodes - 1; n >= 0; n--) { /* each goes in front: the list has their order */
    tarei_uses_link_node(graph, n);
  }
}

void tarei_graph_set_in(tarei_graph *const graph, const int node, const int input,
                        const int value) {
  assert(input >= 0 && input < graph->nodes[node].n_in && value >= -1);
  const tarei_use use = {node, input};
  use_unlink(graph, use);
  writable_inputs(&graph->nodes[node])[input] = value;
  use_link(graph, use);
}

bool tarei_graph_append_in(tarei_graph *const graph, const int node, const int value) {
  tarei_node *const n = &graph->nodes[node];
  const size_t count = (size_t)n->n_in + 1;
  int *const in = tarei_realloc(writable_inputs(n), count * sizeof *in);
  n->in = in ? in : n->in;
  tarei_use_links *const links = tarei_realloc(n->links, count * sizeof *links);
  n->links = links ? links : n->links;
  if (!in || !links) {
    return false;
  }
  in[n->n_in++] = value;
  use_link(graph, (tarei_use){node, n->n_in - 1});
  return true;
}

void tarei_graph_cut_inputs(tarei_graph *const graph, const int node, const int n) {
  assert(n >= 0 && n <= graph->nodes[node].n_in);
  for (int i = n; i < graph->nodes[node].n_in; i++) {
    use_unlink(graph, (tarei_use){node, i});
  }
  graph->nodes[node].n_in = n;
}

void tarei_graph_replace_uses(tarei_graph *const graph, const int old_value, const int new_value) {
  assert(old_value != new_value);
  for (tarei_use use; (use = graph->values[old_value].first_use).node >= 0;) {
    tarei_graph_set_in(graph, use.node, use.input, new_value);
  }
}

tarei_use tarei_graph_next_use(const tarei_graph *const graph, const tarei_use use) {
  return graph->nodes[use.node].links[use.input].next;
}

int tarei_graph_count_uses(const tarei_graph *const graph, const int value) {
  return graph->values[value].n_uses + graph->values[value].is_output;
}

int tarei_graph_sole_consumer(const tarei_graph *const graph, const int value) {
  const tarei_value *const v = &graph->values[value];
  return v->n_uses == 1 && !v->is_output ? v->first_use.node : -1;
}
