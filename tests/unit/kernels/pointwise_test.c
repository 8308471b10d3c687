#include "tests/unit/kernels/checkkern.h"

#include <float.h>

enum { N = 4099 };

static void act_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int act = 0; act < TAREI_ACT_COUNT * 20; act++) {
    const size_t n = ck_size();
    float *const x = ck_floats(n, true);
    float *const expected = ck_alloc(n * sizeof *x);
    ck_scalar().act((tarei_act)(act % TAREI_ACT_COUNT), -0.7f, 1.1f, x, n, expected);
    CK_EACH_ROW("act") {
      float *const out = ck_output(n * sizeof *x);
      ((tarei_act_fn *)row->function)((tarei_act)(act % TAREI_ACT_COUNT), -0.7f, 1.1f, x, n, out);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(x);
    free(expected);
  }
}

static void unary_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < TAREI_UNARY_COUNT * 20; i++) {
    const tarei_unary op = (tarei_unary)(i % TAREI_UNARY_COUNT);
    const size_t n = ck_size();
    float *const x = ck_floats(n, true);
    float *const expected = ck_alloc(n * sizeof *x);
    ck_scalar().unary(op, 0.2f, 0.5f, x, n, expected);
    CK_EACH_ROW("unary") {
      float *const in_place = ck_alloc(n * sizeof *x);
      memcpy(in_place, x, n * sizeof *x);
      ((tarei_unary_fn *)row->function)(op, 0.2f, 0.5f, in_place, n, in_place);
      ck_assert_same_floats(row->name, in_place, expected, n);
      free(in_place);
    }
    free(x);
    free(expected);
  }
}

