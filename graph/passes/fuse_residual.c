/* An Add of a tensor of the same shape behind Linear or ConvLast goes into its epilogue, as the
 * residual that is added after the activation. The value before the Add disappears. */
#include "graph/passes/epilogue.h"
#include "graph/passes/passes.h"

/* The node whose epilogue may take the Add; of two the later one, because the other one's output
 * is ready by then. -1 when there is none. */
static int find_host(const tarei_graph *const graph, const int add) {
  const tarei_node *const node = &graph->nodes[add];
  int host = -1;
  for (int i = 0; i < 2; i++) {
    const int value = node->in[i];
    const tarei_node *const producer = tarei_producer(graph, value);
    const int index = producer ? (int)(producer - graph->nodes) : -1;
    if (producer && tarei_has_epilogue(producer) && tarei_node_in(producer, 3) < 0 &&
        tarei_graph_sole_consumer(graph, value) == add && index > host) {
      host = index;
    }
  }
  return host;
}

static tare_status fuse_at(tarei_graph *const graph, const int add, bool *const changed,
                           tare_error *const err) {
  const tarei_node *const node = &graph->nodes[add];
  const int host = find_host(graph, add);
  if (host < 0 || !tarei_value_is_f32(graph, node->out[0]) ||
      !tarei_values_same_shape(graph, node->in[0], node->in[1])) {
    return TARE_OK;
  }
  const int residual = tarei_other_input(node, graph->nodes[host].out[0]);
  if (tarei_value_is_const(graph, residual)) {
    return TARE_OK;
  }
  TARE_TRY(tarei_node_set_in(&graph->nodes[host], 3, residual, err));
  *changed = true;
  return tarei_absorb(graph, host, add, err);
}

static tare_status run(tarei_graph *const graph, const tarei_pass_options *const options,
                       bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op == &tarei_op_add) {
      TARE_TRY(fuse_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_residual = {
    .name = "fuse_residual",
    .summary = "takes the addition of a residual into the epilogue of Linear or ConvLast",
    .removes_tensors = true,
    .run = run,
};
