/* Comparisons and logic with broadcasting; the output is bool. */
#include "graph/ops/ops_common.h"
#include "graph/ops/elementwise/ops_elementwise.h"

/* Bools are 0 and 1 among the contents, or expressions that are never anything else. */
static tarei_expr truth(const tarei_graph *const graph, const bool value) {
  return tarei_expr_const(graph->exprs, value);
}

static tarei_expr compare_at_most_one(const tarei_graph *const graph, const tarei_expr e) {
  return tarei_expr_min(graph->exprs, e, truth(graph, true));
}

static tarei_expr compare_negate(const tarei_graph *const graph, const tarei_expr a) {
  return tarei_expr_sub(graph->exprs, truth(graph, true), a);
}

static tarei_expr equal(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  if (a == b && a != TAREI_EXPR_NONE) {
    return truth(graph, true);
  }
  if (tarei_ops_differ(graph, a, b)) {
    return truth(graph, false);
  }
  const tarei_expr distance = tarei_expr_max(graph->exprs, tarei_expr_sub(graph->exprs, a, b),
                                             tarei_expr_sub(graph->exprs, b, a));
  return compare_negate(graph, compare_at_most_one(graph, distance));
}

static tarei_expr compare_greater(const tarei_graph *const graph, const tarei_expr a,
                                  const tarei_expr b) {
  const tarei_expr above = tarei_expr_sub(graph->exprs, a, b);
  const tarei_expr below = tarei_expr_sub(graph->exprs, b, a);
  return tarei_ops_at_least(graph, above, 1) ? truth(graph, true)
         : tarei_ops_at_least(graph, below, 0)
             ? truth(graph, false)
             : compare_at_most_one(graph, tarei_expr_max(graph->exprs, above, truth(graph, false)));
}

static tarei_expr less(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return compare_greater(graph, b, a);
}

static tarei_expr greater_or_equal(const tarei_graph *const graph, const tarei_expr a,
                                   const tarei_expr b) {
  return compare_negate(graph, compare_greater(graph, b, a));
}

static tarei_expr less_or_equal(const tarei_graph *const graph, const tarei_expr a,
                                const tarei_expr b) {
  return compare_negate(graph, compare_greater(graph, a, b));
}

static bool compare_is_known(const tarei_graph *const graph, const tarei_expr e,
                             const int64_t value) {
  int64_t known;
  return tarei_expr_is_const(graph->exprs, e, &known) && known == value;
}

/* One of two may decide alone. */
static tarei_expr and_both(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return compare_is_known(graph, a, 0)   ? a
         : compare_is_known(graph, b, 0) ? b
                                         : tarei_expr_mul(graph->exprs, a, b);
}

static tarei_expr or_both(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return compare_is_known(graph, a, 1)   ? a
         : compare_is_known(graph, b, 1) ? b
                                         : tarei_expr_max(graph->exprs, a, b);
}

static tarei_expr one_of_both(const tarei_graph *const graph, const tarei_expr a,
                              const tarei_expr b) {
  return tarei_expr_mod(graph->exprs, tarei_expr_add(graph->exprs, a, b),
                        tarei_expr_const(graph->exprs, 2));
}

static tare_status infer_compare(tarei_graph *const graph, tarei_node *const node,
                                 const tarei_combine_fn combine, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  return tarei_ops_elementwise(graph, node, TARE_BOOL, combine, err);
}

static tare_status infer_order(tarei_graph *const graph, tarei_node *const node,
                               const tarei_combine_fn combine, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (x->dtype == TARE_BOOL) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is bool, expected numbers", x->name);
  }
  return infer_compare(graph, node, combine, err);
}

static tare_status infer_logic(tarei_graph *const graph, tarei_node *const node,
                               const tarei_combine_fn combine, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, node, 0), TARE_BOOL, err));
  return tarei_ops_elementwise(graph, node, TARE_BOOL, combine, err);
}

#define COMPARE(id, onnx_name, infer_fn, combine)                                 \
  static tare_status infer_##id(tarei_graph *const graph, tarei_node *const node, \
                                tare_error *const err) {                          \
    return infer_fn(graph, node, combine, err);                                   \
  }                                                                               \
  const tarei_op tarei_op_##id = {                                                \
      .name = onnx_name,                                                          \
      .domain = "",                                                               \
      .min_in = 2,                                                                \
      .max_in = 2,                                                                \
      .min_out = 1,                                                               \
      .max_out = 1,                                                               \
      .elementwise = true,                                                        \
      .infer = infer_##id,                                                        \
  }

COMPARE(and, "And", infer_logic, and_both);
COMPARE(equal, "Equal", infer_compare, equal);
COMPARE(greater, "Greater", infer_order, compare_greater);
COMPARE(greater_or_equal, "GreaterOrEqual", infer_order, greater_or_equal);
COMPARE(less, "Less", infer_order, less);
COMPARE(less_or_equal, "LessOrEqual", infer_order, less_or_equal);
COMPARE(or, "Or", infer_logic, or_both);
COMPARE(xor, "Xor", infer_logic, one_of_both);
