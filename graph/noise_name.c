#include "graph/noise_name.h"

#include <string.h>
#include <xxhash.h>

/* The seed of Dropout is an integer, those of others are floats. */
static uint64_t join_seed(const tarei_node *const node, const uint64_t name) {
  const tarei_attr *const seed = tarei_attr_find(node, "seed");
  const bool real = seed && seed->kind == TAREI_ATTR_FLOAT;
  if (!real && !(seed && seed->kind == TAREI_ATTR_INT)) {
    return name;
  }
  const double value = real ? (double)seed->f : (double)seed->i;
  return XXH64(&value, sizeof value, name);
}

static int64_t noise_name_hash(const tarei_node *const node, const char *const output) {
  return (int64_t)join_seed(node, XXH64(output, strlen(output), 0 /* seed */));
}

bool tarei_noise_name_set(tarei_node *const node, const char *const output) {
  return (!node->op->draws && node->op != &tarei_op_dropout) ||
         tarei_attr_set_int(node, TAREI_ATTR_NOISE, noise_name_hash(node, output));
}

int64_t tarei_noise_name_of(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_attr *const attr = tarei_attr_find(node, TAREI_ATTR_NOISE);
  return attr && attr->kind == TAREI_ATTR_INT
             ? attr->i
             : noise_name_hash(node, graph->values[node->out[0]].name);
}

int tarei_graph_count_draws(const tarei_graph *const graph) {
  int n = 0;
  for (int i = 0; i < graph->n_nodes; i++) {
    const tarei_node *const node = &graph->nodes[i];
    n += node->op && node->op->draws;
    for (int a = 0; a < node->n_attrs; a++) {
      n += node->attrs[a].kind == TAREI_ATTR_GRAPH ? tarei_graph_count_draws(node->attrs[a].graph)
                                                   : 0;
    }
  }
  return n;
}