static void binary_rows_give_the_bits_of_scalar(void **state) {
  (void)state;
  for (int i = 0; i < TAREI_BINARY_COUNT * 30; i++) {
    const tarei_binary op = (tarei_binary)(i % TAREI_BINARY_COUNT);
    const size_t n = ck_size(), a_step = ck_below(2), b_step = ck_below(2);
    float *const a = ck_floats(a_step ? n : 1, true);
    float *const b = ck_floats(b_step ? n : 1, true);
    float *const expected = ck_alloc(n * sizeof *a);
    ck_scalar().binary(op, a, a_step, b, b_step, n, expected);
    CK_EACH_ROW("binary") {
      float *const out = ck_output(n * sizeof *a);
      ((tarei_binary_fn *)row->function)(op, a, a_step, b, b_step, n, out);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    free(a);
    free(b);
    free(expected);
  }
}

/* Squares and roots of whole rows have the bits of single powers. */
static void powers_by_one_exponent_are_single_powers(void **state) {
  (void)state;
  static const float exponents[] = {2, 0.5f, 3, -1, 0, 1.7f};
  for (int i = 0; i < 60; i++) {
    const size_t n = ck_size();
    const float exponent = exponents[i % 6];
    float *const x = ck_floats(n, true), *const each = ck_alloc(n * sizeof *x);
    float *const expected = ck_alloc(n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
      x[k] = k % 31 == 7 ? -INFINITY : k % 31 == 8 ? -0.0f : k % 31 == 9 ? INFINITY : x[k];
      each[k] = exponent;
    }
    ck_scalar().binary(TAREI_BINARY_POW, x, 1, each, 1, n, expected);
    CK_EACH_ROW("binary") {
      float *const out = ck_output(n * sizeof *x);
      ((tarei_binary_fn *)row->function)(TAREI_BINARY_POW, x, 1, &exponent, 0, n, out);
      ck_assert_same_floats(row->name, out, expected, n);
      free(out);
    }
    for (size_t k = 0; k < n && exponent == 0.5f; k++) {
      const double root = pow((double)x[k], 0.5);
      assert_true(isnan(root) ? isnan(expected[k]) : (float)root == expected[k]);
      assert_true(isnan(root) || !signbit(expected[k]));
    }
    free(x);
    free(each);
    free(expected);
  }
}

static float base_of(size_t k) {
  static const float edges[] = {0.0f, 1.0f, 0x1p-149f, 0x1p-126f, 0x1.fffffep127f, -0.0f, -2.5f};
  const float scaled = ldexpf((float)(ck_below(1 << 23) + 1), (int)ck_below(250) - 148);
  return k % 29 < sizeof edges / sizeof *edges ? edges[k % 29] : scaled;
}

/* Powers are the nearest float or one beside it, whatever stands in the lanes beside them. */
static void powers_are_near(void **state) {
  (void)state;
  static const float exponents[] = {0.3f, 0.6f, -0.5f, 1.0f / 3, 3, -1, 2, 0, 40, -1e6f};
  for (int i = 0; i < 100; i++) {
    const size_t n = ck_size();
    float *const x = ck_floats(n, false), *const y = ck_floats(n, false);
    float *const out = ck_output(n * sizeof *x);
    for (size_t k = 0; k < n; k++) {
      x[k] = base_of(k);
      y[k] = k % 3 ? exponents[ck_below(10)] : y[k];
    }
    ck_scalar().binary(TAREI_BINARY_POW, x, 1, y, 1, n, out);
    for (size_t k = 0; k < n; k++) {
      const float expected = (float)pow((double)x[k], (double)y[k]);
      float alone;
      ck_scalar().binary(TAREI_BINARY_POW, &x[k], 1, &y[k], 1, 1, &alone);
      ck_assert_same_floats("alone", &alone, &out[k], 1);
      assert_true(isnan(expected) ? isnan(out[k])
                                  : out[k] >= nextafterf(expected, -INFINITY) &&
                                        out[k] <= nextafterf(expected, INFINITY) &&
                                        !signbit(out[k]) == !signbit(expected));
    }
    free(x);
    free(y);
    free(out);
  }
}

typedef double reference_fn(double x);

static double gelu(double x) {
  return x / 2 * (1 + erf(x / sqrt(2)));
}

static double gelu_tanh(double x) {
  return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
}

static double sigmoid(double x) {
  return 1 / (1 + exp(-x));
}

static double silu(double x) {
  return x * sigmoid(x);
}

static double softplus(double x) {
  return log1p(exp(x));
}

static double elu(double x) {
  return x < 0 ? (double)0.2f * expm1(x) : x;
}

static double hard_sigmoid(double x) {
  return fmax(0, fmin(1, (double)0.2f * x + 0.5));
}

static double hard_swish(double x) {
  return x * fmax(0, fmin(1, x / 6 + 0.5));
}

static double celu(double x) {
  return fmax(0, x) + fmin(0, (double)0.2f * expm1(x / (double)0.2f));
}

static double mish(double x) {
  return x * tanh(softplus(x));
}

static double selu(double x) {
  return 0.5 * (x > 0 ? x : (double)0.2f * expm1(x));
}

static double shrink(double x) {
  return x < (double)-0.2f ? x + 0.5 : x > (double)0.2f ? x - 0.5 : 0;
}

static double sign(double x) {
  return (x > 0) - (x < 0);
}

static double softsign(double x) {
  return x / (1 + fabs(x));
}

static double swish(double x) {
  return x * sigmoid((double)0.2f * x);
}

static double thresholded_relu(double x) {
  return x > (double)0.2f ? x : 0;
}

static double reciprocal(double x) {
  return 1 / x;
}

static double negated(double x) {
  return -x;
}

static void fill_range(float *x, float low, float high) {
  for (int i = 0; i < N; i++) {
    x[i] = low + (high - low) * (float)i / (N - 1);
  }
}

static void assert_close(const char *name, const float *x, const float *y, reference_fn *f,
                         double absolute, double relative) {
  for (int i = 0; i < N; i++) {
    const double expected = f(x[i]);
    const double tolerance = absolute + relative * fabs(expected);
    if (!(fabs(y[i] - expected) <= tolerance) && !(isnan(y[i]) && isnan(expected))) {
      fail_msg("%s(%a) is %a, should be %a", name, (double)x[i], (double)y[i], expected);
    }
  }
}

static void activations_agree_with_libm(void **state) {
  (void)state;
  static const struct {
    tarei_act act;
    reference_fn *f;
    double absolute, relative;
  } table[] = {
      {TAREI_ACT_gelu, gelu, 4e-7, 6e-8},
      {TAREI_ACT_gelu_tanh, gelu_tanh, 4e-7, 6e-8},
      {TAREI_ACT_sigmoid, sigmoid, 1e-7, 0},
      {TAREI_ACT_tanh, tanh, 0, 2.5e-7},
      {TAREI_ACT_silu, silu, 1e-7, 3e-7},
      {TAREI_ACT_elu, elu, 0, 4e-7},
      {TAREI_ACT_hard_sigmoid, hard_sigmoid, 1e-7, 0},
      {TAREI_ACT_hard_swish, hard_swish, 1e-6, 1e-7},
  };
  float x[N], y[N];
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    for (float range = 1.0f; range < 200.0f; range *= 4.0f) {
      fill_range(x, -range, range);
      ck_scalar().act(table[t].act, 0.2f, 0.5f, x, N, y);
      assert_close(tarei_act_name(table[t].act), x, y, table[t].f, table[t].absolute,
                   table[t].relative);
    }
  }
}

