/* Operators of quantized tensors: their shapes and types, and what their expansions come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void quantize_linear(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"QuantizeLinear", 10, "f32[b, t]; f32#1; u8#0", "", "u8[b, t]"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32[3]; i8[3]", "", "i8[b, 3, t]"},
      {"QuantizeLinear", 13, "f32[b, t]; f32#1", "", "u8[b, t]"},
      {"QuantizeLinear", 13, "f32[b, t]; f32[1]; i8#0", "", "i8[b, t]"},
      {"QuantizeLinear", 21, "f32[b, t]; f32#1; -", "output_dtype=5", "i16[b, t]"},
      {"QuantizeLinear", 21, "i32[b, 6]; f32[b, 3]; u16[b, 3]", "block_size=2", "u16[b, 6]"},
      {"QuantizeLinear", 21, "f32[b, 5]; f32[b, 3]", "block_size=2", "u8[b, 5]"},
      {"QuantizeLinear", 21, "f32[b, 5]; f32[b, 2]", "block_size=2", "MODEL: blocks of 2"},
      {"QuantizeLinear", 21, "f32[b, 5]; f32[b, 5]", "block_size=-2",
       "MODEL: 'block_size': expected 0 or more, got -2"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32[4]; i8[4]", "", "MODEL: has shape [4]"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32[3]; i8[2]", "", "MODEL: has shape [2]"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32[3]; i8[1]", "", "i8[b, 3, t]"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32#1; u8[3]", "", "u8[b, 3, t]"},
      {"QuantizeLinear", 13, "f32[b, 3, t]; f32[3]", "axis=3", "MODEL: axis"},
      {"QuantizeLinear", 19, "f32[b, t]; f32#1; -", "output_dtype=17",
       "UNSUPPORTED: ONNX type FLOAT8E4M3FN"},
      {"QuantizeLinear", 13, "f64[b, t]; f32#1", "",
       "UNSUPPORTED: input is float64, expected float32"},
      {"DequantizeLinear", 10, "u8[b, t]; f32#1; u8#0", "", "f32[b, t]"},
      {"DequantizeLinear", 13, "i32[8]; f32[8]", "axis=0", "f32[8]"},
      {"DequantizeLinear", 13, "i8[b, 3, t]; f32[3]; i8#0", "", "f32[b, 3, t]"},
      {"DequantizeLinear", 21, "i16[b, t]; f32#1", "", "f32[b, t]"},
      {"DequantizeLinear", 23, "i8[b, t]; f32#1", "output_dtype=10", "f32[b, t]"},
      {"DequantizeLinear", 13, "u8[b, t]; f32#1; i8#0", "", "MODEL: is int8"},
      {"DequantizeLinear", 13, "i64[b, t]; f32#1", "", "UNSUPPORTED: input is int64"},
  };
  OPS_CHECK(cases);
}

static void integer_products(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"MatMulInteger", 10, "u8[b, t, 8]; i8[8, 5]; u8#3; i8[5]", "", "i32[b, t, 5]"},
      {"MatMulInteger", 10, "u8[b, t, 8]; i8[8, 5]", "", "i32[b, t, 5]"},
      {"MatMulInteger", 10, "u8[b, 8]; i8[7, 5]", "", "MODEL: differ in their inner dim"},
      {"MatMulInteger", 10, "f32[b, 8]; i8[8, 5]", "", "MODEL: is float32"},
      {"ConvInteger", 10, "u8[b, 4, t]; i8[6, 4, 3]; u8#3; i8[6]", "", "i32[b, 6, t - 2]"},
      {"ConvInteger", 10, "u8[b, 4, t]; i8[6, 3, 3]", "", "MODEL: channels"},
  };
  OPS_CHECK(cases);
}

static int counted(const tarei_graph *const g, const tarei_op *const op) {
  int n = 0;
  for (int i = 0; i < g->n_nodes; i++) {
    n += g->nodes[i].op == op;
  }
  return n;
}

/* One node of com.microsoft, or of ONNX, whose inputs stand in `inputs`. */
static tarei_graph *expanded(const char *const op, const char *const domain, const int n,
                             const char *const *const inputs, const char *const attrs) {
  tarei_graph *const g = tarei_graph_new("expanded");
  int in[16];
  for (int i = 0; i < n; i++) {
    in[i] = inputs[i][0] == '-' ? -1 : ops_value(g, inputs[i]);
  }
  const int out = tarei_graph_add_value(g, "out");
  const int node = tarei_graph_add_node(g, op, domain, op, 1, in, n, &out, 1);
  assert_true(node >= 0 && tarei_graph_mark_output(g, out));
  ops_attrs(g, &g->nodes[node], attrs);
  return g;
}

static void expect_expanded(const char *const op, const char *const domain, const int n,
                            const char *const *const inputs, const char *const attrs,
                            const tarei_op *const inner, const char *const out) {
  tarei_graph *const g = expanded(op, domain, n, inputs, attrs);
  tare_error err = {0};
  if (tarei_graph_infer(g, &err) != TARE_OK) {
    fail_msg("%s: %s", op, err.message);
  }
  assert_int_equal(counted(g, inner), 1);
  ops_expect(g, g->outputs[0], out);
  tarei_graph_free(g);
}

