/*
 * Transposes move down, toward the outputs, until they meet their inverse.
 *
 * Two Transposes in a row become one, or none. A node that works element by element on transposed
 * inputs works on the inputs themselves, and its output is transposed instead; constants among its
 * inputs are transposed here. So does one whose axes can be renamed. A Split of constant sizes
 * becomes Slices, which a Transpose can pass. Each step moves a Transpose past a node or takes one
 * away, so this ends. Tensors that go hold the same values as others that stay.
 */
#include <string.h>

#include "graph/ir/build.h"
#include "graph/passes/const_data.h"
#include "graph/passes/move_axes.h"
#include "graph/passes/passes.h"

static bool is_transposed_by(const tarei_graph *const graph, const int value,
                             const tarei_perm *const perm) {
  const tarei_node *const node = tarei_producer_is(graph, value, &tarei_op_transpose);
  tarei_perm found;
  return node && tarei_perm_of(graph, node, &found) && tarei_perm_equal(&found, perm);
}

/* Permutation of the first transposed input. */
static bool first_perm(const tarei_graph *const graph, const tarei_node *const node,
                       tarei_perm *const out) {
  for (int i = 0; i < node->n_in; i++) {
    const tarei_node *const t = tarei_producer_is(graph, node->in[i], &tarei_op_transpose);
    if (t) {
      return tarei_perm_of(graph, t, out);
    }
  }
  return false;
}

/* Whether a Transpose can pass the node; all inputs are transposed by perm, constant or absent. */
static bool can_pass(const tarei_graph *const graph, const tarei_node *const node,
                     tarei_perm *const perm) {
  const bool joins = node->op->joins;
  if ((!joins && !node->op->elementwise) || node->n_out != 1 || !first_perm(graph, node, perm) ||
      graph->values[node->out[0]].rank != perm->rank) {
    return false;
  }
  for (int i = 0; i < node->n_in; i++) {
    const int value = node->in[i];
    const bool constant = tarei_value_is_const(graph, value);
    if (value >= 0 && !is_transposed_by(graph, value, perm) &&
        !(constant && graph->values[value].rank <= perm->rank)) {
      return false;
    }
  }
  return true;
}

/* A constant as the node sees it before the Transpose; a single element stays what it is. */
static tare_status constant_before(tarei_graph *const graph, const int value,
                                   const tarei_perm *const perm, const bool exact_rank,
                                   int *const out, tare_error *const err) {
  const tare_tensor tensor = tarei_value_tensor(graph, value);
  const tarei_perm inverse = tarei_perm_inverse(perm);
  *out = value;
  if (tare_tensor_count(&tensor) == 1) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_const_permute(graph, value, perm->rank, inverse.axis, "__nxc", out, err));
  return exact_rank ? TARE_OK : tarei_const_strip(graph, *out, 0, out, err);
}

/* The axis of a Concat names an axis of its transposed inputs. */
static tare_status move_axis(tarei_node *const node, const tarei_perm *const perm,
                             tare_error *const err) {
  const int64_t axis = tarei_attr_int(node, "axis", 0);
  const int64_t from = axis < 0 ? axis + perm->rank : axis;
  return tarei_attr_set_int(node, "axis", perm->axis[from])
             ? TARE_OK
             : tarei_fail_memory(err, "axis", sizeof(tarei_attr));
}

static tare_status pass(tarei_graph *const graph, const int index, const tarei_perm *const perm,
                        tare_error *const err) {
  const bool joins = graph->nodes[index].op->joins;
  for (int i = 0; i < graph->nodes[index].n_in; i++) {
    int value = graph->nodes[index].in[i];
    const tarei_node *const t = tarei_producer_is(graph, value, &tarei_op_transpose);
    if (t) {
      value = t->in[0];
    } else if (value >= 0) {
      TAREI_TRY(constant_before(graph, value, perm, joins, &value, err));
    }
    tarei_graph_set_in(graph, index, i, value);
  }
  if (joins) {
    TAREI_TRY(move_axis(&graph->nodes[index], perm, err));
  }
  return tarei_output_before(graph, index, perm, err);
}

/* A node that names axes of its first input. */
static bool can_rename(tarei_graph *const graph, const tarei_node *const node,
                       tarei_perm *const perm) {
  const tarei_node *const t =
      node->n_in > 0 ? tarei_producer_is(graph, node->in[0], &tarei_op_transpose) : NULL;
  return t && node->n_out == 1 && tarei_perm_of(graph, t, perm) && tarei_axes_known(graph, node);
}

