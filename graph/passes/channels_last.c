/* Conv (1-D and 2-D, constant weights), InstanceNormalization and pools run channels-last, between
 * two Transposes that push_transposes moves away. The channels-last tensor takes the ONNX name.
 * Global pools become reductions, which Transposes can pass. */
#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"

static bool has_layout(const tarei_graph *const graph, const tarei_node *const node) {
  const int rank = graph->values[node->in[0]].rank;
  return node->n_out == 1 && tarei_value_is_f32(graph, node->in[0]) && (rank == 3 || rank == 4) &&
         graph->values[node->out[0]].rank == rank;
}

static bool is_conv(const tarei_graph *const graph, const tarei_node *const node) {
  const int bias = tarei_node_in(node, 2);
  return node->op == &tarei_op_conv && has_layout(graph, node) &&
         (bias < 0 || tarei_value_is_const(graph, bias)) &&
         tarei_value_is_const(graph, node->in[1]) && tarei_value_is_f32(graph, node->in[1]) &&
         graph->values[node->in[1]].rank == graph->values[node->in[0]].rank;
}

/* The operator that does the same channels-last, or NULL. */
static const tarei_op *last_of(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_op *const last = node->op ? node->op->channels_last : NULL;
  return last && has_layout(graph, node) ? last : NULL;
}

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

static tare_status channels_last_run(tarei_graph *const graph,
                                     const tarei_pass_options *const options, bool *const changed,
                                     tare_error *const err) {
  (void)options;
  const int n = graph->n_nodes;
  for (int i = 0; i < n; i++) {
    const tarei_op *const last = last_of(graph, &graph->nodes[i]);
    const tarei_op *const reduction = reduction_of(&graph->nodes[i]);
    if (is_conv(graph, &graph->nodes[i])) {
      TAREI_TRY(convert_conv(graph, i, err));
    } else if (last) {
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

const tarei_pass tarei_pass_channels_last = {
    .name = "channels_last",
    .summary = "runs convolutions, pools and instance norms channels-last",
    .run = channels_last_run,
};
