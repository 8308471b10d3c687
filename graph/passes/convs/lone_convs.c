#include "graph/passes/convs/lone_convs.h"

#include "graph/ir/internal_attrs.h"
#include "graph/ops/conv/winograd_form.h"
#include "graph/ops/ops_common.h"
#include "graph/passes/const_data.h"
#include "graph/passes/layout.h"
#include "graph/passes/passes.h"

#define MOST_WEIGHTS ((int64_t)1 << 16) /* which are not packed: they stay in the second cache */
#define MOST_STRIDE 16                  /* by which lines are taken apart */
#define LEAST_WIDTH 16                  /* of lines, whose outputs side by side are lanes */
#define MOST_REACH 4096                 /* of a window, and of padding: they are copied */

/* Whether `node` is a Transpose, or a Reshape that is one because there is one channel: that axis
 * of its input. */
static bool turns(const tarei_graph *const graph, const tarei_node *const node,
                  const tarei_perm *const perm, const int channel_axis) {
  tarei_perm found;
  if (node->op == &tarei_op_transpose) {
    return tarei_perm_of(graph, node, &found) && tarei_perm_equal(&found, perm);
  }
  const tarei_value *const x = &graph->values[node->in[0]];
  const tarei_value *const out = &graph->values[node->out[0]];
  if (!tarei_is_reshape(graph, node) || x->rank != perm->rank || out->rank != perm->rank) {
    return false;
  }
  for (int d = 0; d < perm->rank; d++) {
    if (out->dims[d] == TAREI_EXPR_NONE || out->dims[d] != x->dims[perm->axis[d]]) {
      return false;
    }
  }
  return tarei_axis_is_one(graph, node->in[0], channel_axis);
}

/* The only node that reads a value, or -1. */
static int lone_reader(const tarei_graph *const graph, const int value) {
  return tarei_graph_count_uses(graph, value) == 1 ? graph->values[value].first_use.node : -1;
}

static bool is_plain(const tarei_graph *const graph, const tarei_node *const node) {
  static const char *const fused[] = {TAREI_ATTR_ACTIVATION, TAREI_ATTR_COMPUTE,
                                      TAREI_ATTR_WEIGHT_TYPE, TAREI_ATTR_FOURIER};
  for (size_t i = 0; i < sizeof fused / sizeof *fused; i++) {
    if (tarei_attr_find(node, fused[i])) {
      return false;
    }
  }
  return node->n_out == 1 && tarei_node_in(node, 3) < 0 /* residual */ &&
         tarei_value_is_f32(graph, node->in[0]) && tarei_value_is_f32(graph, node->out[0]);
}

static bool has_small_windows(const tarei_window *const w) {
  bool is_small = w->strides[w->n - 1] <= MOST_STRIDE;
  for (int a = 0; a < w->n; a++) {
    is_small &= w->kernel[a] <= MOST_REACH && w->dilations[a] <= MOST_REACH / w->kernel[a] &&
                w->pads[a] <= MOST_REACH && w->pads[w->n + a] <= MOST_REACH;
  }
  return is_small;
}

static bool has_short_lines(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_value *const out = &graph->values[node->out[0]];
  int64_t width;
  return tarei_expr_is_const(graph->exprs, out->dims[out->rank - 2], &width) && width < LEAST_WIDTH;
}

/* Other convolutions lose more by another kernel than they gain without Transposes. */
static bool gains(const tarei_graph *const graph, const tarei_node *const node,
                  tare_error *const err) {
  const tare_tensor w = tarei_value_tensor(graph, node->in[1]);
  const int64_t group = tarei_attr_int(node, "group", 1), channels = w.dims[w.rank - 1] * group;
  tarei_window window;
  return tare_tensor_count(&w) <= MOST_WEIGHTS &&
         tarei_ops_window(graph, node, w.rank - 2, graph->values[node->in[1]].dims + 1, &window,
                          err) == TARE_OK &&
         has_small_windows(&window) && !has_short_lines(graph, node) &&
         (window.n != 2 || !tarei_winograd_saves(&window, group, channels, w.dims[0]));
}

/* The Transpose behind a convolution that stands alone, or -1. */
static int behind_lone_conv(const tarei_graph *const graph, const tarei_node *const node) {
  if (node->op != &tarei_op_conv_last || !is_plain(graph, node) ||
      !tarei_value_is_const(graph, node->in[1])) {
    return -1;
  }
  const tarei_perm to_last = tarei_perm_to_last(graph->values[node->in[0]].rank);
  const tarei_perm from_last = tarei_perm_inverse(&to_last);
  const tarei_node *const before = tarei_producer(graph, node->in[0]);
  const int behind = lone_reader(graph, node->out[0]);
  return before && turns(graph, before, &to_last, 1) && behind >= 0 &&
                 turns(graph, &graph->nodes[behind], &from_last, from_last.rank - 1)
             ? behind
             : -1;
}

static tare_status restore_conv(tarei_graph *const graph, const int index, const int behind,
                                tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const int rank = graph->values[node->in[0]].rank;
  const tarei_perm to_last = tarei_perm_to_last(rank);
  const tarei_perm from_last = tarei_perm_inverse(&to_last);
  int weight;
  TAREI_TRY(tarei_const_permute(graph, node->in[1], rank, from_last.axis, "__first", &weight, err));
  tarei_graph_set_in(graph, index, 1, weight);
  tarei_graph_set_in(graph, index, 0, tarei_producer(graph, graph->nodes[index].in[0])->in[0]);
  tarei_take_output(graph, index, behind);
  graph->nodes[index].op = &tarei_op_conv;
  graph->nodes[index].opset = 11;
  return TARE_OK;
}

static tare_status restore_all(tarei_graph *const graph, bool *const changed,
                               tare_error *const err) {
  const int n = graph->n_nodes;
  for (int i = 0; i < n; i++) {
    const int behind = graph->nodes[i].op ? behind_lone_conv(graph, &graph->nodes[i]) : -1;
    if (behind >= 0 && gains(graph, &graph->nodes[i], err)) {
      TAREI_TRY(restore_conv(graph, i, behind, err));
      *changed = true;
    }
  }
  return TARE_OK;
}

tare_status tarei_graph_restore_lone_convs(tarei_graph *const graph, tarei_pass_log *const log,
                                           tare_error *const err) {
  tarei_pass_notes notes = {0};
  bool changed = false;
  tare_status status;
  TAREI_TRY_GOTO(tarei_pass_notes_take(&notes, graph, err), done);
  TAREI_TRY_GOTO(restore_all(graph, &changed, err), done);
  if (changed) {
    TAREI_TRY_GOTO(tarei_graph_compact(graph, err), done);
    TAREI_TRY_GOTO(tarei_graph_infer(graph, err), done);
    status = tarei_pass_notes_enter(&notes, graph, tarei_pass_channels_last.name, log, err);
  }
done:
  tarei_pass_notes_fini(&notes);
  return status;
}