static void unaries_agree_with_libm(void **state) {
  (void)state;
  static const struct {
    const char *name;
    tarei_unary op;
    reference_fn *f;
    float low, high;
    double absolute, relative;
  } table[] = {
      {"abs", TAREI_UNARY_abs, fabs, -9, 9, 0, 0},
      {"ceil", TAREI_UNARY_ceil, ceil, -9, 9, 0, 0},
      {"cos", TAREI_UNARY_cos, cos, -90, 90, 0, 6.1e-8},
      {"cos", TAREI_UNARY_cos, cos, -2e6f, 2e6f, 0, 6.1e-8},
      {"erf", TAREI_UNARY_erf, erf, -5, 5, 4e-7, 0},
      {"exp", TAREI_UNARY_exp, exp, -86.9f, 88.7f, 0, 2e-7},
      {"floor", TAREI_UNARY_floor, floor, -9, 9, 0, 0},
      {"log", TAREI_UNARY_log, log, 1e-30f, 9, 0, 2e-7},
      {"neg", TAREI_UNARY_neg, negated, -9, 9, 0, 0},
      {"reciprocal", TAREI_UNARY_reciprocal, reciprocal, -9, 9.5f, 0, 6e-8},
      {"round", TAREI_UNARY_round, rint, -9, 9, 0, 0},
      {"sin", TAREI_UNARY_sin, sin, -1e-30f, 1e-30f, 0, 6.1e-8},
      {"sin", TAREI_UNARY_sin, sin, -90, 90, 0, 6.1e-8},
      {"sin", TAREI_UNARY_sin, sin, -2e6f, 2e6f, 0, 6.1e-8},
      {"softplus", TAREI_UNARY_softplus, softplus, -86.9f, 90, 0, 3e-7},
      {"sqrt", TAREI_UNARY_sqrt, sqrt, 0, 90, 0, 6e-8},
      {"acos", TAREI_UNARY_acos, acos, -1, 1, 0, 6.1e-8},
      {"acosh", TAREI_UNARY_acosh, acosh, 1, 1.01f, 0, 6.1e-8},
      {"acosh", TAREI_UNARY_acosh, acosh, 1, 90, 0, 6.1e-8},
      {"acosh", TAREI_UNARY_acosh, acosh, 1, 1e30f, 0, 6.1e-8},
      {"asin", TAREI_UNARY_asin, asin, -1, 1, 0, 6.1e-8},
      {"asinh", TAREI_UNARY_asinh, asinh, -1e-4f, 1e-4f, 0, 6.1e-8},
      {"asinh", TAREI_UNARY_asinh, asinh, -90, 90, 0, 6.1e-8},
      {"asinh", TAREI_UNARY_asinh, asinh, -1e30f, 1e30f, 0, 6.1e-8},
      {"atan", TAREI_UNARY_atan, atan, -3, 3, 0, 6.1e-8},
      {"atan", TAREI_UNARY_atan, atan, -1e30f, 1e30f, 0, 6.1e-8},
      {"atanh", TAREI_UNARY_atanh, atanh, -1e-4f, 1e-4f, 0, 6.1e-8},
      {"atanh", TAREI_UNARY_atanh, atanh, -0.9999f, 0.9999f, 0, 6.1e-8},
      {"celu", TAREI_UNARY_celu, celu, -9, 9, 1e-7, 3e-7},
      {"cosh", TAREI_UNARY_cosh, cosh, -2, 2, 0, 6.1e-8},
      {"cosh", TAREI_UNARY_cosh, cosh, -89, 89, 0, 6.1e-8},
      {"mish", TAREI_UNARY_mish, mish, -80, 90, 0, 6e-7},
      {"selu", TAREI_UNARY_selu, selu, -20, 20, 0, 3e-7},
      {"shrink", TAREI_UNARY_shrink, shrink, -2, 2, 1e-7, 1e-7},
      {"sign", TAREI_UNARY_sign, sign, -2, 2, 0, 0},
      {"sinh", TAREI_UNARY_sinh, sinh, -2, 2, 0, 6.1e-8},
      {"sinh", TAREI_UNARY_sinh, sinh, -89, 89, 0, 6.1e-8},
      {"softsign", TAREI_UNARY_softsign, softsign, -90, 90, 0, 2e-7},
      {"swish", TAREI_UNARY_swish, swish, -200, 200, 1e-6, 3e-7},
      {"tan", TAREI_UNARY_tan, tan, -9, 9, 0, 6.1e-8},
      {"tan", TAREI_UNARY_tan, tan, -1e6f, 1e6f, 0, 6.1e-8},
      {"thresholded_relu", TAREI_UNARY_thresholded_relu, thresholded_relu, -2, 2, 0, 0},
  };
  bool tested[TAREI_UNARY_COUNT] = {false};
  float x[N], y[N];
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    tested[table[t].op] = true;
    fill_range(x, table[t].low, table[t].high);
    ck_scalar().unary(table[t].op, 0.2f, 0.5f, x, N, y);
    assert_close(table[t].name, x, y, table[t].f, table[t].absolute, table[t].relative);
  }
  for (int op = 0; op < TAREI_UNARY_COUNT; op++) {
    assert_true(tested[op]);
  }
}

