/* Topological order: a depth-first walk over producers, with its own stack because graphs may be
 * deep, and in the order of the nodes, so that a sorted graph stays as it is. */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/ir/ir_internal.h"
#include "graph/op.h"

enum { WHITE, GREY, BLACK };

typedef struct ir_order_walk {
  const tarei_graph *graph;
  int *order;
  int n;
  char *color;   /* per node */
  int *stack;    /* nodes on the way down */
  int *position; /* per node: the input to look at next */
} ir_order_walk;

/* The next producer of a node that was not finished yet, or -1 when all are. */
static int next_producer(ir_order_walk *const w, const int index) {
  const tarei_node *const node = &w->graph->nodes[index];
  while (w->position[index] < node->n_in) {
    const int value = node->in[w->position[index]++];
    const int producer = value < 0 ? -1 : w->graph->values[value].producer;
    if (producer >= 0 && w->color[producer] != BLACK && w->graph->nodes[producer].op) {
      return producer;
    }
  }
  return -1;
}

static tare_status ir_order_visit(ir_order_walk *const w, const int root, tare_error *const err) {
  int depth = 0;
  w->stack[depth++] = root;
  w->color[root] = GREY;
  while (depth > 0) {
    const int node = w->stack[depth - 1];
    const int producer = next_producer(w, node);
    if (producer < 0) {
      w->color[node] = BLACK;
      w->order[w->n++] = node;
      depth--;
    } else if (w->color[producer] == GREY) {
      const tarei_node *const reader = &w->graph->nodes[node];
      const int value = reader->in[w->position[node] - 1];
      return tarei_fail(err, TARE_E_MODEL, "node '%s' (%s) and tensor '%s' are part of a cycle",
                        reader->name, reader->op->name, w->graph->values[value].name);
    } else {
      w->color[producer] = GREY;
      w->stack[depth++] = producer;
    }
  }
  return TARE_OK;
}

static tare_status walk_all(ir_order_walk *const w, tare_error *const err) {
  const tarei_graph *const graph = w->graph;
  if (!w->color || !w->stack || !w->position) {
    return tarei_fail_memory(err, graph->name, (size_t)graph->n_nodes * sizeof *w->stack);
  }
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op && w->color[i] == WHITE) {
      TAREI_TRY(ir_order_visit(w, i, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_order(const tarei_graph *const graph, int *const order, int *const n,
                              tare_error *const err) {
  const size_t count = (size_t)graph->n_nodes;
  ir_order_walk w = {.graph = graph,
                     .order = order,
                     .color = tarei_calloc(count, sizeof *w.color),
                     .stack = tarei_calloc(count, sizeof *w.stack),
                     .position = tarei_calloc(count, sizeof *w.position)};
  const tare_status status = walk_all(&w, err);
  free(w.color);
  free(w.stack);
  free(w.position);
  *n = w.n;
  return status;
}