#define EXPECT(op, domain, attrs, inner, out, ...)                                           \
  expect_expanded(op, domain, (int)(sizeof((const char *[]){__VA_ARGS__}) / sizeof(char *)), \
                  (const char *[]){__VA_ARGS__}, attrs, &tarei_op_##inner, out)
#define MS "com.microsoft"
#define X(dims) "u8[" dims "]", "f32#1", "u8#3"
#define Y "f32#1", "u8#5"

static void expansions(void **state) {
  (void)state;
  EXPECT("QLinearConv", "", "pads=[1,1]", conv, "u8[b, 6, t]", X("b, 4, t"), "i8[6, 4, 3]",
         "f32[6]", "i8[6]", Y, "i32[6]");
  EXPECT("QLinearConv", MS, "channels_last=1", conv, "u8[b, t - 2, 6]", X("b, t, 4"), "i8[6, 4, 3]",
         "f32#1", "i8#0", Y);
  EXPECT("QLinearMatMul", "", "", matmul, "u8[b, t, 5]", X("b, t, 8"), "i8[8, 5]", "f32[5]",
         "i8[5]", Y);
  EXPECT("QLinearMatMul", "", "", matmul, "u8[2, 3, 5]", "u8[2, 3, 8]", "f32[2, 3, 1]",
         "u8[2, 3, 1]", "i8[8, 5]", "f32[1]", "i8[1]", Y);
  EXPECT("QLinearAdd", MS, "", add, "u8[b, t]", X("b, t"), X("t"), Y);
  EXPECT("QLinearMul", MS, "", mul, "i8[b, t]", "i8[b, t]", "f32#1", "-", "i8[t]", "f32#1", "-",
         "f32#1");
  EXPECT("QLinearLeakyRelu", MS, "alpha=0.5f", leaky_relu, "u8[b, t]", X("b, t"), Y);
  EXPECT("QLinearSigmoid", MS, "", sigmoid, "u8[b, t]", X("b, t"), Y);
  EXPECT("QLinearSoftmax", MS, "opset=13 axis=1", softmax, "u8[b, t]", X("b, t"), Y);
  EXPECT("QLinearAveragePool", MS, "kernel_shape=[2]", average_pool, "u8[b, 4, t - 1]",
         X("b, 4, t"), Y);
  EXPECT("QLinearGlobalAveragePool", MS, "channels_last=1", global_average_pool, "u8[b, 1, 4]",
         X("b, t, 4"), Y);
  EXPECT("QLinearConcat", MS, "axis=1", concat, "u8[b, t + 3]", Y, X("b, t"), X("b, 3"));
  EXPECT("QGemm", MS, "transB=1", gemm, "u8[b, 5]", X("b, 8"), "i8[5, 8]", "f32[5]", "i8[5]",
         "i32[5]", Y);
  EXPECT("QGemm", MS, "", gemm, "f32[b, 5]", X("b, 8"), "i8[8, 5]", "f32#1", "i8#0");
  EXPECT("DynamicQuantizeLSTM", MS, "direction='bidirectional'", lstm, "f32[t, 2, b, 3]",
         "f32[t, b, 5]", "i8[2, 5, 12]", "i8[2, 3, 12]", "f32[2, 24]", "-", "-", "-", "-",
         "f32[2, 12]", "i8[2, 12]", "f32[2]", "i8[2]");
  EXPECT("DynamicQuantizeMatMul", MS, "", matmul_integer, "f32[b, 5]", "f32[b, 8]", "i8[8, 5]",
         "f32[5]", "-", "f32[5]");
  EXPECT("MatMulIntegerToFloat", MS, "", matmul_integer, "f32[b, 5]", "u8[b, 8]", "i8[8, 5]",
         "f32#1", "f32[5]", "u8#3");
  EXPECT("QuantizeLinear", MS, "", quantize_linear, "u16[b]", "f32[b]", "f32#1", "u16#7");
  EXPECT("DequantizeLinear", MS, "axis=1", dequantize_linear, "f32[b, 3]", "i16[b, 3]", "f32[3]",
         "i16[3]");
}

/* The flattening Softmax of old opsets stays one. */
static void old_softmax(void **state) {
  (void)state;
  const char *const inputs[] = {X("b, t, 3"), Y};
  tarei_graph *const g = expanded("QLinearSoftmax", MS, 5, inputs, "opset=11 axis=1");
  assert_int_equal(tarei_graph_infer(g, NULL), TARE_OK);
  for (int i = 0; i < g->n_nodes; i++) {
    assert_true(g->nodes[i].op != &tarei_op_softmax || g->nodes[i].opset < 13);
  }
  tarei_graph_free(g);
}

static void missing_inputs(void **state) {
  (void)state;
  const char *const inputs[] = {X("b, t"), "u8[b, t]", "-", "u8#1", Y};
  tarei_graph *const g = expanded("QLinearAdd", MS, 8, inputs, "");
  tare_error err = {0};
  assert_int_equal(tarei_graph_infer(g, &err), TARE_E_MODEL);
  assert_non_null(strstr(err.message, "input 4 is missing"));
  tarei_graph_free(g);
}

int ops_quantized_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(quantize_linear), cmocka_unit_test(integer_products),
      cmocka_unit_test(expansions),      cmocka_unit_test(old_softmax),
      cmocka_unit_test(missing_inputs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
