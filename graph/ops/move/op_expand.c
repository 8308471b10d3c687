#include "graph/ops/ops_common.h"
#include "graph/passes/dims_attr.h"

static tare_status expand_contents(tarei_graph *const graph, const tarei_node *const node,
                                   tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  if (node->out[0] < 0 || tarei_ops_contents(graph, node->in[0], in) < 0) {
    return TARE_OK;
  }
  const tarei_value *const to = &graph->values[node->out[0]];
  const int n = tarei_ops_contents(graph, node->out[0], out);
  for (int i = 0; i < n; i++) {
    out[i] = in[tarei_ops_element(graph, tarei_ops_in(graph, node, 0), to, i)];
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

/* Where an entry is not known, the axis of the input tells it unless that may be 1. */
static void expand_settle_unknown(const tarei_graph *const graph, const tarei_node *const node,
                                  const tarei_shape *const x, tarei_shape *const out) {
  for (int i = 0, measured = 0; i < out->rank; i++) {
    const int axis = i - (out->rank - x->rank);
    if (out->dims[i] != TAREI_EXPR_NONE) {
      continue;
    }
    out->dims[i] = axis >= 0 && tarei_ops_at_least(graph, x->dims[axis], 2)
                       ? x->dims[axis]
                       : tarei_ops_measured(graph, node, measured++);
  }
}

/* Broadcasting would compare what is measured with the input's dims; a run does. */
static tare_status broadcast(const tarei_graph *const graph, const tarei_node *const node,
                             const tarei_shape *const x, tarei_shape *const out,
                             tare_error *const err) {
  const tarei_shape given = *out;
  tarei_shape known = given;
  for (int i = 0; i < known.rank; i++) {
    known.dims[i] =
        known.dims[i] == TAREI_EXPR_NONE ? tarei_expr_const(graph->exprs, 1) : known.dims[i];
  }
  expand_settle_unknown(graph, node, x, out);
  const tarei_shape settled = *out;
  TAREI_TRY(tarei_ops_broadcast(graph, x, &known, out, err));
  for (int i = 0; i < given.rank; i++) {
    if (given.dims[i] == TAREI_EXPR_NONE) {
      out->dims[out->rank - given.rank + i] = settled.dims[i];
    }
  }
  return TARE_OK;
}

/* The output shape, which was resolved before where there is no shape input (graph/pass.h). */
static tare_status expand_read_shape(tarei_graph *const graph, const tarei_node *const node,
                                     tarei_shape *const out, tare_error *const err) {
  const tarei_shape x = tarei_ops_shape(tarei_ops_in(graph, node, 0));
  if (!tarei_ops_in(graph, node, 1)) {
    TAREI_TRY(tarei_dims_from_attr(graph, node, out->dims, &out->rank, err));
  } else {
    TAREI_TRY(tarei_ops_shape_input(graph, node, 1, out, err));
  }
  return broadcast(graph, node, &x, out, err);
}

static tare_status infer_expand(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  tarei_shape shape;
  TAREI_TRY(expand_read_shape(graph, node, &shape, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, tarei_ops_in(graph, node, 0)->dtype, &shape, err));
  return expand_contents(graph, node, err);
}

const tarei_op tarei_op_expand = {
    .name = "Expand",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_expand,
};
