#include "graph/ops/bodies/batched_scan.h"
#include "graph/ops/ops_common.h"
#include "graph/pass.h"

/* Inputs of node and body: states, then scanned tensors (one element in the body). Outputs: states,
 * then one element of each tensor that the node puts together. */
typedef struct scan_form {
  tarei_graph *body;
  int n_states, n_scanned, n_lists;
  int64_t in_axes[TAREI_MAX_SCANNED], out_axes[TAREI_MAX_SCANNED];
} scan_form;

static tare_status scan_read_axes(const tarei_node *const node, const char *const name, const int n,
                                  int64_t *const out, tare_error *const err) {
  if (n > TAREI_MAX_SCANNED) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "scans %d tensors: at most %d are supported", n,
                      TAREI_MAX_SCANNED);
  }
  return tarei_ops_ints(node, name, n, 0, out, err);
}

static tare_status read_scan(const tarei_node *const node, scan_form *const s,
                             tare_error *const err) {
  TAREI_TRY(tarei_ops_body(node, "body", &s->body, err));
  const int64_t n = tarei_attr_int(node, "num_scan_inputs", 0);
  if (n < 1 || n > s->body->n_formal || node->n_in < s->body->n_formal) {
    return tarei_fail(err, TARE_E_MODEL,
                      "scans %lld tensors, but its body has %d inputs and the node %d",
                      (long long)n, s->body->n_formal, node->n_in);
  }
  s->n_scanned = (int)n;
  s->n_states = s->body->n_formal - s->n_scanned;
  s->n_lists = s->body->n_outputs - s->n_states;
  if (s->n_lists < 0 || node->n_out > s->body->n_outputs) {
    return tarei_fail(err, TARE_E_MODEL, "body has %d outputs, the node has %d and %d states",
                      s->body->n_outputs, node->n_out, s->n_states);
  }
  TAREI_TRY(scan_read_axes(node, "scan_input_axes", s->n_scanned, s->in_axes, err));
  return scan_read_axes(node, "scan_output_axes", s->n_lists, s->out_axes, err);
}

static tare_status hand_element(const tarei_graph *const graph, const tarei_node *const node,
                                const scan_form *const s, const int i, tarei_expr *const length,
                                tare_error *const err) {
  const tarei_value *const given = &graph->values[node->in[s->n_states + i]];
  TAREI_TRY(tarei_ops_want_rank(given, 1, TARE_MAX_RANK, err));
  int axis;
  TAREI_TRY(tarei_ops_axis(s->in_axes[i], given->rank, &axis, err));
  if (i == 0) {
    *length = given->dims[axis];
  } else if (!tarei_ops_unify(graph, *length, given->dims[axis], length)) {
    return tarei_fail(err, TARE_E_MODEL, "scanned tensors differ in length at '%s'", given->name);
  }
  tarei_shape element = {.rank = 0};
  for (int d = 0; d < given->rank; d++) {
    if (d != axis) {
      element.dims[element.rank++] = given->dims[d];
    }
  }
  return tarei_ops_set_input(s->body, s->n_states + i, given->dtype, &element, NULL, 0, err);
}

static tare_status check_state(const scan_form *const s, const int i, tare_error *const err) {
  const tarei_value *const in = &s->body->values[s->body->inputs[i]],
                           *const out = &s->body->values[s->body->outputs[i]];
  bool same = in->dtype == out->dtype && in->rank == out->rank;
  for (int d = 0; same && d < in->rank; d++) {
    same = in->dims[d] == out->dims[d];
  }
  return same ? TARE_OK
              : tarei_fail(err, TARE_E_MODEL, "state '%s' changes type or shape between iterations",
                           in->name);
}

static bool is_dim_of(const tarei_graph *const graph, const tarei_value *const value,
                      const int symbol) {
  bool found = false;
  for (int d = 0; d < value->rank && !found; d++) {
    found = tarei_expr_uses(graph->exprs, value->dims[d], symbol);
  }
  return found;
}

/* The dim depends on a number that a step of the body measures: none of what the node is given
 * does. */
static bool is_measured_inside(const tarei_graph *const graph, const tarei_node *const node,
                               const tarei_expr dim) {
  bool inside = false;
  for (int s = 0; s < tarei_exprs_n_symbols(graph->exprs) && !inside; s++) {
    inside = tarei_exprs_is_measured(graph->exprs, s) && tarei_expr_uses(graph->exprs, dim, s);
    for (int i = 0; i < node->n_in && inside; i++) {
      inside = node->in[i] < 0 || !is_dim_of(graph, &graph->values[node->in[i]], s);
    }
  }
  return inside;
}

static tare_status give_list(tarei_graph *const graph, tarei_node *const node,
                             const scan_form *const s, const int i, const tarei_expr length,
                             tare_error *const err) {
  const tarei_value *const element = &s->body->values[s->body->outputs[s->n_states + i]];
  int axis;
  if (element->rank == TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "output %d has rank %d, which exceeds the limit",
                      s->n_states + i, element->rank + 1);
  }
  TAREI_TRY(tarei_ops_axis(s->out_axes[i], element->rank + 1, &axis, err));
  tarei_shape shape = {.rank = element->rank + 1};
  for (int d = 0, from = 0; d < shape.rank; d++) {
    shape.dims[d] = d == axis ? length : element->dims[from++];
    if (is_measured_inside(graph, node, shape.dims[d])) {
      shape.dims[d] = tarei_ops_measured(graph, node, (s->n_states + i) * TARE_MAX_RANK + d);
    }
  }
  return tarei_ops_give(graph, node, s->n_states + i, element->dtype, &shape, err);
}

static tare_status infer_scan(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  scan_form s = {0};
  tarei_expr length = TAREI_EXPR_NONE;
  TAREI_TRY(read_scan(node, &s, err));
  TAREI_TRY(tarei_ops_need(graph, node, 0, err));
  for (int i = 0; i < s.body->n_formal; i++) {
    if (node->in[i] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "input %d is missing", i);
    }
  }
  for (int i = 0; i < s.n_states; i++) {
    const tarei_value *const given = &graph->values[node->in[i]];
    const tarei_shape shape = tarei_ops_shape(given);
    TAREI_TRY(tarei_ops_set_input(s.body, i, given->dtype, &shape, NULL, 0, err));
  }
  for (int i = 0; i < s.n_scanned; i++) {
    TAREI_TRY(hand_element(graph, node, &s, i, &length, err));
  }
  TAREI_TRY(tarei_ops_hand_captures(graph, node, s.body, err));
  TAREI_TRY(tarei_graph_infer(s.body, err));
  for (int i = 0; i < s.n_states && i < node->n_out; i++) {
    TAREI_TRY(check_state(&s, i, err));
    const tarei_shape shape = tarei_ops_shape(&graph->values[node->in[i]]);
    TAREI_TRY(tarei_ops_give(graph, node, i, graph->values[node->in[i]].dtype, &shape, err));
  }
  for (int i = 0; i < node->n_out - s.n_states; i++) {
    TAREI_TRY(give_list(graph, node, &s, i, length, err));
  }
  return TARE_OK;
}

static bool is_batched(const tarei_graph *const graph, const tarei_node *const node) {
  (void)graph;
  return node->opset < 9;
}

const tarei_op tarei_op_scan = {
    .name = "Scan",
    .domain = "",
    .min_in = 0, /* before opset 9 the first may be absent, which is told apart */
    .max_in = -1,
    .min_out = 1,
    .max_out = -1,
    .infer = infer_scan,
    .expands = is_batched,
    .expand = tarei_batched_scan_expand,
};
