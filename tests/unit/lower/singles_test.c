/* Elementwise operators of one operand in every element type, against arithmetic of 128 bits and
 * long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/wide.h"

enum { ROWS = 3, COLUMNS = 70, N = ROWS * COLUMNS };

/* --- one operand ------------------------------------------------------------------------------ */
typedef wide single_fn(wide x);

#define SINGLE(name, expression)   \
  static wide name(const wide x) { \
    return expression;             \
  }
SINGLE(size_of, x < 0 ? -x : x)
SINGLE(negated, -x)
SINGLE(sign_of, (x > 0) - (x < 0))
SINGLE(positive, x < 0 ? 0 : x)
SINGLE(complement, -1 - x)
SINGLE(clipped, x<3 ? 3 : x> 7 ? 7 : x)
SINGLE(from_below, x < 3 ? 3 : x)
SINGLE(shrunk, x<-2 ? x + 1 : x> 2 ? x - 1 : 0)
SINGLE(error_of, (x > 5) - (x < -5)) /* erf is not 1 before that, and is cut toward zero */

static void check_single(const char *const op, single_fn *const f, const tare_dtype dtype) {
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, 1, (int64_t[]){N}, NULL);
  fill_integers(&t.inputs[0], true);
  if (f == clipped || f == from_below) {
    (void)one_node_input(&t, dtype, 0, NULL, NULL);
    put_integer(&t.inputs[1], 0, 3);
  }
  if (f == clipped) {
    (void)one_node_input(&t, dtype, 0, NULL, NULL);
    put_integer(&t.inputs[2], 0, 7);
  }
  if (f == shrunk) { /* not the ends of wide types, which are no doubles */
    for (size_t i = 0; i < N; i++) {
      put_integer(&t.inputs[0], i, wrapped(dtype, one_node_between(-9, 9)) % 100);
    }
  }
  one_node_op(&t, op, "", 18, 1);
  assert_true(f != shrunk || (tarei_attr_set_float(t.node, "lambd", 2) &&
                              tarei_attr_set_float(t.node, "bias", 1)));
  one_node_run_ok(&t);
  for (size_t i = 0; i < N; i++) {
    const wide x = integer_at(&t.inputs[0], i);
    if (integer_at(&t.outputs[0], i) != wrapped(dtype, f(x))) {
      fail_msg("%s of %s: %lld gives %lld", op, tare_dtype_name(dtype), (long long)x,
               (long long)integer_at(&t.outputs[0], i));
    }
  }
  one_node_end(&t);
}

static void test_integer_singles(void **state) {
  (void)state;
  static const struct {
    const char *op;
    single_fn *f;
    int dtypes; /* the first of integers[] */
  } cases[] = {
      {"Abs", size_of, N_INTEGERS},     {"Neg", negated, N_INTEGERS / 2},
      {"Sign", sign_of, N_INTEGERS},    {"Relu", positive, N_INTEGERS},
      {"Clip", clipped, N_INTEGERS},    {"BitwiseNot", complement, N_INTEGERS},
      {"Clip", from_below, N_INTEGERS}, {"Shrink", shrunk, N_INTEGERS},
      {"Erf", error_of, N_INTEGERS},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int d = 0; d < cases[c].dtypes; d++) {
      check_single(cases[c].op, cases[c].f, integers[d]);
    }
  }
}

typedef long double real;

static real sigmoid(const real x) {
  return 1 / (1 + expl(-x));
}
static real softplus(const real x) {
  return x > 0 ? x + log1pl(expl(-x)) : log1pl(expl(x));
}
static real inverse(const real x) {
  return 1 / x;
}
static real opposite(const real x) {
  return -x;
}
static real relu(const real x) {
  return fmaxl(x, 0);
}
static real leaky_relu(const real x) {
  return x < 0 ? (real)0.25 * x : x;
}
static real elu(const real x) {
  return x < 0 ? (real)0.25 * expm1l(x) : x;
}
static real celu(const real x) {
  return fmaxl(0, x) + fminl(0, (real)0.25 * expm1l(x / (real)0.25));
}
static real selu(const real x) {
  return 2 * (x > 0 ? x : (real)0.25 * expm1l(x));
}
static real thresholded(const real x) {
  return x > (real)0.25 ? x : 0;
}
static real hard_sigmoid(const real x) {
  return fmaxl(0, fminl(1, (real)0.25 * x + (real)0.5));
}
static real hard_swish(const real x) {
  return x * fmaxl(0, fminl(1, x / 6 + (real)0.5));
}
static real gelu(const real x) {
  return x / 2 * (1 + erfl(x / sqrtl(2)));
}
static real mish(const real x) {
  return x * tanhl(softplus(x));
}
static real swish(const real x) {
  return x * sigmoid((real)0.25 * x);
}
static real softsign(const real x) {
  return x / (1 + fabsl(x));
}
static real sign(const real x) {
  return (x > 0) - (x < 0);
}
static real shrink(const real x) {
  return x < -(real)0.5 ? x + (real)0.125 : x > (real)0.5 ? x - (real)0.125 : 0;
}