static float act_of(tarei_act act, float x) {
  float y;
  ck_scalar().act(act, 0, 0, &x, 1, &y);
  return y;
}

static float unary_of(tarei_unary op, float x) {
  float y;
  ck_scalar().unary(op, 0, 0, &x, 1, &y);
  return y;
}

static double expm1_by_elu(double x) {
  return x < 0 ? expm1(x) : x;
}

/* Every exponent, subnormal ones too, and both sides of where e^x - 1 changes its form. */
static void functions_are_exact_near_their_limits(void **state) {
  (void)state;
  float x[N], y[N];
  for (int i = 0; i < N; i++) {
    x[i] = ldexpf(1.0f + (float)(i % 7) / 7, -149 + i % 277);
  }
  ck_scalar().unary(TAREI_UNARY_log, 0, 0, x, N, y);
  assert_close("log", x, y, log, 0, 2e-7);
  for (int i = 0; i < N; i++) {
    x[i] = -x[i];
  }
  ck_scalar().act(TAREI_ACT_elu, 1.0f, 0, x, N, y);
  assert_close("elu", x, y, expm1_by_elu, 2e-45, 3e-7);
  ck_scalar().unary(TAREI_UNARY_celu, -1.0f, 0, x, N, y); /* e^x - 1 above zero */
  for (int i = 0; i < N; i++) {
    const double expected = -expm1(-(double)x[i]);
    if (x[i] > -88.0f && !(fabs(y[i] - expected) <= 2e-45 - 3e-7 * expected)) {
      fail_msg("celu(%a) is %a, should be %a", (double)x[i], (double)y[i], expected);
    }
  }
}

