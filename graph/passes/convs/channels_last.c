/* Conv (1-D and 2-D, constant weights), and InstanceNormalization and pools near them, run
 * channels-last, between two Transposes that push_transposes moves away. The channels-last tensor
 * takes the ONNX name. Global pools become reductions, which Transposes can pass. */
#include <stdlib.h>

#include "base/mem.h"
#include "graph/passes/const_data.h"
#include "graph/passes/convs/near_layout.h"
#include "graph/passes/passes.h"

static const tarei_op *reduction_of(const tarei_node *const node) {
  return node->op == &tarei_op_global_average_pool ? &tarei_op_reduce_mean
         : node->op == &tarei_op_global_max_pool   ? &tarei_op_reduce_max
                                                   : NULL;
}

/* x transposed: by a Transpose that stands already, or a new one. */
static tare_status transposed(tarei_graph *const graph, const int x, const tarei_perm *const perm,
                              int *const out, tare_error *const err) {
  for (tarei_use u = graph->values[x].first_use; u.node >= 0; u = tarei_graph_next_use(graph, u)) {
    const tarei_node *const node = &graph->nodes[u.node];
    tarei_perm found;
    if (node->op == &tarei_op_transpose && tarei_perm_of(graph, node, &found) &&
        tarei_perm_equal(&found, perm)) {
      *out = node->out[0];
      return TARE_OK;
    }
  }
  TAREI_TRY(tarei_add_helper(graph, x, "__nxc", out, err));
  return tarei_add_transpose(graph, x, *out, perm, err);
}

/* Puts a Transpose before input 0 and one behind output 0. */
static tare_status surround(tarei_graph *const graph, const int index, tare_error *const err) {
  const int x = graph->nodes[index].in[0];
  const tarei_perm to_last = tarei_perm_to_last(graph->values[x].rank);
  const tarei_perm from_last = tarei_perm_inverse(&to_last);
  int last;
  TAREI_TRY(transposed(graph, x, &to_last, &last, err));
  tarei_graph_set_in(graph, index, 0, last);
  return tarei_output_before(graph, index, &from_last, err);
}

static tare_status convert_conv(tarei_graph *const graph, const int index, tare_error *const err) {
  const int rank = graph->values[graph->nodes[index].in[0]].rank;
  const tarei_perm to_last = tarei_perm_to_last(rank);
  int weight;
  TAREI_TRY(tarei_const_permute(graph, graph->nodes[index].in[1], rank, to_last.axis, "__last",
                                &weight, err));
  TAREI_TRY(surround(graph, index, err));
  tarei_graph_set_in(graph, index, 1, weight);
  graph->nodes[index].op = &tarei_op_conv_last;
  graph->nodes[index].opset = 1;
  return TARE_OK;
}

/* The same node on the other layout. */
static tare_status convert_to(tarei_graph *const graph, const int index, const tarei_op *const op,
                              tare_error *const err) {
  TAREI_TRY(surround(graph, index, err));
  graph->nodes[index].op = op;
  graph->nodes[index].opset = 1;
  return TARE_OK;
}

/* A global pool is a reduction of all axes but two, which works on any layout. */
static tare_status convert_global(tarei_graph *const graph, const int index,
                                  const tarei_op *const op, tare_error *const err) {
  tarei_node *const node = &graph->nodes[index];
  int64_t axes[TARE_MAX_RANK];
  const int n = graph->values[node->in[0]].rank - 2;
  for (int i = 0; i < n; i++) {
    axes[i] = 2 + i;
  }
  node->op = op;
  node->opset = 13;
  return tarei_attr_set_ints(node, "axes", axes, n) ? TARE_OK
                                                    : tarei_fail_memory(err, "axes", sizeof axes);
}

/* What is converted only adds nodes and values behind those that are there. */
static tare_status convert_all(tarei_graph *const graph, const bool *const near, const int n,
                               bool *const changed, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    const tarei_node *const node = &graph->nodes[i];
    const tarei_op *const last = tarei_op_last_of(graph, node);
    const tarei_op *const reduction = reduction_of(node);
    if (tarei_conv_has_layout(graph, node)) {
      TAREI_TRY(convert_conv(graph, i, err));
    } else if (last && near[node->in[0]]) {
      TAREI_TRY(convert_to(graph, i, last, err));
    } else if (reduction) {
      TAREI_TRY(convert_global(graph, i, reduction, err));
    } else {
      continue;
    }
    *changed = true;
  }
  return TARE_OK;
}

static tare_status channels_last_run(tarei_graph *const graph,
                                     const tarei_pass_options *const options, bool *const changed,
                                     tare_error *const err) {
  (void)options;
  bool *const near = tarei_calloc((size_t)graph->n_values, sizeof *near);
  if (!near) {
    return tarei_fail_memory(err, "values", (size_t)graph->n_values * sizeof *near);
  }
  tarei_find_near_layout(graph, near);
  const tare_status status = convert_all(graph, near, graph->n_nodes, changed, err);
  free(near);
  return status;
}

const tarei_pass tarei_pass_channels_last = {
    .name = "channels_last",
    .summary = "runs convolutions, pools and instance norms channels-last",
    .run = channels_last_run,
};
