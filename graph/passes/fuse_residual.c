/* An Add of a tensor of the same shape behind Linear or ConvLast goes into its epilogue, as the
 * residual that is added after the activation, or before one that fuse_activation takes in later.
 * The value before the Add disappears. */
#include "graph/passes/epilogue.h"
#include "graph/passes/passes.h"

/* The node whose epilogue may take the Add, or -1. Of two the one without an activation, because it
 * can still take one that follows the sum; else the later one, whose residual is ready by then. */
static int find_host(const tarei_graph *const graph, const int add) {
  const tarei_node *const node = &graph->nodes[add];
  int host = -1, best = -1;
  for (int i = 0; i < 2; i++) {
    const int value = node->in[i];
    const tarei_node *const producer = tarei_producer(graph, value);
    const int index = producer ? (int)(producer - graph->nodes) : -1;
    if (!producer || !producer->op->adds_residual || tarei_node_in(producer, 3) >= 0 ||
        tarei_graph_sole_consumer(graph, value) != add) {
      continue;
    }
    const int rank = tarei_has_activation(producer) ? index : index + graph->n_nodes;
    host = rank > best ? index : host;
    best = rank > best ? rank : best;
  }
  return host;
}

/* Equal dims, taken as what a plan runs: none is below 1, so that max(0, n) is n. */
static bool same_shape(const tarei_graph *const graph, const int a, const int b) {
  const tarei_value *const x = &graph->values[a], *const y = &graph->values[b];
  const tarei_expr zero = tarei_expr_const(graph->exprs, 0);
  for (int d = 0; x->rank == y->rank && d < x->rank; d++) {
    const tarei_expr m = x->dims[d], n = y->dims[d];
    if (m == TAREI_EXPR_NONE || n == TAREI_EXPR_NONE ||
        (m != n &&
         tarei_expr_max(graph->exprs, zero, m) != tarei_expr_max(graph->exprs, zero, n))) {
      return false;
    }
  }
  return x->rank >= 0 && x->rank == y->rank;
}

static tare_status fuse_residual_at(tarei_graph *const graph, const int add, bool *const changed,
                                    tare_error *const err) {
  const tarei_node *const node = &graph->nodes[add];
  const int host = find_host(graph, add);
  if (host < 0 || !tarei_value_is_f32(graph, node->out[0]) ||
      !same_shape(graph, node->in[0], node->in[1])) {
    return TARE_OK;
  }
  const int residual = tarei_other_input(node, graph->nodes[host].out[0]);
  if (tarei_value_is_const(graph, residual)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_node_set_in(graph, host, 3, residual, err));
  *changed = true;
  return tarei_absorb(graph, host, add, err);
}

static tare_status fuse_residual_run(tarei_graph *const graph,
                                     const tarei_pass_options *const options, bool *const changed,
                                     tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op == &tarei_op_add) {
      TAREI_TRY(fuse_residual_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_residual = {
    .name = "fuse_residual",
    .summary = "takes the addition of a residual into the epilogue of Linear or ConvLast",
    .removes_tensors = true,
    .run = fuse_residual_run,
};
