/* QLinearMatMul and QGemm: products of quantized tensors. */
#include "graph/expand/qdq.h"

static tare_status qlinear_matmul_expand(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const tarei_qdq x = tarei_qdq_in(&b, 0), w = tarei_qdq_in(&b, 3);
  const int y =
      tarei_build_binary(&b, "MatMul", tarei_qdq_read(&b, x, -2), tarei_qdq_read(&b, w, -1));
  tarei_qdq_write(&b, y, tarei_qdq_scale(&b, 6), x.value);
  return tarei_build_done(&b, err);
}

/* C counts products: its scale is alpha * that of A * that of B, which goes along its last axis. */
static int qlinear_matmul_gemm_bias(tarei_build *const b, const tarei_qdq x, const tarei_qdq w) {
  const int value = tarei_build_in(b, 6);
  if (value < 0) {
    return -1;
  }
  const float alpha = tarei_attr_float(&b->graph->nodes[b->node], "alpha", 1);
  const int scale = tarei_build_binary(b, "Mul", tarei_build_binary(b, "Mul", x.scale, w.scale),
                                       tarei_build_number(b, TARE_F32, (double)alpha));
  return tarei_qdq_read(b, (tarei_qdq){value, scale, -1}, -1);
}

static tare_status qlinear_matmul_expand_gemm(tarei_graph *const graph, const int node,
                                              tare_error *const err) {
  tarei_build b = tarei_build_at(graph, node);
  const bool transposed = tarei_attr_int(&graph->nodes[node], "transB", 0) != 0;
  const tarei_qdq x = tarei_qdq_in(&b, 0), w = tarei_qdq_in(&b, 3);
  const tarei_qdq y = tarei_qdq_scale(&b, 7);
  int in[] = {tarei_qdq_read(&b, x, -1), tarei_qdq_read(&b, w, transposed ? 0 : 1),
              qlinear_matmul_gemm_bias(&b, x, w)};
  const int n_in = in[2] < 0 ? 2 : 3;
  int real = graph->nodes[node].out[0];
  if (y.scale < 0) {
    tarei_build_into(&b, "Gemm", in, n_in, real);
  } else {
    real = tarei_build_node(&b, "Gemm", in, n_in);
  }
  tarei_qdq_attrs(&b, b.last);
  if (y.scale >= 0) {
    tarei_qdq_write(&b, real, y, x.value);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_qlinear_matmul = {
    .name = "QLinearMatMul",
    .domain = "",
    .min_in = 8,
    .max_in = 8,
    .min_out = 1,
    .max_out = 1,
    .expand = qlinear_matmul_expand,
};

const tarei_op tarei_op_qgemm = {
    .name = "QGemm",
    .domain = "com.microsoft",
    .min_in = 6,
    .max_in = 9,
    .min_out = 1,
    .max_out = 1,
    .expand = qlinear_matmul_expand_gemm,
};
