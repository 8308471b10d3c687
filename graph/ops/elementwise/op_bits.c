/* Operators on the bits of integers, with broadcasting. */
#include <string.h>

#include "graph/ops/ops_common.h"
#include "graph/ops/elementwise/ops_elementwise.h"

static tarei_expr bits_unknown(const tarei_graph *const graph, const tarei_expr a,
                               const tarei_expr b) {
  (void)graph;
  (void)a;
  (void)b;
  return TAREI_EXPR_NONE;
}

static tare_status infer_bits(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, node->op->min_in, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (!tarei_ops_is_integer(x->dtype)) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is %s, expected an integer type", x->name,
                      tare_dtype_name(x->dtype));
  }
  return tarei_ops_elementwise(graph, node, x->dtype, bits_unknown, err);
}

static tare_status infer_shift(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  const char *const direction = tarei_attr_string(node, "direction", "");
  if (strcmp(direction, "LEFT") != 0 && strcmp(direction, "RIGHT") != 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'direction' is '%s', expected LEFT or RIGHT",
                      direction);
  }
  return infer_bits(graph, node, err);
}

/* ~x = -1 - x */
static tare_status bits_infer_not(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  TAREI_TRY(infer_bits(graph, node, err));
  const tarei_expr minus_one = tarei_expr_const(graph->exprs, -1);
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_sub(graph->exprs, minus_one, contents[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

#define BITS(id, onnx_name, inputs, infer_fn) \
  const tarei_op tarei_op_##id = {            \
      .name = onnx_name,                      \
      .domain = "",                           \
      .min_in = inputs,                       \
      .max_in = inputs,                       \
      .min_out = 1,                           \
      .max_out = 1,                           \
      .elementwise = true,                    \
      .infer = infer_fn,                      \
  }

BITS(bit_shift, "BitShift", 2, infer_shift);
BITS(bitwise_and, "BitwiseAnd", 2, infer_bits);
BITS(bitwise_not, "BitwiseNot", 1, bits_infer_not);
BITS(bitwise_or, "BitwiseOr", 2, infer_bits);
BITS(bitwise_xor, "BitwiseXor", 2, infer_bits);