typedef struct curve {
  const char *op;
  real (*f)(real x);
  double low, high;
} curve;

static const curve curves[] = {
    {"Abs", fabsl, -3, 3},
    {"Acos", acosl, -1, 1},
    {"Acosh", acoshl, 1, 9},
    {"Asin", asinl, -1, 1},
    {"Asinh", asinhl, -9, 9},
    {"Atan", atanl, -9, 9},
    {"Atanh", atanhl, -0.9, 0.9},
    {"Ceil", ceill, -3, 3},
    {"Celu", celu, -3, 3},
    {"Cos", cosl, -9, 9},
    {"Cosh", coshl, -9, 9},
    {"Elu", elu, -3, 3},
    {"Erf", erfl, -3, 3},
    {"Exp", expl, -9, 9},
    {"Floor", floorl, -3, 3},
    {"Gelu", gelu, -3, 3},
    {"HardSigmoid", hard_sigmoid, -3, 3},
    {"HardSwish", hard_swish, -9, 9},
    {"LeakyRelu", leaky_relu, -3, 3},
    {"Log", logl, 0.1, 9},
    {"Mish", mish, -9, 9},
    {"Neg", opposite, -3, 3},
    {"Reciprocal", inverse, 0.1, 3},
    {"Relu", relu, -3, 3},
    {"Round", rintl, -2.5, 3.5},
    {"Selu", selu, -3, 3},
    {"Shrink", shrink, -3, 3},
    {"Sigmoid", sigmoid, -9, 9},
    {"Sign", sign, -3, 3},
    {"Sin", sinl, -9, 9},
    {"Sinh", sinhl, -9, 9},
    {"Softplus", softplus, -50, 50},
    {"Softsign", softsign, -9, 9},
    {"Sqrt", sqrtl, 0, 9},
    {"Swish", swish, -9, 9},
    {"Tan", tanl, -1.5, 1.5},
    {"Tanh", tanhl, -9, 9},
    {"ThresholdedRelu", thresholded, -3, 3},
};

/* float64 to the last bits, float32 to a few of its own. */
static void check_curve(const curve *const c, const tare_dtype dtype) {
  enum { POINTS = 97 };
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, 1, (int64_t[]){POINTS}, NULL);
  for (int i = 0; i < POINTS; i++) {
    const double x = c->low + (c->high - c->low) * i / (POINTS - 1);
    if (dtype == TARE_F64) {
      ((double *)t.inputs[0].data)[i] = x;
    } else {
      ((float *)t.inputs[0].data)[i] = (float)x;
    }
  }
  one_node_op(&t, c->op, "", 21, 1);
  assert_true(tarei_attr_set_float(t.node, "alpha", 0.25f));
  assert_true(tarei_attr_set_float(t.node, "gamma", 2) && c->f != shrink
                  ? true
                  : tarei_attr_set_float(t.node, "bias", 0.125f));
  one_node_run_ok(&t);
  for (int i = 0; i < POINTS; i++) {
    const bool f64 = dtype == TARE_F64;
    const real x =
        f64 ? ((const double *)t.inputs[0].data)[i] : ((const float *)t.inputs[0].data)[i];
    const real y =
        f64 ? ((const double *)t.outputs[0].data)[i] : ((const float *)t.outputs[0].data)[i];
    const real expected = c->f(x), limit = (f64 ? 4e-15L : 1e-6L) * (1 + fabsl(expected));
    if (!(fabsl(y - expected) <= limit)) {
      fail_msg("%s of %s %.17g is %.17g, should be %.17g", c->op, tare_dtype_name(dtype), (double)x,
               (double)y, (double)expected);
    }
  }
  one_node_end(&t);
}

static void test_curves(void **state) {
  (void)state;
  for (size_t c = 0; c < sizeof curves / sizeof *curves; c++) {
    check_curve(&curves[c], TARE_F64);
    check_curve(&curves[c], TARE_F32);
  }
}

