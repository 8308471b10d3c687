/* com.microsoft DynamicQuantizeMatMul and MatMulIntegerToFloat: exact products of bytes, scaled. */
#include "graph/expand/qdq.h"

/* Casts the product of bytes, multiplies by both scales, adds the bias, into the node's output. */
static void ms_integer_products_finish(tarei_build *const b, const int product, const int a_scale,
                                       const int b_scale, const int bias) {
  const int out = b->graph->nodes[b->node].out[0];
  const int sums = tarei_build_cast(b, product, TARE_F32);
  const int scales = tarei_build_binary(b, "Mul", a_scale, b_scale);
  if (bias < 0) {
    tarei_build_into(b, "Mul", (const int[]){sums, scales}, 2, out);
    return;
  }
  const int real = tarei_build_binary(b, "Mul", sums, scales);
  tarei_build_into(b, "Add", (const int[]){real, bias}, 2, out);
}

/* Inputs A, B, b_scale, [b_zero_point], [bias]; A is float. */
static tare_status expand_dynamic(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  int x[] = {-2, -2, -2};
  const int a = tarei_build_in(&b, 0);
  tarei_build_outputs(&b, "DynamicQuantizeLinear", &a, 1, x, 3);
  const int in[] = {x[0], tarei_build_in(&b, 1), x[2], tarei_build_in(&b, 3)};
  const int product = tarei_build_node(&b, "MatMulInteger", in, in[3] < 0 ? 3 : 4);
  ms_integer_products_finish(&b, product, x[1], tarei_build_in(&b, 2), tarei_build_in(&b, 4));
  return tarei_build_done(&b, err);
}

/* Inputs A, B, a_scale, b_scale, [a_zero_point], [b_zero_point], [bias]. */
static tare_status expand_to_float(tarei_graph *const graph, const int node,
                                   tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const int in[] = {tarei_build_in(&b, 0), tarei_build_in(&b, 1), tarei_build_in(&b, 4),
                    tarei_build_in(&b, 5)};
  const int product = tarei_build_node(&b, "MatMulInteger", in,
                                       in[3] >= 0   ? 4
                                       : in[2] >= 0 ? 3
                                                    : 2);
  ms_integer_products_finish(&b, product, tarei_build_in(&b, 2), tarei_build_in(&b, 3),
                             tarei_build_in(&b, 6));
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_dynamic_quantize_matmul = {
    .name = "DynamicQuantizeMatMul",
    .domain = "com.microsoft",
    .min_in = 3,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_dynamic,
};

const tarei_op tarei_op_matmul_integer_to_float = {
    .name = "MatMulIntegerToFloat",
    .domain = "com.microsoft",
    .min_in = 4,
    .max_in = 7,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_to_float,
};
