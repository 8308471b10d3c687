#include "graph/passes/pattern.h"

#include <stdlib.h>

#include "base/str.h"

static bool contains(const tarei_pattern *const pattern, const int node) {
  for (int i = 0; i < pattern->n; i++) {
    if (pattern->nodes[i] == node) {
      return true;
    }
  }
  return false;
}

bool tarei_pattern_add(const tarei_graph *const graph, tarei_pattern *const pattern,
                       const int value) {
  const tarei_node *const node = tarei_producer(graph, value);
  if (!node || node->n_out != 1) {
    return false;
  }
  const int index = (int)(node - graph->nodes);
  if (contains(pattern, index)) {
    return true;
  }
  if (pattern->n == TAREI_PATTERN_MAX) {
    return false;
  }
  pattern->nodes[pattern->n++] = index;
  return true;
}

static int uses_inside(const tarei_graph *const graph, const tarei_pattern *const pattern,
                       const int value) {
  int uses = 0;
  for (int i = 0; i < pattern->n; i++) {
    const tarei_node *const node = &graph->nodes[pattern->nodes[i]];
    for (int k = 0; k < node->n_in; k++) {
      uses += node->in[k] == value;
    }
  }
  return uses;
}

bool tarei_pattern_is_closed(const tarei_graph *const graph, const tarei_pattern *const pattern,
                             const int root) {
  for (int i = 0; i < pattern->n; i++) {
    const int value = graph->nodes[pattern->nodes[i]].out[0];
    if (value != root &&
        uses_inside(graph, pattern, value) != tarei_graph_count_uses(graph, value)) {
      return false;
    }
  }
  return true;
}

static int compare_ints(const void *const a, const void *const b) {
  return *(const int *)a - *(const int *)b;
}

tare_status tarei_pattern_replace(tarei_graph *const graph, tarei_pattern *const pattern,
                                  const int root, const tarei_op *const op, const int opset,
                                  const int *const in, const int n_in, int *const node,
                                  tare_error *const err) {
  qsort(pattern->nodes, (size_t)pattern->n, sizeof *pattern->nodes, compare_ints);
  tarei_str name = {0};
  for (int i = 0; i < pattern->n; i++) {
    tarei_str_add(&name, "%s%s", i ? " + " : "", graph->nodes[pattern->nodes[i]].name);
  }
  for (int i = 0; i < pattern->n; i++) {
    tarei_graph_remove_node(graph, pattern->nodes[i]);
  }
  const tare_status status =
      tarei_add_node(graph, op, tarei_str_get(&name), opset, in, n_in, root, node, err);
  tarei_str_free(&name);
  return status;
}