static void limits_are_right(void **state) {
  (void)state;
  assert_true(unary_of(TAREI_UNARY_exp, INFINITY) == INFINITY);
  assert_true(unary_of(TAREI_UNARY_exp, 89.0f) == INFINITY);
  assert_true(unary_of(TAREI_UNARY_exp, -INFINITY) == 0.0f);
  assert_true(unary_of(TAREI_UNARY_exp, -10000.0f) == 0.0f);
  assert_true(unary_of(TAREI_UNARY_exp, 0.0f) == 1.0f);
  assert_true(isnan(unary_of(TAREI_UNARY_exp, NAN)));
  assert_true(unary_of(TAREI_UNARY_log, 1.0f) == 0.0f);
  assert_true(unary_of(TAREI_UNARY_log, 0.0f) == -INFINITY);
  assert_true(unary_of(TAREI_UNARY_log, -0.0f) == -INFINITY);
  assert_true(unary_of(TAREI_UNARY_log, INFINITY) == INFINITY);
  assert_true(isnan(unary_of(TAREI_UNARY_log, -0x1p-149f)));
  assert_true(isnan(unary_of(TAREI_UNARY_log, -INFINITY)));
  assert_true(isnan(unary_of(TAREI_UNARY_log, NAN)));
  assert_true(unary_of(TAREI_UNARY_softplus, INFINITY) == INFINITY);
  assert_true(unary_of(TAREI_UNARY_softplus, -INFINITY) == 0.0f);
  assert_true(isnan(unary_of(TAREI_UNARY_softplus, NAN)));
  const float ends[] = {-INFINITY, -0.0f, INFINITY, NAN};
  float limits[4];
  ck_scalar().act(TAREI_ACT_elu, 1.0f, 0, ends, 4, limits);
  assert_true(limits[0] == -1.0f && limits[1] == 0.0f && limits[2] == INFINITY && isnan(limits[3]));
  assert_true(unary_of(TAREI_UNARY_mish, INFINITY) == INFINITY);
  assert_true(unary_of(TAREI_UNARY_mish, -INFINITY) == 0.0f);
  assert_true(isnan(unary_of(TAREI_UNARY_mish, NAN)));
  assert_true(isnan(unary_of(TAREI_UNARY_sign, NAN)));
  float x = -INFINITY, y;
  ck_scalar().unary(TAREI_UNARY_swish, 1, 0, &x, 1, &y);
  assert_true(y == 0.0f);
  assert_true(unary_of(TAREI_UNARY_erf, INFINITY) == 1.0f);
  assert_true(unary_of(TAREI_UNARY_erf, -INFINITY) == -1.0f);
  assert_true(isnan(unary_of(TAREI_UNARY_erf, NAN)));
  assert_true(act_of(TAREI_ACT_tanh, -INFINITY) == -1.0f);
  assert_true(act_of(TAREI_ACT_sigmoid, -INFINITY) == 0.0f);
  assert_true(act_of(TAREI_ACT_sigmoid, INFINITY) == 1.0f);
  assert_true(act_of(TAREI_ACT_hard_swish, -INFINITY) == 0.0f);
  assert_true(act_of(TAREI_ACT_hard_swish, INFINITY) == INFINITY);
  static const tarei_act gates[] = {TAREI_ACT_gelu, TAREI_ACT_gelu_tanh, TAREI_ACT_silu};
  for (int i = 0; i < 3; i++) {
    assert_true(act_of(gates[i], -INFINITY) == 0.0f);
    assert_true(act_of(gates[i], INFINITY) == INFINITY);
    assert_true(isnan(act_of(gates[i], NAN)));
  }
}

static void hyperbolic_limits_are_right(void **state) {
  (void)state;
  static const struct {
    tarei_unary op;
    double (*f)(double);
  } table[] = {{TAREI_UNARY_acosh, acosh},
               {TAREI_UNARY_asinh, asinh},
               {TAREI_UNARY_atanh, atanh},
               {TAREI_UNARY_cosh, cosh},
               {TAREI_UNARY_sinh, sinh}};
  static const float ends[] = {0.0f,      -0.0f, 1,       -1,       2,    -2,    1e-40f,
                               -INFINITY, NAN,   FLT_MAX, -FLT_MAX, 1000, -1000, INFINITY};
  enum { ENDS = sizeof ends / sizeof *ends };
  for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
    float got[ENDS], expected[ENDS];
    for (size_t i = 0; i < ENDS; i++) {
      expected[i] = (float)table[t].f((double)ends[i]);
    }
    ck_scalar().unary(table[t].op, 0, 0, ends, ENDS, got);
    ck_assert_same_floats("libm", got, expected, ENDS);
  }
}

int pointwise_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(act_rows_give_the_bits_of_scalar),
      cmocka_unit_test(unary_rows_give_the_bits_of_scalar),
      cmocka_unit_test(binary_rows_give_the_bits_of_scalar),
      cmocka_unit_test(powers_by_one_exponent_are_single_powers),
      cmocka_unit_test(powers_are_near),
      cmocka_unit_test(activations_agree_with_libm),
      cmocka_unit_test(unaries_agree_with_libm),
      cmocka_unit_test(functions_are_exact_near_their_limits),
      cmocka_unit_test(limits_are_right),
      cmocka_unit_test(hyperbolic_limits_are_right),
  };
  return cmocka_run_group_tests_name("kernels.pointwise", tests, ck_seed, NULL);
}
