#include "graph/chains/chain_slice.h"

#include "graph/passes/rewrite.h"

enum { SHORTEST_RUN = 16 /* elements that lie one behind the other */ };

/* An axis as 0..rank-1, or -1. */
static int chain_slice_axis(const int64_t axis, const int rank) {
  const int64_t at = axis < 0 ? axis + rank : axis;
  return at >= 0 && at < rank ? (int)at : -1;
}

static bool chain_slice_read_slice(const tarei_graph *const graph, const tarei_node *const node,
                                   tarei_chain_slice *const out) {
  const int rank = graph->values[node->in[0]].rank;
  int64_t start, end, axis = 0, step = 1, size;
  int n = 0;
  if (!tarei_node_ints(graph, node, 1, "starts", &start, 1, &n) || n != 1 ||
      !tarei_node_ints(graph, node, 2, "ends", &end, 1, &n) || n != 1) {
    return false;
  }
  const bool has_axes = tarei_node_in(node, 3) >= 0 || tarei_attr_find(node, "axes");
  if ((has_axes && (!tarei_node_ints(graph, node, 3, "axes", &axis, 1, &n) || n != 1)) ||
      (tarei_node_in(node, 4) >= 0 &&
       (!tarei_value_ints(graph, node->in[4], &step, 1, &n) || n != 1))) {
    return false;
  }
  out->axis = chain_slice_axis(axis, rank);
  if (step != 1 || out->axis < 0 || !tarei_value_dim_const(graph, node->in[0], out->axis, &size)) {
    return false;
  }
  out->start = start < 0 ? start + size : start;
  return out->start >= 0 && out->start <= size;
}

static bool chain_slice_read_split(const tarei_graph *const graph, const tarei_node *const node,
                                   const int value, tarei_chain_slice *const out) {
  out->axis = chain_slice_axis(tarei_attr_int(node, "axis", 0), graph->values[node->in[0]].rank);
  out->start = 0;
  for (int o = 0; out->axis >= 0 && o < node->n_out && node->out[o] != value; o++) {
    int64_t size = 0;
    if (node->out[o] < 0 || !tarei_value_dim_const(graph, node->out[o], out->axis, &size)) {
      return false;
    }
    out->start += size;
  }
  return out->axis >= 0;
}

/* Whether the elements of the part that lie one behind the other are enough. Unknown dims are. */
static bool chain_slice_has_runs(const tarei_graph *const graph, const int value, const int axis) {
  int64_t run = 1;
  for (int d = axis; d < graph->values[value].rank; d++) {
    int64_t size;
    if (!tarei_value_dim_const(graph, value, d, &size)) {
      return true;
    }
    run *= size < SHORTEST_RUN ? size : SHORTEST_RUN;
    run = run < SHORTEST_RUN ? run : SHORTEST_RUN;
  }
  return run >= SHORTEST_RUN;
}

bool tarei_chain_slice_of(const tarei_graph *const graph, const int value, int *const whole,
                          tarei_chain_slice *const out) {
  const tarei_node *const node = tarei_producer(graph, value);
  if (!node || (node->op != &tarei_op_slice && node->op != &tarei_op_split) ||
      !tarei_value_is_f32(graph, value) || tarei_node_measures(graph, node)) {
    return false;
  }
  const bool known = node->op == &tarei_op_slice ? chain_slice_read_slice(graph, node, out)
                                                 : chain_slice_read_split(graph, node, value, out);
  int64_t size;
  *whole = node->in[0];
  return known && tarei_value_dim_const(graph, *whole, out->axis, &size) &&
         tarei_value_dim_const(graph, value, out->axis, &out->length) &&
         out->start + out->length <= size && chain_slice_has_runs(graph, value, out->axis);
}
