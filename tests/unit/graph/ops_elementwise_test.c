#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "unit/graph/ops_case.h"

static void unary_keeps_type_and_shape(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Cos", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Elu", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Exp", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Floor", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Ceil", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"HardSigmoid", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"LeakyRelu", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Log", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Reciprocal", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Sigmoid", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Sin", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Softplus", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Sqrt", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Tanh", 13, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Mish", 18, "f32[batch, 7]", "", "f32[batch, 7]"},
      {"Swish", 24, "f64[batch, 7]", "", "f64[batch, 7]"},
      {"Sign", 13, "u8[batch]", "", "u8[batch]"},
      {"Clip", 12, "i8[n]; i8#3", "", "i8[n]"},
      {"Abs", 13, "i64[batch]", "", "i64[batch]"},
      {"Relu", 14, "i32[batch]", "", "i32[batch]"},
      {"Erf", 13, "f16[batch]", "", "f16[batch]"},
      {"Round", 11, "f64[2]", "", "f64[2]"},
      {"HardSwish", 14, "f32[2, 3]", "", "f32[2, 3]"},
      {"Gelu", 20, "f32[a]", "approximate='tanh'", "f32[a]"},
      {"Clip", 7, "f32[a, 2]", "min=0f max=6f", "f32[a, 2]"},
      {"Clip", 13, "f32[a, 2]; f32#0; -", "", "f32[a, 2]"},
      {"Not", 7, "bool[a]", "", "bool[a]"},
      {"Not", 7, "bool[2]{1, 0}", "", "bool[2]{0, 1}"},
      {"Neg", 13, "i64[2]{n, 3}", "", "i64[2]{-n, -3}"},
  };
  OPS_CHECK(cases);
}

static void unary_refuses_wrong_types(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Sqrt", 13, "i64[a]", "", "MODEL: 'x0' is int64, expected a float type"},
      {"Neg", 13, "bool[a]", "", "MODEL: is bool"},
      {"Clip", 12, "i8[n]; i64#3", "", "MODEL: are int8 and int64"},
      {"Selu", 6, "i64[a]", "", "MODEL: expected a float type"},
      {"Not", 7, "f32[a]", "", "MODEL: expected bool"},
      {"Gelu", 20, "f32[a]", "approximate='other'", "MODEL: other"},
  };
  OPS_CHECK(cases);
}

static void broadcasting(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Add", 13, "f32[batch, n, 4]; f32[4]", "", "f32[batch, n, 4]"},
      {"Mul", 7, "f32[4]; f32[batch, n, 1]", "", "f32[batch, n, 4]"},
      {"Sub", 13, "f32[n]; f32[5]", "", "f32[5]"},
      {"Div", 13, "f32[]; f32[]", "", "f32[]"},
      {"Add", 13, "f32[n, 1]; f32[1, m]", "", "f32[n, m]"},
      {"Add", 13, "f32[n]; f32[m]", "", "f32[broadcast(n, m)]"},
      {"Add", 13, "f32[n + 1]; f32[n]", "", "f32[n + 1]"},
      {"Add", 13, "f32[min(n, 100)]; f32[n]", "", "f32[n]"},
      {"Add", 13, "f32[0]; f32[1]", "", "f32[0]"},
      {"Add", 13, "f32[2, 3]; f32[4]", "", "MODEL: [2, 3] and [4] do not broadcast"},
      {"Add", 13, "f32[n + 1]; f32[n + 2]", "", "MODEL: do not broadcast"},
      {"Add", 13, "f32[0]; f32[7]", "", "MODEL: do not broadcast"},
      {"Add", 13, "f32[2]; i64[2]", "", "MODEL: are float32 and int64"},
      {"Add", 13, "bool[2]; bool[2]", "", "MODEL: is bool"},
      {"Max", 8, "f32[2, 1]; f32[n]; f32[1, 1, 1]", "", "f32[1, 2, n]"},
      {"Min", 8, "f32[n]", "", "f32[n]"},
      {"Pow", 12, "f32[n, 3]; i64#2", "", "f32[n, 3]"},
      {"PRelu", 9, "f32[n, 3, t]; f32[3, 1]", "", "f32[n, 3, t]"},
      {"PRelu", 9, "f32[n, 3, t]; f32[4, 1]", "", "MODEL: does not broadcast to"},
      {"PRelu", 9, "f32[3]; f32[4, 1]", "", "MODEL: does not broadcast to"},
      {"Mod", 13, "f32[n]; f32#2", "fmod=1", "f32[n]"},
      {"Mod", 13, "f32[n]; f32#2", "", "MODEL: fmod"},
  };
  OPS_CHECK(cases);
}

