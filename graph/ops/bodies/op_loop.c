#include "graph/loop_lists.h"
#include "graph/ops/bodies/loop.h"
#include "graph/ops/ops_common.h"
#include "graph/pass.h"

/* Inputs of node and body: trip count (iteration number), condition, carried values. Outputs of the
 * body: condition, carried values, then one element of each list that the node gives out. */
enum { ITERATION, CONDITION, CARRIED };

static tare_status loop_check_counts(const tarei_node *const node, const tarei_graph *const body,
                                     tare_error *const err) {
  const int n_carried = body->n_formal - CARRIED;
  if (n_carried < 0 || node->n_in < body->n_formal) {
    return tarei_fail(err, TARE_E_MODEL, "body has %d inputs, the node has %d", body->n_formal,
                      node->n_in);
  }
  if (body->n_outputs < 1 + n_carried || node->n_out > body->n_outputs - 1) {
    return tarei_fail(err, TARE_E_MODEL, "body has %d outputs, the node has %d and carries %d",
                      body->n_outputs, node->n_out, n_carried);
  }
  for (int i = CARRIED; i < body->n_formal; i++) {
    if (node->in[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "carried input %d is absent", i - CARRIED);
    }
  }
  return TARE_OK;
}

static tare_status want_scalar(const tarei_value *const value, const tare_dtype dtype,
                               tare_error *const err) {
  if (!value) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_dtype(value, dtype, err));
  return tarei_ops_want_rank(value, 0, 1, err);
}

/* Number k that the node measures for axis d of carried value i: before a turn, and at the end. */
static tarei_expr carried_dim(const tarei_graph *const graph, const tarei_node *const node,
                              const int i, const int d) {
  return tarei_ops_measured(graph, node, (node->n_out + i) * TARE_MAX_RANK + d);
}

/* Whether nodes of the body that were read from a file already speak of that number. */
static bool is_expected(const tarei_graph *const graph, const tarei_node *const node, const int i,
                        const int d) {
  const int number = (node->n_out + i) * TARE_MAX_RANK + d;
  const int symbol = tarei_exprs_find_measured(graph->exprs, node->number, number);
  return symbol >= 0 && tarei_exprs_measured_number(graph->exprs, symbol, node->number) < 0;
}

static tare_status loop_begin(tarei_graph *const graph, tarei_node *const node,
                              tarei_graph *const body, tare_error *const err) {
  const tarei_shape scalar = {.rank = 0};
  TAREI_TRY(tarei_ops_set_input(body, ITERATION, TARE_I64, &scalar, NULL, 0, err));
  TAREI_TRY(tarei_ops_set_input(body, CONDITION, TARE_BOOL, &scalar, NULL, 0, err));
  for (int i = CARRIED; i < body->n_formal; i++) {
    const tarei_value *const given = &graph->values[node->in[i]];
    tarei_shape shape = tarei_ops_shape(given);
    for (int d = 0; d < shape.rank; d++) {
      shape.dims[d] = is_expected(graph, node, i - CARRIED, d)
                          ? carried_dim(graph, node, i - CARRIED, d)
                          : shape.dims[d];
    }
    TAREI_TRY(tarei_ops_set_input(body, i, given->dtype, &shape, NULL, 0, err));
  }
  return tarei_ops_hand_captures(graph, node, body, err);
}

/* Dims of carried values that a turn changes become measured ones. */
static tare_status loop_widen(const tarei_graph *const graph, const tarei_node *const node,
                              tarei_graph *const body, bool *const changed, tare_error *const err) {
  *changed = false;
  for (int i = 0; i < body->n_formal - CARRIED; i++) {
    tarei_value *const in = &body->values[body->inputs[CARRIED + i]];
    const tarei_value *const out = &body->values[body->outputs[1 + i]];
    if (in->dtype != out->dtype) {
      return tarei_fail(err, TARE_E_MODEL, "carried value '%s' changes from %s to %s", in->name,
                        tare_dtype_name(in->dtype), tare_dtype_name(out->dtype));
    }
    if (in->rank != out->rank) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "carried value '%s' changes from rank %d to rank %d", in->name, in->rank,
                        out->rank);
    }
    for (int d = 0; d < in->rank; d++) {
      if (in->dims[d] == out->dims[d]) {
        continue; /* and no symbol: a loop whose dims all stay has nothing to measure */
      }
      const tarei_expr any = carried_dim(graph, node, i, d);
      *changed |= in->dims[d] != any;
      in->dims[d] = any;
    }
  }
  return TARE_OK;
}

/* Carried values end with the dims that every turn keeps; all else is measured. */
static tare_status give_output(tarei_graph *const graph, tarei_node *const node,
                               const tarei_graph *const body, const int o, tare_error *const err) {
  const int n_carried = body->n_formal - CARRIED;
  const tarei_value *const inside = &body->values[body->outputs[1 + o]];
  tarei_shape shape = {.rank = inside->rank};
  if (o < n_carried) {
    const tarei_value *const given = &graph->values[node->in[CARRIED + o]];
    const tarei_value *const in = &body->values[body->inputs[CARRIED + o]];
    for (int d = 0; d < shape.rank; d++) {
      shape.dims[d] = in->dims[d] == given->dims[d]
                          ? given->dims[d]
                          : tarei_ops_measured(graph, node, o * TARE_MAX_RANK + d);
    }
    return tarei_ops_give(graph, node, o, inside->dtype, &shape, err);
  }
  const tarei_loop_list list = tarei_loop_list_of(node, o - n_carried);
  const int axis = tarei_loop_list_axis(list, inside->rank);
  if (axis < 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "output %d joins tensors of rank %d along axis %lld: expected an axis of the "
                      "result, of rank %d at most",
                      o, inside->rank, (long long)list.axis, TARE_MAX_RANK);
  }
  shape.rank += list.stacks;
  for (int d = 0; d < shape.rank; d++) {
    const int from = d - (list.stacks && d > axis);
    int64_t fixed;
    const bool known = d != axis && tarei_expr_is_const(graph->exprs, inside->dims[from], &fixed);
    shape.dims[d] =
        known ? inside->dims[from] : tarei_ops_measured(graph, node, o * TARE_MAX_RANK + d);
  }
  return tarei_ops_give(graph, node, o, inside->dtype, &shape, err);
}

tare_status tarei_infer_loop(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  tarei_graph *body;
  TAREI_TRY(tarei_ops_need(graph, node, 0, err));
  TAREI_TRY(tarei_ops_body(node, "body", &body, err));
  TAREI_TRY(loop_check_counts(node, body, err));
  TAREI_TRY(want_scalar(tarei_ops_in(graph, node, ITERATION), TARE_I64, err));
  TAREI_TRY(want_scalar(tarei_ops_in(graph, node, CONDITION), TARE_BOOL, err));
  TAREI_TRY(loop_begin(graph, node, body, err));
  bool changed = true;
  while (changed) { /* at most once for every axis */
    TAREI_TRY(tarei_graph_infer(body, err));
    TAREI_TRY(loop_widen(graph, node, body, &changed, err));
  }
  TAREI_TRY(tarei_ops_want_dtype(&body->values[body->outputs[0]], TARE_BOOL, err));
  for (int o = 0; o < node->n_out; o++) {
    TAREI_TRY(give_output(graph, node, body, o, err));
  }
  return TARE_OK;
}

const tarei_op tarei_op_loop = {
    .name = "Loop",
    .domain = "",
    .min_in = 0, /* trip count and condition may be absent */
    .max_in = -1,
    .min_out = 1,
    .max_out = -1,
    .infer = tarei_infer_loop,
};