/* Without attributes Selu and Shrink have those of their definition. */
static void test_defaults(void **state) {
  (void)state;
  static const struct {
    const char *op;
    double expected[3];
  } cases[] = {
      {"Selu", {-1.1113307378125625, 0.52535051107, 2.10140204429}},
      {"Shrink", {0, 0, 2}},
      {"ThresholdedRelu", {0, 0, 2}},
      {"Celu", {-0.6321205588285577, 0.5, 2}},
      {"HardSigmoid", {0.3, 0.6, 0.9}},
      {"LeakyRelu", {-0.01, 0.5, 2}},
      {"Swish", {-0.2689414213699951, 0.3112296656, 1.7615941559557649}},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    const double x[] = {-1, 0.5, 2};
    const double x_small[] = {-0.25, 0.5, 2};
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){3},
                         strcmp(cases[c].op, "Shrink") == 0 ? x_small : x);
    one_node_op(&t, cases[c].op, "", 24, 1);
    one_node_run_ok(&t);
    for (int i = 0; i < 3; i++) {
      assert_true(fabs(((const double *)t.outputs[0].data)[i] - cases[c].expected[i]) < 1e-7);
    }
    one_node_end(&t);
  }
}

/* --- Clip, questions, empty tensors ----------------------------------------------------------- */
static void test_clip_of_doubles(void **state) {
  (void)state;
  const double x[] = {-5, 0.5, 9, NAN}, by_attributes[] = {-1, 0.5, 2};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){4}, x);
  one_node_op(&t, "Clip", "", 7, 1);
  assert_true(tarei_attr_set_float(t.node, "min", -1) && tarei_attr_set_float(t.node, "max", 2));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, by_attributes, sizeof by_attributes);
  assert_true(isnan(((const double *)t.outputs[0].data)[3]));
  one_node_end(&t);
  const double low = 6, high = 3; /* the upper bound has the last word */
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){4}, x);
  (void)one_node_input(&t, TARE_F64, 0, NULL, &low);
  (void)one_node_input(&t, TARE_F64, 0, NULL, &high);
  one_node_op(&t, "Clip", "", 13, 1);
  one_node_run_ok(&t);
  for (int i = 0; i < 3; i++) {
    assert_true(((const double *)t.outputs[0].data)[i] == 3);
  }
  one_node_end(&t);
}

static void check_question(const char *const op, const tare_dtype dtype, const int negative,
                           const int positive, const uint8_t *const expected) {
  const double x[] = {1, NAN, INFINITY, -(double)INFINITY, -0.0};
  const float x_f32[] = {1, NAN, INFINITY, -INFINITY, -0.0f};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, 1, (int64_t[]){5}, dtype == TARE_F64 ? (const void *)x : x_f32);
  one_node_op(&t, op, "", 20, 1);
  assert_true(negative || tarei_attr_set_int(t.node, "detect_negative", 0));
  assert_true(positive || tarei_attr_set_int(t.node, "detect_positive", 0));
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, expected, 5);
  one_node_end(&t);
}

static void test_questions(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_F32, TARE_F64};
  for (int d = 0; d < 2; d++) {
    check_question("IsNaN", dtypes[d], 1, 1, (const uint8_t[]){0, 1, 0, 0, 0});
    check_question("IsInf", dtypes[d], 1, 1, (const uint8_t[]){0, 0, 1, 1, 0});
    check_question("IsInf", dtypes[d], 0, 1, (const uint8_t[]){0, 0, 1, 0, 0});
    check_question("IsInf", dtypes[d], 1, 0, (const uint8_t[]){0, 0, 0, 1, 0});
    check_question("IsInf", dtypes[d], 0, 0, (const uint8_t[]){0, 0, 0, 0, 0});
  }
}

static void test_empty(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I16, 1, (int64_t[]){0}, NULL);
  one_node_op(&t, "Abs", "", 13, 1);
  one_node_run_ok(&t);
  one_node_end(&t);
}

static void test_refused(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 1, (int64_t[]){3}, NULL);
  one_node_op(&t, "Neg", "", 13, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "uint8");
}

int singles_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_singles), cmocka_unit_test(test_curves),
      cmocka_unit_test(test_defaults),        cmocka_unit_test(test_clip_of_doubles),
      cmocka_unit_test(test_questions),       cmocka_unit_test(test_empty),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
