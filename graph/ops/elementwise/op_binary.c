/* Arithmetic with broadcasting: two inputs, or any number for Max and Min. */
#include "graph/ops/ops_common.h"
#include "graph/ops/elementwise/ops_elementwise.h"

static tare_status infer_arithmetic(tarei_graph *const graph, tarei_node *const node,
                                    const tarei_combine_fn combine, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, node->n_in, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (x->dtype == TARE_BOOL) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is bool, expected numbers", x->name);
  }
  return tarei_ops_elementwise(graph, node, x->dtype, combine, err);
}

static tarei_expr binary_add(const tarei_graph *const graph, const tarei_expr a,
                             const tarei_expr b) {
  return tarei_expr_add(graph->exprs, a, b);
}

static tarei_expr sub(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_sub(graph->exprs, a, b);
}

static tarei_expr binary_mul(const tarei_graph *const graph, const tarei_expr a,
                             const tarei_expr b) {
  return tarei_expr_mul(graph->exprs, a, b);
}

/* ONNX divides toward zero. */
static tarei_expr div_to_zero(const tarei_graph *const graph, const tarei_expr a,
                              const tarei_expr b) {
  return tarei_expr_trunc(graph->exprs, a, b);
}

/* The remainder has the sign of the divisor. */
static tarei_expr mod(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_ops_at_least(graph, b, 1) ? tarei_expr_mod(graph->exprs, a, b) : TAREI_EXPR_NONE;
}

/* With fmod=1 it has that of the dividend: the same where nothing is negative. */
static tarei_expr c_mod(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  if (tarei_ops_at_least(graph, a, 0)) {
    return mod(graph, a, b);
  }
  const tarei_expr whole = tarei_expr_mul(graph->exprs, tarei_expr_trunc(graph->exprs, a, b), b);
  return tarei_expr_sub(graph->exprs, a, whole);
}

static tarei_expr binary_greater(const tarei_graph *const graph, const tarei_expr a,
                                 const tarei_expr b) {
  return tarei_expr_max(graph->exprs, a, b);
}

static tarei_expr binary_smaller(const tarei_graph *const graph, const tarei_expr a,
                                 const tarei_expr b) {
  return tarei_expr_min(graph->exprs, a, b);
}

static tare_status infer_add(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, binary_add, err);
}

static tare_status infer_sub(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, sub, err);
}

static tare_status infer_mul(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, binary_mul, err);
}

static tare_status infer_div(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, div_to_zero, err);
}

static tare_status infer_max(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, binary_greater, err);
}

static tare_status infer_min(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  return infer_arithmetic(graph, node, binary_smaller, err);
}

static tare_status infer_mod(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  const bool as_c = tarei_attr_int(node, "fmod", 0) == 1;
  TAREI_TRY(infer_arithmetic(graph, node, as_c ? c_mod : mod, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (tarei_is_float(x->dtype) && !as_c) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'fmod' must be 1 for %s inputs",
                      tare_dtype_name(x->dtype));
  }
  return TARE_OK;
}

/* The type of an exponent is free. */
static tare_status infer_pow(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_shape a = tarei_ops_shape(x), b = tarei_ops_shape(tarei_ops_in(graph, node, 1));
  tarei_shape out;
  TAREI_TRY(tarei_ops_broadcast(graph, &a, &b, &out, err));
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static tare_status infer_prelu(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const slope = tarei_ops_in(graph, node, 1);
  TAREI_TRY(tarei_ops_want_same_dtype(x, slope, err));
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_want_fits(graph, slope, &shape, err));
  return tarei_ops_give_writable(graph, node, x->dtype, &shape, err);
}

#define BINARY(id, onnx_name, min_inputs, max_inputs, links, writes, carries, grows, signed_as) \
  const tarei_op tarei_op_##id = {                                                              \
      .name = onnx_name,                                                                        \
      .domain = "",                                                                             \
      .min_in = min_inputs,                                                                     \
      .max_in = max_inputs,                                                                     \
      .min_out = 1,                                                                             \
      .max_out = (writes) ? 2 : 1,                                                              \
      .writes_bytes = writes,                                                                   \
      .elementwise = true,                                                                      \
      .chain_operands = (links) ? 2 : 0,                                                        \
      .carries_rounding = carries,                                                              \
      .growth = TAREI_GROWTH_##grows,                                                           \
      .sign = TAREI_SIGN_##signed_as,                                                           \
      .infer = infer_##id,                                                                      \
  }

BINARY(add, "Add", 2, 2, true, true, true, LINEAR, ALL);
BINARY(div, "Div", 2, 2, true, true, false, RATIO, ALL);
BINARY(max, "Max", 1, -1, true, false, false, LINEAR, ONE);
BINARY(min, "Min", 1, -1, true, false, false, LINEAR, ALL);
BINARY(mod, "Mod", 2, 2, false, false, false, LINEAR, ANY);
BINARY(mul, "Mul", 2, 2, true, true, true, PRODUCT, PRODUCT);
BINARY(pow, "Pow", 2, 2, true, false, false, POWER, POWER);
BINARY(prelu, "PRelu", 2, 2, true, true, false, LINEAR, FIRST);
BINARY(sub, "Sub", 2, 2, true, true, false, LINEAR, ANY);