static void integer_contents(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Add", 13, "i64[2]{n, 4}; i64{1, -1}", "", "i64[2]{n + 1, 3}"},
      {"Sub", 13, "i64[]{n}; i64#1", "", "i64[]{n - 1}"},
      {"Mul", 13, "i64[2]{n, m}; i64{-1}", "", "i64[2]{-n, -m}"},
      {"Div", 13, "i64[]{n}; i64#2", "", "i64[]{n / 2}"},
      {"Div", 13, "i64{-7, 7, 5}; i64{2, -2, 0}", "", "i64[3]{-3, -3, ?}"},
      {"Div", 13, "i64[1]{n - 5}; i64#2", "", "i64[1]{max((n - 5) / 2, 0) + min((n - 4) / 2, 0)}"},
      {"Div", 13, "i64[1]{2*n}; i64[1]{n}", "", "i64[1]{2}"},
      {"Mod", 13, "i64[1]{n}; i64{3}", "", "i64[1]{n % 3}"},
      {"Mod", 13, "i64{-7}; i64{3}", "", "i64[1]{2}"},
      {"Mod", 13, "i64{-7}; i64{3}", "fmod=1", "i64[1]{-1}"},
      {"Mod", 13, "i64[1]{n - 9}; i64{3}", "", "i64[1]{n % 3}"},
      {"Div", 13, "i64[1]{-n}; i64{2}", "", "i64[1]{-(n / 2)}"},
      {"Div", 13, "i64[1]{n}; i64{-2}", "", "i64[1]{-(n / 2)}"},
      {"Div", 13, "i64[1]{2*n - 10}; i64{2}", "", "i64[1]{n - 5}"},
      {"Abs", 13, "i64[3]{n, -n, n - 5}", "", "i64[3]{n, n, max(n - 5, -n + 5)}"},
      {"Sign", 13, "i64[4]{n, -n, n - 5, 0}", "", "i64[4]{1, -1, ?, 0}"},
      {"Relu", 14, "i64[2]{n - 5, -n}", "", "i64[2]{max(n - 5, 0), 0}"},
      {"Clip", 13, "i64[2]{n, -n}; i64#1; i64#9", "", "i64[2]{min(n, 9), 1}"},
      {"Clip", 13, "i64[1]{n}; -; i64[]{m}", "", "i64[1]{min(n, m)}"},
      {"Clip", 13, "i64[1]{n}; i64[]", "", "i64[1]"},
      {"BitwiseNot", 18, "i64[1]{n}", "", "i64[1]{-n - 1}"},
      {"BitwiseAnd", 18, "i64[2, 1]{n, 5}; i64[3]{1, 2, 3}", "", "i64[2, 3]"},
      {"Max", 13, "i64[1]{n}; i64{1}; i64[1]{n + 2}", "", "i64[1]{n + 2}"},
      {"Min", 13, "i64[1]{n}; i64{512}", "", "i64[1]{min(n, 512)}"},
      {"Add", 13, "i32[1, 2]{n, m}; i32[2, 1]{1, 2}", "", "i32[2, 2]{n + 1, m + 1, n + 2, m + 2}"},
      {"Add", 13, "i64[1]{n}; i64[1]", "", "i64[1]"},
      {"Div", 13, "i64{-9223372036854775808}; i64{-1}", "", "i64[1]"},
  };
  OPS_CHECK(cases);
}

