/* A convolution or pool over an axis of one element that a reshape has put in runs without it, as
 * exporters write layers over one axis by operators that take two. The reshape comes behind it
 * then, and goes on past functions of one element until it meets the one that takes the axis away
 * again. No tensor disappears. */
#include "graph/ir/build.h"
#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"

/* Whether `wide` has the dims of `flat` and, at `axis`, one of one element. */
static bool adds_axis(const tarei_graph *const graph, const int flat, const int wide,
                      const int axis) {
  const tarei_value *const f = &graph->values[flat], *const w = &graph->values[wide];
  bool same = f->rank + 1 == w->rank && tarei_axis_is_one(graph, wide, axis);
  for (int d = 0; same && d < f->rank; d++) {
    same = f->dims[d] == w->dims[d < axis ? d : d + 1];
  }
  return same;
}

/* The axis behind batch and channels that the reshape which makes the value puts in, or 0. */
static int added_axis(const tarei_graph *const graph, const int value) {
  const tarei_node *const producer = tarei_producer(graph, value);
  if (!producer || !tarei_is_reshape(graph, producer) || producer->n_out != 1) {
    return 0;
  }
  const int rank = graph->values[value].rank;
  int axis = 2;
  while (axis < rank && !adds_axis(graph, producer->in[0], value, axis)) {
    axis++;
  }
  return axis < rank && rank > 3 ? axis : 0;
}

/* A function of elements of one tensor; its other inputs are numbers. */
static bool drop_window_axis_is_unary(const tarei_graph *const graph,
                                      const tarei_node *const node) {
  bool unary = node->op->elementwise && node->n_in > 0 && node->n_out == 1 &&
               tarei_values_same_shape(graph, node->in[0], node->out[0]);
  for (int i = 1; unary && i < node->n_in; i++) {
    const int value = node->in[i];
    unary = value < 0 || (tarei_value_is_const(graph, value) && graph->values[value].rank == 0);
  }
  return unary;
}

static bool has_windows(const tarei_node *const node) {
  return node->op == &tarei_op_conv || node->op == &tarei_op_average_pool ||
         node->op == &tarei_op_max_pool;
}

/* Whether windows are one element long along an axis of the space, without pads. */
static bool window_is_one(const tarei_graph *const graph, const tarei_node *const node,
                          const int axis) {
  const int space = graph->values[node->in[0]].rank - 2, at = axis - 2;
  int n_kernel, n_pads;
  const int64_t *const kernel = tarei_attr_ints(node, "kernel_shape", &n_kernel);
  const int64_t *const pads = tarei_attr_ints(node, "pads", &n_pads);
  const bool one = node->op == &tarei_op_conv ? tarei_value_is_const(graph, node->in[1]) &&
                                                    tarei_axis_is_one(graph, node->in[1], axis)
                                              : kernel && n_kernel == space && kernel[at] == 1;
  return one && (!pads || (n_pads == 2 * space && pads[at] == 0 && pads[space + at] == 0));
}

/* Whether the node, which reads a value with the axis, can do without it. */
static bool can_drop(const tarei_graph *const graph, const tarei_node *const node, const int axis) {
  return node->n_in > 0 && node->n_out == 1 && tarei_axis_is_one(graph, node->out[0], axis) &&
         (has_windows(node) ? window_is_one(graph, node, axis)
                            : drop_window_axis_is_unary(graph, node));
}

#define NODES_PASSED 8

/* Whether whatever reads the value takes the axis away, at once or behind a few nodes that can do
 * without it. */
static bool axis_goes(const tarei_graph *const graph, const int value, const int axis,
                      const int nodes) {
  const tarei_value *const v = &graph->values[value];
  bool goes = !v->is_output && v->first_use.node >= 0;
  for (tarei_use u = v->first_use; goes && u.node >= 0; u = tarei_graph_next_use(graph, u)) {
    const tarei_node *const node = &graph->nodes[u.node];
    goes = u.input == 0 && node->n_out == 1 &&
           (tarei_is_reshape(graph, node) ? adds_axis(graph, node->out[0], value, axis)
                                          : nodes > 0 && can_drop(graph, node, axis) &&
                                                axis_goes(graph, node->out[0], axis, nodes - 1));
  }
  return goes;
}

