/* HannWindow, HammingWindow, BlackmanWindow: a - b cos(2 pi i / n) + c cos(4 pi i / n) for i = 0,
 * 1, ... size - 1, made in float64. n is the size of a periodic window, one less for a symmetric
 * one. */
#include "graph/ir/build.h"

#define TWO_PI 6.28318530717958647692

/* weight * cos(turns * 2 pi i / n) */
static int wave(tarei_build *const b, const int part, const double turns, const double weight) {
  const int angle = tarei_build_binary(b, "Mul", part, tarei_build_number(b, TARE_F64, turns));
  const int cosine = tarei_build_unary(b, "Cos", angle);
  return tarei_build_binary(b, "Mul", cosine, tarei_build_number(b, TARE_F64, weight));
}

/* 2 pi i / n for all i */
static int window_angles(tarei_build *const b, const int size, const tare_dtype dtype,
                         const bool periodic) {
  const int zero = tarei_build_number(b, dtype, 0), one = tarei_build_number(b, dtype, 1);
  const int index = tarei_build_node(b, "Range", (const int[]){zero, size, one}, 3);
  const int n = periodic ? size : tarei_build_binary(b, "Sub", size, one);
  const int scaled = tarei_build_binary(b, "Mul", tarei_build_cast(b, index, TARE_F64),
                                        tarei_build_number(b, TARE_F64, TWO_PI));
  return tarei_build_binary(b, "Div", scaled, tarei_build_cast(b, n, TARE_F64));
}

static tare_status window_expand(tarei_graph *const graph, const int node, const double a,
                                 const double weight, const double c, tare_error *const err) {
  const tarei_node *const window = &graph->nodes[node];
  const int size = window->in[0], out = window->out[0];
  const bool periodic = tarei_attr_int(window, "periodic", 1) != 0;
  const int64_t to = tarei_attr_int(window, "output_datatype", TARE_F32);
  const tare_dtype dtype = graph->values[size].dtype;
  if (dtype != TARE_I32 && dtype != TARE_I64) {
    return tarei_fail(err, TARE_E_MODEL, "size '%s' is %s, expected int32 or int64",
                      graph->values[size].name, tare_dtype_name(dtype));
  }
  tarei_build b = tarei_build_at(graph, node);
  const int part = window_angles(&b, size, dtype, periodic);
  int sum =
      tarei_build_binary(&b, "Sub", tarei_build_number(&b, TARE_F64, a), wave(&b, part, 1, weight));
  sum = c > 0 ? tarei_build_binary(&b, "Add", sum, wave(&b, part, 2, c)) : sum;
  tarei_build_into(&b, "Cast", &sum, 1, out);
  tarei_build_int(&b, "to", to);
  return tarei_build_done(&b, err);
}

#define WINDOW(id, onnx_name, a, weight, c)                                \
  static tare_status expand_##id(tarei_graph *const graph, const int node, \
                                 tare_error *const err) {                  \
    return window_expand(graph, node, a, weight, c, err);                  \
  }                                                                        \
  const tarei_op tarei_op_##id = {                                         \
      .name = onnx_name,                                                   \
      .domain = "",                                                        \
      .min_in = 1,                                                         \
      .max_in = 1,                                                         \
      .min_out = 1,                                                        \
      .max_out = 1,                                                        \
      .expand = expand_##id,                                               \
  }

WINDOW(blackman_window, "BlackmanWindow", 0.42, 0.5, 0.08);
WINDOW(hamming_window, "HammingWindow", 25.0 / 46.0, 21.0 / 46.0, 0);
WINDOW(hann_window, "HannWindow", 0.5, 0.5, 0);
