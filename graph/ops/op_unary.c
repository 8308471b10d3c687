/* Elementwise operators of one input whose output has its type and shape. */
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status infer_any(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (x->dtype == TARE_BOOL) {
    return tarei_fail(err, TARE_E_MODEL, "its input '%s' is bool", x->name);
  }
  const tarei_shape shape = tarei_ops_shape(x);
  return tarei_ops_give_writable(graph, node, x->dtype, &shape, err);
}

static tare_status infer_float(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  TARE_TRY(tarei_ops_want_float(tarei_ops_in(graph, node, 0), err));
  return infer_any(graph, node, err);
}

static tare_status infer_neg(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TARE_TRY(infer_any(graph, node, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  const tarei_expr zero = tarei_expr_const(graph->exprs, 0);
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_sub(graph->exprs, zero, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status infer_not(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TARE_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TARE_TRY(tarei_ops_want_dtype(x, TARE_BOOL, err));
  const tarei_shape shape = tarei_ops_shape(x);
  TARE_TRY(tarei_ops_give(graph, node, 0, TARE_BOOL, &shape, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_sub(graph->exprs, one, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status infer_gelu(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  const char *const approximate = tarei_attr_string(node, "approximate", "none");
  if (strcmp(approximate, "none") != 0 && strcmp(approximate, "tanh") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "its attribute 'approximate' is '%s'", approximate);
  }
  return infer_float(graph, node, err);
}

/* max_in above 1: inputs that hold parameters and do not touch the shape. */
#define UNARY(id, onnx_name, inputs, infer_fn, writes) \
  const tarei_op tarei_op_##id = {                     \
      .name = onnx_name,                               \
      .domain = "",                                    \
      .min_in = 1,                                     \
      .max_in = inputs,                                \
      .min_out = 1,                                    \
      .max_out = (writes) ? 2 : 1,                     \
      .writes_bytes = writes,                          \
      .infer = infer_fn,                               \
  }

UNARY(abs, "Abs", 1, infer_any, false);
UNARY(ceil, "Ceil", 1, infer_float, true);
UNARY(clip, "Clip", 3, infer_any, true);
UNARY(cos, "Cos", 1, infer_float, true);
UNARY(elu, "Elu", 1, infer_float, true);
UNARY(erf, "Erf", 1, infer_any, true);
UNARY(exp, "Exp", 1, infer_float, true);
UNARY(floor, "Floor", 1, infer_float, true);
UNARY(gelu, "Gelu", 1, infer_gelu, true);
UNARY(hard_sigmoid, "HardSigmoid", 1, infer_float, true);
UNARY(hard_swish, "HardSwish", 1, infer_float, true);
UNARY(leaky_relu, "LeakyRelu", 1, infer_float, true);
UNARY(log, "Log", 1, infer_float, true);
UNARY(neg, "Neg", 1, infer_neg, false);
UNARY(not, "Not", 1, infer_not, false);
UNARY(reciprocal, "Reciprocal", 1, infer_float, true);
UNARY(relu, "Relu", 1, infer_any, true);
UNARY(round, "Round", 1, infer_float, true);
UNARY(sigmoid, "Sigmoid", 1, infer_float, true);
UNARY(sin, "Sin", 1, infer_float, true);
UNARY(softplus, "Softplus", 1, infer_float, true);
UNARY(sqrt, "Sqrt", 1, infer_float, true);
UNARY(tanh, "Tanh", 1, infer_float, true);