static tare_status rename_axes(tarei_graph *const graph, const int index,
                               const tarei_perm *const perm, tare_error *const err) {
  TAREI_TRY(tarei_axes_move(graph, index, perm, err));
  const int before = tarei_producer(graph, graph->nodes[index].in[0])->in[0];
  tarei_graph_set_in(graph, index, 0, before);
  return tarei_output_before(graph, index, perm, err);
}

/* The axis of a Split of a transposed value whose parts are constant, or -1. */
static int split_axis(const tarei_graph *const graph, const tarei_node *const node) {
  if (node->op != &tarei_op_split || !tarei_producer_is(graph, node->in[0], &tarei_op_transpose)) {
    return -1;
  }
  const int rank = graph->values[node->in[0]].rank;
  const int64_t axis = tarei_attr_int(node, "axis", 0), at = axis < 0 ? axis + rank : axis;
  int64_t size;
  bool constant = at >= 0 && at < rank;
  for (int i = 0; constant && i < node->n_out; i++) {
    constant = node->out[i] < 0 ? i + 1 == node->n_out
                                : tarei_value_dim_const(graph, node->out[i], (int)at, &size);
  }
  return constant ? (int)at : -1;
}

static tare_status split_to_slices(tarei_graph *const graph, const int index, const int64_t axis,
                                   tare_error *const err) {
  tarei_build b = tarei_build_at(graph, index);
  const int x = graph->nodes[index].in[0], n_out = graph->nodes[index].n_out;
  int64_t from = 0, size = 0;
  for (int i = 0; i < n_out && graph->nodes[index].out[i] >= 0; i++, from += size) {
    const int out = graph->nodes[index].out[i];
    (void)tarei_value_dim_const(graph, out, (int)axis, &size);
    const int64_t end = from + size;
    const int in[] = {x, tarei_build_i64s(&b, &from, 1), tarei_build_i64s(&b, &end, 1),
                      tarei_build_i64s(&b, &axis, 1)};
    tarei_build_into(&b, "Slice", in, 4, out);
  }
  tarei_graph_remove_node(graph, index);
  return tarei_build_done(&b, err);
}

/* A Transpose of a transposed value reads the value itself. */
static tare_status push_transposes_merge(tarei_graph *const graph, const int index,
                                         bool *const changed, tare_error *const err) {
  tarei_node *const second = &graph->nodes[index];
  const tarei_node *const first = tarei_producer_is(graph, second->in[0], &tarei_op_transpose);
  tarei_perm a, b;
  if (!first || !tarei_perm_of(graph, first, &a) || !tarei_perm_of(graph, second, &b)) {
    return TARE_OK;
  }
  const tarei_perm both = tarei_perm_compose(&a, &b);
  if (!tarei_attr_set_ints(second, "perm", both.axis, both.rank)) {
    return tarei_fail_memory(err, "perm", sizeof(tarei_attr));
  }
  tarei_graph_set_in(graph, index, 0, first->in[0]);
  *changed = true;
  return TARE_OK;
}

static tare_status push_transposes_visit(tarei_graph *const graph, const int index,
                                         bool *const changed, tare_error *const err) {
  tarei_perm perm;
  if (graph->nodes[index].op == &tarei_op_transpose) {
    TAREI_TRY(push_transposes_merge(graph, index, changed, err));
    if (tarei_perm_of(graph, &graph->nodes[index], &perm) && tarei_perm_is_identity(&perm)) {
      return tarei_replace_output(graph, index, graph->nodes[index].in[0], changed, err);
    }
    return TARE_OK;
  }
  const int axis = split_axis(graph, &graph->nodes[index]);
  if (axis >= 0) {
    *changed = true;
    return split_to_slices(graph, index, axis, err);
  }
  if (can_pass(graph, &graph->nodes[index], &perm)) {
    *changed = true;
    return pass(graph, index, &perm, err);
  }
  if (can_rename(graph, &graph->nodes[index], &perm)) {
    *changed = true;
    return rename_axes(graph, index, &perm, err);
  }
  return TARE_OK;
}

static tare_status push_transposes_run(tarei_graph *const graph,
                                       const tarei_pass_options *const options, bool *const changed,
                                       tare_error *const err) {
  (void)options;
  bool moved = true;
  while (moved) {
    moved = false;
    const int n = graph->n_nodes;
    for (int i = 0; i < n; i++) {
      if (graph->nodes[i].op) {
        TAREI_TRY(push_transposes_visit(graph, i, &moved, err));
      }
    }
    if (moved) {
      *changed = true;
      TAREI_TRY(tarei_graph_compact(graph, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_push_transposes = {
    .name = "push_transposes",
    .summary = "moves Transposes toward the outputs and cancels inverse pairs",
    .run = push_transposes_run,
};