static void comparisons(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Equal", 13, "f32[n, 1]; f32[3]", "", "bool[n, 3]"},
      {"Greater", 13, "f32[n, 1]; f32[3]", "", "bool[n, 3]"},
      {"GreaterOrEqual", 13, "f32[n, 1]; f32[3]", "", "bool[n, 3]"},
      {"Less", 13, "f32[n, 1]; f32[3]", "", "bool[n, 3]"},
      {"LessOrEqual", 13, "f32[n, 1]; f32[3]", "", "bool[n, 3]"},
      {"Equal", 13, "i64[3]{n, -1, m}; i64{-1}", "", "bool[3]{0, 1, 0}"},
      {"Equal", 13, "i64[1]{n}; i64{5}", "", "bool[1]{1 - min(1, max(n - 5, 5 - n))}"},
      {"Equal", 13, "i64[1]{n}; i64[1]", "", "bool[1]"},
      {"Equal", 13, "bool[2]; bool[1]", "", "bool[2]"},
      {"Greater", 13, "i64[1]{n}; i64{5}", "", "bool[1]{min(1, max(n - 5, 0))}"},
      {"LessOrEqual", 16, "i64[1]{n}; i64{5}", "", "bool[1]{1 - min(1, max(n - 5, 0))}"},
      {"Less", 13, "bool[2]; bool[2]", "", "MODEL: is bool"},
      {"Greater", 13, "i64[3]{n + 1, n, 3}; i64[3]{n, n, 4}", "", "bool[3]{1, 0, 0}"},
      {"Less", 13, "i64[2]{n, 3}; i64[2]{n, 4}", "", "bool[2]{0, 1}"},
      {"GreaterOrEqual", 16, "i64[2]{n, 3}; i64[2]{n, 4}", "", "bool[2]{1, 0}"},
      {"LessOrEqual", 16, "i64[2]{n, 5}; i64[2]{n, 4}", "", "bool[2]{1, 0}"},
      {"And", 7, "bool[2]{1, 0}; bool[1]{1}", "", "bool[2]{1, 0}"},
      {"Or", 7, "bool[2]{1, 0}; bool[1]{0}", "", "bool[2]{1, 0}"},
      {"And", 7, "bool[3]{?, ?, 0}; bool[3]{0, 1, ?}", "", "bool[3]{0, ?, 0}"},
      {"Or", 7, "bool[3]{?, ?, 1}; bool[3]{0, 1, ?}", "", "bool[3]{?, 1, 1}"},
      {"Xor", 7, "bool[4]{0, 0, 1, 1}; bool[4]{0, 1, 0, 1}", "", "bool[4]{0, 1, 1, 0}"},
      {"IsNaN", 9, "f32[n]", "", "bool[n]"},
      {"IsInf", 10, "f64[n]", "", "bool[n]"},
      {"IsNaN", 9, "i64[n]", "", "MODEL: expected a float type"},
      {"BitShift", 11, "u8[n]; u8[1]", "direction='LEFT'", "u8[n]"},
      {"BitShift", 11, "u8[n]; u8[1]", "", "MODEL: 'direction' is ''"},
      {"BitwiseOr", 18, "f32[n]; f32[1]", "", "MODEL: expected an integer type"},
      {"And", 7, "f32[2]; f32[2]", "", "MODEL: expected bool"},
      {"Less", 13, "i32[2]; i64[2]", "", "MODEL: are int32 and int64"},
  };
  OPS_CHECK(cases);
}

/* How exporters round a length up: what is missing to a multiple, or nothing. */
static void choices_stay_lengths(void **state) {
  (void)state;
  tarei_graph *const g = tarei_graph_new("g");
  const int four = ops_value(g, "i64{4}"), zero = ops_value(g, "i64{0}");
  const int rest = OPS_NODE(g, "Mod", 13, "", ops_value(g, "i64[1]{n}"), four);
  const int fits = OPS_NODE(g, "Equal", 13, "", rest, zero);
  const int pad = OPS_NODE(g, "Where", 16, "", fits, zero, OPS_NODE(g, "Sub", 14, "", four, rest));
  const int y = OPS_NODE(g, "Expand", 13, "", ops_value(g, "f32[1]"), pad);
  tare_error err;
  assert_int_equal(tarei_graph_infer(g, &err), TARE_OK);
  for (int64_t n = 1; n < 10; n++) {
    int64_t dim;
    assert_true(tarei_expr_eval(g->exprs, g->values[y].dims[0], &n, &dim));
    assert_int_equal(dim, (4 - n % 4) % 4);
  }
  tarei_graph_free(g);
}

/* Expanded nodes go, and indices with them: the output is found by its place. */
static void expect_expanded(const char *const op, const int opset, const char *const attrs,
                            const char *const inputs, const char *const expected) {
  tarei_graph *const g = tarei_graph_new("g");
  char text[64], *rest = NULL;
  int in[4], n = 0;
  (void)snprintf(text, sizeof text, "%s", inputs);
  for (char *part = strtok_r(text, ";", &rest); part; part = strtok_r(NULL, ";", &rest)) {
    in[n++] = ops_value(g, part);
  }
  assert_true(tarei_graph_mark_output(g, ops_node(g, op, opset, attrs, 1, in, n)));
  tare_error err;
  if (tarei_graph_infer(g, &err) != TARE_OK) {
    assert_non_null(strstr(err.message, expected));
  } else {
    ops_expect(g, g->outputs[0], expected);
  }
  tarei_graph_free(g);
}

static void expansions(void **state) {
  (void)state;
  expect_expanded("Sum", 8, "", "f32[n, 1];f32[3]", "f32[n, 3]");
  expect_expanded("Sum", 8, "", "f32[n]", "f32[n]");
  expect_expanded("Mean", 13, "", "f64[n, 1];f64[3];f64[4, 1, 1]", "f64[4, n, 3]");
  expect_expanded("SwiGLU", 28, "alpha=0.5f", "f32[n];f32[n]", "f32[n]");
  expect_expanded("HannWindow", 17, "", "i64[]{n}", "f32[n]");
  expect_expanded("BlackmanWindow", 17, "output_datatype=11 periodic=0", "i32#400", "f64[400]");
  expect_expanded("HammingWindow", 17, "", "f32#400", "is float32, expected int32 or int64");
  expect_expanded("Sum", 8, "", "f32[2];i64[2]", "are float32 and int64");
}