/* Takes the numbers of an axis out of a list that has one or two for each. */
static tare_status cut_list(tarei_node *const node, const char *const name, const int space,
                            const int at, tare_error *const err) {
  int64_t kept[2 * TARE_MAX_RANK];
  int n, n_kept = 0;
  const int64_t *const all = tarei_attr_ints(node, name, &n);
  for (int i = 0; all && i < n; i++) {
    if (i % space != at) {
      kept[n_kept++] = all[i];
    }
  }
  return !all || tarei_attr_set_ints(node, name, kept, n_kept)
             ? TARE_OK
             : tarei_fail_memory(err, name, sizeof kept);
}

static tare_status cut_windows(tarei_graph *const graph, const int index, const int axis,
                               tare_error *const err) {
  static const char *const lists[] = {"kernel_shape", "strides", "dilations", "pads"};
  const int rank = graph->values[graph->nodes[index].in[0]].rank;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    TAREI_TRY(cut_list(&graph->nodes[index], lists[i], rank - 2, axis - 2, err));
  }
  if (graph->nodes[index].op != &tarei_op_conv) {
    return TARE_OK;
  }
  int64_t first[TARE_MAX_RANK] = {axis};
  int weight;
  for (int i = 1; i < rank; i++) {
    first[i] = i <= axis ? i - 1 : i;
  }
  TAREI_TRY(
      tarei_const_permute(graph, graph->nodes[index].in[1], rank, first, "__first", &weight, err));
  TAREI_TRY(tarei_const_strip(graph, weight, rank - 1, &weight, err));
  tarei_graph_set_in(graph, index, 1, weight);
  return TARE_OK;
}

/* The node writes a new value without the axis, of which a reshape makes the old one. */
static tare_status put_reshape_behind(tarei_graph *const graph, const int index, const int axis,
                                      tare_error *const err) {
  const int old = graph->nodes[index].out[0], rank = graph->values[old].rank;
  int flat;
  TAREI_TRY(tarei_add_output_twin(graph, index, "__flat", &flat, err));
  graph->values[flat].rank = rank - 1;
  for (int d = axis; d < rank - 1; d++) {
    graph->values[flat].dims[d] = graph->values[old].dims[d + 1];
  }
  tarei_build b = tarei_build_at(graph, index);
  tarei_expr dims[TARE_MAX_RANK];
  for (int d = 0; d < rank; d++) {
    dims[d] = graph->values[old].dims[d];
  }
  (void)tarei_build_reshape(&b, flat, dims, rank, old);
  return tarei_build_done(&b, err);
}

static tare_status drop_window_axis_visit(tarei_graph *const graph, const int index,
                                          bool *const changed, tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const int axis = node->n_in > 0 ? added_axis(graph, node->in[0]) : 0;
  if (axis == 0 || !can_drop(graph, node, axis) ||
      !axis_goes(graph, node->out[0], axis, NODES_PASSED)) {
    return TARE_OK;
  }
  *changed = true;
  if (has_windows(node)) {
    TAREI_TRY(cut_windows(graph, index, axis, err));
  }
  tarei_graph_set_in(graph, index, 0, tarei_producer(graph, graph->nodes[index].in[0])->in[0]);
  return put_reshape_behind(graph, index, axis, err);
}

static tare_status drop_window_axis_run(tarei_graph *const graph,
                                        const tarei_pass_options *const options,
                                        bool *const changed, tare_error *const err) {
  (void)options;
  const int n = graph->n_nodes;
  for (int i = 0; i < n; i++) {
    if (graph->nodes[i].op) {
      TAREI_TRY(drop_window_axis_visit(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_drop_window_axis = {
    .name = "drop_window_axis",
    .summary = "runs convolutions and pools without an axis of one element that a reshape puts in",
    .run = drop_window_axis_run,
};
