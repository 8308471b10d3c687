/* Split: sizes as attribute before opset 13, as input since; without sizes in equal parts. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* Sizes that only a run tells are measured, and checked then. */
static tare_status split_take_sizes(const tarei_graph *const graph, const tarei_node *const node,
                                    const tarei_list *const list, const tarei_expr dim,
                                    tarei_expr *const sizes, tare_error *const err) {
  if (list->counted && list->n != node->n_out) {
    return tarei_fail(err, TARE_E_MODEL, "has %d sizes for %d outputs", list->n, node->n_out);
  }
  tarei_expr sum = tarei_expr_const(graph->exprs, 0);
  int measured = 0;
  for (int i = 0; i < node->n_out; i++) {
    const bool known = list->counted && list->at[i] != TAREI_EXPR_NONE;
    sizes[i] = known ? list->at[i] : tarei_ops_measured(graph, node, measured++);
    sum = tarei_expr_add(graph->exprs, sum, sizes[i]);
  }
  if (!measured && tarei_ops_differ(graph, sum, dim)) {
    const tarei_shape both = {2, {sum, dim}};
    char text[256];
    return tarei_fail(err, TARE_E_MODEL, "the sum of sizes differs from the length of the axis: %s",
                      tarei_ops_show(graph, &both, text, sizeof text));
  }
  return TARE_OK;
}

/* Equal parts. Since opset 18 the last one may be shorter. */
static tare_status split_divide(const tarei_graph *const graph, const tarei_node *const node,
                                const tarei_expr dim, tarei_expr *const sizes,
                                tare_error *const err) {
  tarei_exprs *const pool = graph->exprs;
  const int64_t parts = tarei_attr_int(node, "num_outputs", node->n_out);
  int64_t n;
  if (parts != node->n_out) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'num_outputs' is %" PRId64 ", but the node has %d outputs", parts,
                      node->n_out);
  }
  if (node->opset < 18 && tarei_expr_is_const(pool, dim, &n) && n % parts != 0) {
    return tarei_fail(err, TARE_E_MODEL,
                      "an axis of %" PRId64 " does not split into %" PRId64 " equal parts", n,
                      parts);
  }
  const tarei_expr count = tarei_expr_const(pool, parts);
  const tarei_expr part = node->opset < 18 ? tarei_expr_floordiv(pool, dim, count)
                                           : tarei_expr_ceildiv(pool, dim, count);
  for (int i = 0; i < node->n_out; i++) {
    sizes[i] = part;
  }
  if (node->opset >= 18) {
    const tarei_expr others = tarei_expr_mul(pool, part, tarei_expr_const(pool, parts - 1));
    sizes[parts - 1] = tarei_expr_sub(pool, dim, others);
  }
  return TARE_OK;
}

/* Contents of output i of a vector, whose elements begin at `from`. */
static tare_status split_contents(tarei_graph *const graph, const tarei_node *const node,
                                  const int i, const tarei_expr size, int64_t *const from,
                                  tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS];
  const int n_in = tarei_ops_contents(graph, node->in[0], in);
  int64_t n;
  if (tarei_ops_in(graph, node, 0)->rank != 1 || n_in < 0 ||
      !tarei_expr_is_const(graph->exprs, size, &n) || *from < 0 || n > n_in - *from) {
    *from = -1;
    return TARE_OK;
  }
  const tarei_expr *const part = in + *from;
  *from += n;
  return tarei_ops_give_contents(graph, node, i, part, (int)n, err);
}

static tare_status infer_split(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  tarei_expr sizes[TAREI_MAX_CONTENTS];
  tarei_list list;
  TAREI_TRY(tarei_ops_list(graph, node, 1, "split", 1, &list, err));
  if (node->n_out > TAREI_MAX_CONTENTS) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "has %d outputs, the limit is %d", node->n_out,
                      TAREI_MAX_CONTENTS);
  }
  TAREI_TRY(list.given ? split_take_sizes(graph, node, &list, x->dims[axis], sizes, err)
                       : split_divide(graph, node, x->dims[axis], sizes, err));
  tarei_shape out = tarei_ops_shape(x);
  int64_t from = 0;
  for (int i = 0; i < node->n_out; i++) {
    out.dims[axis] = sizes[i];
    TAREI_TRY(tarei_ops_give(graph, node, i, x->dtype, &out, err));
    TAREI_TRY(split_contents(graph, node, i, sizes[i], &from, err));
  }
  return TARE_OK;
}

const tarei_op tarei_op_split = {
    .name = "Split",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = -1,
    .infer = infer_split,
};