static void where_chooses(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Where", 16, "bool[n, 1]; f32[4]; f32[]", "", "f32[n, 4]"},
      {"Where", 9, "bool[3]{0, 1, ?}; i64[3]{n, 7, 8}; i64{1, 2, 8}", "", "i64[3]{1, 7, 8}"},
      {"Where", 9, "bool[1]; i64[1]{n}; i64[1]{m}", "", "i64[1]"},
      {"Where", 9, "bool[1]{min(1, n - 1)}; i64[1]{n}; i64{5}", "",
       "i64[1]{5 + min(1, n - 1) * (n - 5)}"},
      {"Where", 9, "f32[1]; i64[1]; i64[1]", "", "MODEL: expected bool"},
      {"Where", 9, "bool[1]; i64[1]; f32[1]", "", "MODEL: are int64 and float32"},
  };
  OPS_CHECK(cases);
}

static void reductions(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"ReduceMean", 13, "f32[b, n, 8]", "axes=[-1]", "f32[b, n, 1]"},
      {"ReduceMean", 18, "f32[b, n, 8]; i64{-1, 1}", "keepdims=0", "f32[b]"},
      {"ReduceSum", 11, "f32[b, n, 8]", "axes=[1] keepdims=0", "f32[b, 8]"},
      {"ReduceSum", 13, "f32[b, n]; i64{1}", "", "f32[b, 1]"},
      {"ReduceSum", 13, "f32[b, n]; i64{}", "", "f32[1, 1]"},
      {"ReduceSum", 13, "f32[b, n]; i64{}", "noop_with_empty_axes=1", "f32[b, n]"},
      {"ReduceMax", 13, "f32[b, n]", "", "f32[1, 1]"},
      {"ReduceMin", 13, "f32[b, n]", "keepdims=0", "f32[]"},
      {"ReduceL2", 13, "f32[b, n]", "axes=[0]", "f32[1, n]"},
      {"ReduceProd", 13, "i64[3]{b, n, 4}", "keepdims=0", "i64[]{4*b*n}"},
      {"ReduceProd", 13, "i64[2]{b, 4}", "axes=[0]", "i64[1]{4*b}"},
      {"ReduceMax", 13, "i64[2]{b, 4}", "", "i64[1]{max(b, 4)}"},
      {"ReduceSum", 11, "f32[b, n]", "axes=[2]", "MODEL: axis 2 is out of range for rank 2"},
      {"ReduceSum", 11, "f32[b, n]", "axes=[1,-1]", "MODEL: duplicate axis -1"},
  };
  OPS_CHECK(cases);
}

static void casts(void **state) {
  (void)state;
  static const ops_case cases[] = {
      {"Cast", 13, "f32[n]", "to=7", "i64[n]"},
      {"Cast", 13, "i64[2]{n, 3}", "to=6", "i32[2]{n, 3}"},
      {"Cast", 13, "i64[3]{n, 0, m - 1}", "to=9", "bool[3]{1, 0, min(1, m - 1)}"},
      {"Cast", 13, "bool[1]{1}", "to=7", "i64[1]{1}"},
      {"Cast", 13, "i64[1]{n}", "to=1", "f32[1]"},
      {"Cast", 13, "f32{3, 2.5, 0.1}", "to=7", "i64[3]{3, 2, ?}"},
      {"Cast", 13, "f32[1]", "to=8", "UNSUPPORTED: ONNX type STRING"},
      {"Cast", 13, "f32[1]", "", "UNSUPPORTED: type 0"},
      {"Cast", 13, "f32[1]", "to=-9223372036854775808", "UNSUPPORTED: type -9223372036854775808"},
      {"Cast", 13, "f32[1]", "to=4294967297", "UNSUPPORTED: type 4294967297"},
  };
  OPS_CHECK(cases);
}

int ops_elementwise_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(unary_keeps_type_and_shape),
      cmocka_unit_test(unary_refuses_wrong_types),
      cmocka_unit_test(broadcasting),
      cmocka_unit_test(integer_contents),
      cmocka_unit_test(comparisons),
      cmocka_unit_test(choices_stay_lengths),
      cmocka_unit_test(expansions),
      cmocka_unit_test(where_chooses),
      cmocka_unit_test(reductions),
      cmocka_unit_test(casts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
