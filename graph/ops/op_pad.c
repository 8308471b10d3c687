/* Pad: amounts as attribute before opset 11, as input since; axes as input since opset 18. */
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status read_amounts(const tarei_graph *const graph, const tarei_node *const node,
                                tarei_expr *const out, int *const n, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, 1);
  if (value) {
    TARE_TRY(tarei_ops_want_rank(value, 1, 2, err)); /* two in files of old exporters: [1, n] */
    *n = tarei_ops_contents(graph, node->in[1], out);
    return *n < 0 ? tarei_ops_fail_data(value, err) : TARE_OK;
  }
  const tarei_attr *const attr = tarei_attr_find(node, "pads");
  if (!attr || attr->kind != TAREI_ATTR_INTS || attr->n > 2 * TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_MODEL, "it has no list of pads");
  }
  *n = attr->n;
  for (int i = 0; i < attr->n; i++) {
    out[i] = tarei_expr_const(graph->exprs, attr->ints[i]);
  }
  return TARE_OK;
}

static tare_status check_mode(const tarei_node *const node, const char **const mode,
                              tare_error *const err) {
  static const char *const modes[] = {"constant", "edge", "reflect", "wrap"};
  *mode = tarei_attr_string(node, "mode", "constant");
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    if (strcmp(*mode, modes[i]) == 0) {
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_MODEL, "its attribute 'mode' is '%s'", *mode);
}

static tare_status pad_dim(const tarei_graph *const graph, const tarei_node *const node,
                           const tarei_expr begin, const tarei_expr end, const bool reflect,
                           tarei_expr *const dim, tare_error *const err) {
  if (begin == TAREI_EXPR_NONE || end == TAREI_EXPR_NONE) {
    return tarei_ops_fail_data(tarei_ops_in(graph, node, 1), err);
  }
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr more = tarei_expr_max(graph->exprs, begin, end);
  int64_t most, length;
  if (reflect && tarei_expr_is_const(pool, *dim, &length) &&
      tarei_expr_is_const(pool, more, &most) && most > 0 && most >= length) {
    const tarei_shape seen = {2, {more, *dim}};
    char text[256];
    return tarei_fail(err, TARE_E_MODEL,
                      "it reflects more elements than its axis holds behind the edge: %s",
                      tarei_ops_show(graph, &seen, text, sizeof text));
  }
  *dim = tarei_expr_add(pool, *dim, tarei_expr_add(pool, begin, end));
  return TARE_OK;
}

static tare_status infer_pad(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const char *mode;
  TARE_TRY(check_mode(node, &mode, err));
  tarei_expr amounts[TAREI_MAX_CONTENTS];
  tarei_axes axes;
  int n = 0;
  TARE_TRY(read_amounts(graph, node, amounts, &n, err));
  TARE_TRY(tarei_ops_axes(graph, node, 3, x->rank, &axes, err));
  for (int i = 0; !axes.given && i < x->rank; i++) {
    axes.at[axes.n++] = i;
  }
  if (n != 2 * axes.n) {
    return tarei_fail(err, TARE_E_MODEL, "it has %d pads for %d axes, expected %d", n, axes.n,
                      2 * axes.n);
  }
  tarei_shape out = tarei_ops_shape(x);
  for (int i = 0; i < axes.n; i++) {
    TARE_TRY(pad_dim(graph, node, amounts[i], amounts[axes.n + i], strcmp(mode, "reflect") == 0,
                     &out.dims[axes.at[i]], err));
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

const tarei_op tarei_op_pad = {
    .name = "Pad",
    .domain = "",
    .min_in = 1,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .selects = true,
    .infer = infer_pad,
};
