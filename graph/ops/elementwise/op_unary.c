/* Elementwise operators of one input whose output has its type and shape. */
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status unary_infer_any(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (x->dtype == TARE_BOOL) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is bool, expected numbers", x->name);
  }
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give_writable(graph, node, x->dtype, &shape, err);
}

static tare_status unary_infer_float(tarei_graph *const graph, tarei_node *const node,
                                     tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  TAREI_TRY(tarei_ops_want_float(tarei_ops_in(graph, node, 0), err));
  return unary_infer_any(graph, node, err);
}

/* Value of one element of the contents. */
typedef tarei_expr (*map_fn)(const tarei_graph *graph, tarei_expr x);

static tare_status map_contents(tarei_graph *const graph, const tarei_node *const node,
                                const map_fn map, tare_error *const err) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  for (int i = 0; i < n; i++) {
    contents[i] = map(graph, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tarei_expr unary_negate(const tarei_graph *const graph, const tarei_expr x) {
  return tarei_expr_sub(graph->exprs, tarei_expr_const(graph->exprs, 0), x);
}

static tarei_expr unary_size_of(const tarei_graph *const graph, const tarei_expr x) {
  const tarei_expr negated = unary_negate(graph, x);
  return tarei_ops_at_least(graph, x, 0)         ? x
         : tarei_ops_at_least(graph, negated, 0) ? negated
                                                 : tarei_expr_max(graph->exprs, x, negated);
}

static tarei_expr sign_of(const tarei_graph *const graph, const tarei_expr x) {
  int64_t known;
  const bool zero = tarei_expr_is_const(graph->exprs, x, &known) && known == 0;
  return zero                                                   ? x
         : tarei_ops_at_least(graph, x, 1)                      ? tarei_expr_const(graph->exprs, 1)
         : tarei_ops_at_least(graph, unary_negate(graph, x), 1) ? tarei_expr_const(graph->exprs, -1)
                                                                : TAREI_EXPR_NONE;
}

static tarei_expr positive_part(const tarei_graph *const graph, const tarei_expr x) {
  return tarei_expr_max(graph->exprs, x, tarei_expr_const(graph->exprs, 0));
}

#define MAPPED(name, map)                                                   \
  static tare_status name(tarei_graph *const graph, tarei_node *const node, \
                          tare_error *const err) {                          \
    TAREI_TRY(unary_infer_any(graph, node, err));                           \
    return map_contents(graph, node, map, err);                             \
  }
MAPPED(unary_infer_abs, unary_size_of)
MAPPED(unary_infer_neg, unary_negate)
MAPPED(unary_infer_relu, positive_part)
MAPPED(unary_infer_sign, sign_of)

/* The bound of a Clip among small integers; false when it is there and not known. */
static bool clip_bound_of(const tarei_graph *const graph, const tarei_node *const node, const int i,
                          tarei_expr *const out) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  *out = TAREI_EXPR_NONE;
  if (!tarei_ops_in(graph, node, i)) {
    return true;
  }
  const bool known = tarei_ops_contents(graph, node->in[i], contents) == 1;
  *out = known ? contents[0] : TAREI_EXPR_NONE;
  return *out != TAREI_EXPR_NONE;
}

static tare_status unary_infer_clip(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  TAREI_TRY(unary_infer_any(graph, node, err));
  for (int i = 1; i < node->n_in; i++) {
    const tarei_value *const bound = tarei_ops_in(graph, node, i);
    if (bound) {
      TAREI_TRY(tarei_ops_want_same_dtype(tarei_ops_in(graph, node, 0), bound, err));
    }
  }
  tarei_expr low, high, contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  if (!clip_bound_of(graph, node, 1, &low) || !clip_bound_of(graph, node, 2, &high)) {
    return TARE_OK;
  }
  for (int i = 0; i < n; i++) {
    if (low != TAREI_EXPR_NONE) {
      contents[i] = tarei_expr_max(graph->exprs, contents[i], low);
    }
    if (high != TAREI_EXPR_NONE) {
      contents[i] = tarei_expr_min(graph->exprs, contents[i], high);
    }
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status unary_infer_not(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_dtype(x, TARE_BOOL, err));
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_BOOL, &shape, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_sub(graph->exprs, one, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status unary_infer_gelu(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  const char *const approximate = tarei_attr_string(node, "approximate", "none");
  if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'approximate': expected none or tanh, got '%s'",
                      approximate);
  }
  return unary_infer_float(graph, node, err);
}

#define TAREI_POINTWISE(id, onnx_name, inputs, infer_as, activates, grows, signed_as, ...) \
  const tarei_op tarei_op_##id = {                                                         \
      .name = onnx_name,                                                                   \
      .domain = "",                                                                        \
      .min_in = 1,                                                                         \
      .max_in = inputs,                                                                    \
      .min_out = 1,                                                                        \
      .max_out = 2,                                                                        \
      .elementwise = true,                                                                 \
      .chain_operands = 1,                                                                 \
      .activation = activates,                                                             \
      .growth = TAREI_GROWTH_##grows,                                                      \
      .sign = TAREI_SIGN_##signed_as,                                                      \
      .writes_bytes = true,                                                                \
      .infer = unary_infer_##infer_as,                                                     \
  };
#include "graph/pointwise.inc"
#undef TAREI_POINTWISE

const tarei_op tarei_op_not = {
    .name = "Not",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .elementwise = true,
    .infer = unary_infer_not,
};
