/* Elementwise operators in every element type, against arithmetic of 128 bits and long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/one_node.h"

typedef __int128 wide;

enum { ROWS = 3, COLUMNS = 70, N = ROWS * COLUMNS };

static const tare_dtype integers[] = {TARE_I8, TARE_I16, TARE_I32, TARE_I64,
                                      TARE_U8, TARE_U16, TARE_U32, TARE_U64};
enum { N_INTEGERS = sizeof integers / sizeof *integers };

static bool is_signed(const tare_dtype dtype) {
  return dtype == TARE_I8 || dtype == TARE_I16 || dtype == TARE_I32 || dtype == TARE_I64;
}

static wide integer_at(const tare_tensor *const x, const size_t i) {
  const size_t size = tare_dtype_size(x->dtype);
  uint64_t bits = 0;
  memcpy(&bits, (const char *)x->data + i * size, size);
  const bool negative = is_signed(x->dtype) && bits >> (8 * size - 1);
  return (wide)bits - (negative ? (wide)1 << (8 * size) : 0);
}

static void put_integer(const tare_tensor *const x, const size_t i, const wide value) {
  const size_t size = tare_dtype_size(x->dtype);
  const uint64_t bits = (uint64_t)value;
  memcpy((char *)x->data + i * size, &bits, size); /* little endian */
}

/* What is left of a result in this type. */
static wide wrapped(const tare_dtype dtype, const wide value) {
  uint64_t bits = 0;
  const tare_tensor one = {.dtype = dtype, .data = &bits};
  put_integer(&one, 0, value);
  return integer_at(&one, 0);
}

/* Small numbers, and the ends of the type. */
static wide some_integer(const tare_dtype dtype) {
  const wide half = (wide)1 << (8 * tare_dtype_size(dtype) - 1);
  const wide ends[] = {0, 1, -1, half, half - 1, half + 1};
  return wrapped(dtype,
                 one_node_between(0, 3) ? one_node_between(-9, 9) : ends[one_node_between(0, 5)]);
}

static void fill_integers(const tare_tensor *const x, const bool with_zero) {
  for (size_t i = 0; i < (size_t)tare_tensor_count(x); i++) {
    const wide value = some_integer(x->dtype);
    put_integer(x, i, value == 0 && !with_zero ? 1 : value);
  }
}

/* --- two operands ----------------------------------------------------------------------------- */
typedef wide pair_fn(wide a, wide b, int bits);

#define PAIR(name, expression)                                   \
  static wide name(const wide a, const wide b, const int bits) { \
    (void)bits;                                                  \
    return expression;                                           \
  }
PAIR(sum, a + b)
PAIR(difference, a - b)
PAIR(product, (wide)((unsigned __int128)a *(unsigned __int128)b))
PAIR(quotient, a / b)
PAIR(least, a < b ? a : b)
PAIR(greatest, a < b ? b : a)
PAIR(c_remainder, a % b)
PAIR(floor_remainder, (a % b + b) % b)
PAIR(equal, a == b)
PAIR(less, a < b)
PAIR(less_equal, a <= b)
PAIR(greater, a > b)
PAIR(greater_equal, a >= b)
PAIR(bit_and, a &b)
PAIR(bit_or, a | b)
PAIR(bit_xor, a ^ b)
PAIR(slope, a < 0 ? a * b : a)
PAIR(shift_left, b < bits ? a << b : 0)
PAIR(shift_right, b < bits ? a >> b : 0)

/* a [ROWS][COLUMNS], b of 1, COLUMNS or ROWS x 1 elements, or the other way round. */
static void check_pair(const char *const op, pair_fn *const f, const tare_dtype dtype,
                       const int form) {
  static const struct {
    int rank_a, rank_b;
    int64_t a[2], b[2];
  } forms[] = {
      {2, 2, {ROWS, COLUMNS}, {ROWS, COLUMNS}},
      {2, 0, {ROWS, COLUMNS}, {0}},
      {2, 2, {ROWS, COLUMNS}, {ROWS, 1}},
      {2, 1, {ROWS, COLUMNS}, {COLUMNS}},
      {1, 2, {1}, {ROWS, COLUMNS}},
      {1, 2, {COLUMNS}, {ROWS, 1}},
  };
  const bool slopes = f == slope;
  const int k = slopes ? form % 4 : form;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, dtype, forms[k].rank_a, forms[k].a, NULL);
  (void)one_node_input(&t, dtype, forms[k].rank_b, forms[k].b, NULL);
  fill_integers(&t.inputs[0], true);
  fill_integers(&t.inputs[1], f != quotient && f != c_remainder && f != floor_remainder);
  one_node_op(&t, op, "", 18, 1);
  assert_true(f != c_remainder || tarei_attr_set_int(t.node, "fmod", 1));
  assert_true(f != shift_left || tarei_attr_set_string(t.node, "direction", "LEFT"));
  assert_true(f != shift_right || tarei_attr_set_string(t.node, "direction", "RIGHT"));
  one_node_run_ok(&t);
  const size_t a_count = (size_t)tare_tensor_count(&t.inputs[0]);
  const size_t b_count = (size_t)tare_tensor_count(&t.inputs[1]);
  for (size_t i = 0; i < N; i++) {
    const size_t at_a = a_count == ROWS ? i / COLUMNS : i % a_count;
    const size_t at_b = b_count == ROWS ? i / COLUMNS : i % b_count;
    const wide a = integer_at(&t.inputs[0], at_a), b = integer_at(&t.inputs[1], at_b);
    const wide expected = wrapped(t.outputs[0].dtype, f(a, b, 8 * (int)tare_dtype_size(dtype)));
    if (integer_at(&t.outputs[0], i) != expected) {
      fail_msg("%s of %s: %lld, %lld gives %lld instead of %lld", op, tare_dtype_name(dtype),
               (long long)a, (long long)b, (long long)integer_at(&t.outputs[0], i),
               (long long)expected);
    }
  }
  one_node_end(&t);
}

static void test_integer_pairs(void **state) {
  (void)state;
  static const struct {
    const char *op;
    pair_fn *f;
    bool unsigned_only;
  } cases[] = {
      {"Add", sum, false},
      {"Sub", difference, false},
      {"Mul", product, false},
      {"Div", quotient, false},
      {"Min", least, false},
      {"Max", greatest, false},
      {"Mod", c_remainder, false},
      {"Mod", floor_remainder, false},
      {"Equal", equal, false},
      {"Less", less, false},
      {"LessOrEqual", less_equal, false},
      {"Greater", greater, false},
      {"GreaterOrEqual", greater_equal, false},
      {"BitwiseAnd", bit_and, false},
      {"BitwiseOr", bit_or, false},
      {"BitwiseXor", bit_xor, false},
      {"PRelu", slope, false},
      {"BitShift", shift_left, true},
      {"BitShift", shift_right, true},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    for (int d = cases[c].unsigned_only ? N_INTEGERS / 2 : 0; d < N_INTEGERS; d++) {
      for (int form = 0; form < 6; form++) {
        check_pair(cases[c].op, cases[c].f, integers[d], form);
      }
    }
  }
}

static const double some_doubles[] = {0.0, -0.0, 1.5, -2.25, 3e-300, -7e200, INFINITY, NAN, 0.1};
enum { N_DOUBLES = sizeof some_doubles / sizeof *some_doubles };

static bool same_double(const double a, const double b) {
  return a == b || (isnan(a) && isnan(b));
}

static double larger_or_nan(const double a, const double b) {
  return isnan(a) || isnan(b) ? (double)NAN : fmax(a, b);
}

static double smaller_or_nan(const double a, const double b) {
  return isnan(a) || isnan(b) ? (double)NAN : fmin(a, b);
}

#define DOUBLES(name, expression)                      \
  static double name(const double a, const double b) { \
    return expression;                                 \
  }
DOUBLES(double_sum, a + b)
DOUBLES(double_difference, a - b)
DOUBLES(double_product, a *b)
DOUBLES(double_quotient, a / b)
DOUBLES(double_slope, a < 0 ? a * b : a)
DOUBLES(double_equal, a == b)
DOUBLES(double_less, a < b)
DOUBLES(double_greater_equal, a >= b)

/* Each number with each. */
static void test_double_pairs(void **state) {
  (void)state;
  static const struct {
    const char *op;
    double (*f)(double a, double b);
  } cases[] = {
      {"Add", double_sum},     {"Sub", double_difference},
      {"Mul", double_product}, {"Div", double_quotient},
      {"Max", larger_or_nan},  {"Min", smaller_or_nan},
      {"Mod", fmod},           {"Pow", pow},
      {"PRelu", double_slope}, {"Equal", double_equal},
      {"Less", double_less},   {"GreaterOrEqual", double_greater_equal},
  };
  double all[N_DOUBLES * N_DOUBLES];
  for (int i = 0; i < N_DOUBLES * N_DOUBLES; i++) {
    all[i] = some_doubles[i / N_DOUBLES];
  }
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F64, 2, (int64_t[]){N_DOUBLES, N_DOUBLES}, all);
    (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){N_DOUBLES}, some_doubles);
    one_node_op(&t, cases[c].op, "", 18, 1);
    assert_true(cases[c].f != fmod || tarei_attr_set_int(t.node, "fmod", 1));
    one_node_run_ok(&t);
    for (int i = 0; i < N_DOUBLES * N_DOUBLES; i++) {
      const double expected = cases[c].f(all[i], some_doubles[i % N_DOUBLES]);
      const double got = t.outputs[0].dtype == TARE_F64 ? ((const double *)t.outputs[0].data)[i]
                                                        : ((const uint8_t *)t.outputs[0].data)[i];
      if (!same_double(got, expected)) {
        fail_msg("%s of %g, %g gives %g instead of %g", cases[c].op, all[i],
                 some_doubles[i % N_DOUBLES], got, expected);
      }
    }
    one_node_end(&t);
  }
}

static void test_logic(void **state) {
  (void)state;
  static const struct {
    const char *op;
    uint8_t expected[4];
  } cases[] = {
      {"And", {0, 0, 0, 1}}, {"Or", {0, 1, 1, 1}}, {"Xor", {0, 1, 1, 0}}, {"Equal", {1, 0, 0, 1}}};
  const uint8_t a[] = {0, 1}, b[] = {0, 1};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_BOOL, 2, (int64_t[]){2, 1}, a);
    (void)one_node_input(&t, TARE_BOOL, 1, (int64_t[]){2}, b);
    one_node_op(&t, cases[c].op, "", 11, 1);
    one_node_run_ok(&t);
    assert_memory_equal(t.outputs[0].data, cases[c].expected, 4);
    one_node_end(&t);
  }
}

/* --- powers ----------------------------------------------------------------------------------- */
static wide power(const tare_dtype dtype, const wide x, const wide y) {
  wide result = 1;
  for (wide i = 0; i < y; i++) {
    result = wrapped(dtype, result * x);
  }
  return y >= 0 ? result : x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
}

static void test_integer_powers(void **state) {
  (void)state;
  static const tare_dtype bases[] = {TARE_I32, TARE_I64};
  for (int c = 0; c < 2 * N_INTEGERS; c++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, bases[c % 2], 2, (int64_t[]){2, 300}, NULL);
    (void)one_node_input(&t, integers[c / 2], 1, (int64_t[]){300}, NULL);
    for (size_t i = 0; i < 300; i++) {
      const int64_t low = is_signed(integers[c / 2]) ? -3 : 0;
      put_integer(&t.inputs[1], i, one_node_between(low, 40));
    }
    one_node_op(&t, "Pow", "", 15, 1);
    one_node_run_ok(&t);
    for (size_t i = 0; i < 600; i++) {
      const wide x = integer_at(&t.inputs[0], i), y = integer_at(&t.inputs[1], i % 300);
      assert_true(integer_at(&t.outputs[0], i) == power(bases[c % 2], x, y));
    }
    one_node_end(&t);
  }
}

static void test_mixed_powers(void **state) {
  (void)state;
  const int64_t bases[] = {3, -2, 7, 0}, by_half[] = {5, 0, 18, 0};
  const double exponents[] = {1.5, 0.5, 1.5, 2};
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){4}, bases);
  (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){4}, exponents);
  one_node_op(&t, "Pow", "", 15, 1);
  one_node_run_ok(&t);
  assert_memory_equal(t.outputs[0].data, by_half, sizeof by_half);
  one_node_end(&t);
  const double x[] = {1.5, -2, 0.1}, cubes[] = {3.375, -8, 0.1 * 0.1 * 0.1};
  const uint8_t three = 3;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F64, 1, (int64_t[]){3}, x);
  (void)one_node_input(&t, TARE_U8, 0, NULL, &three);
  one_node_op(&t, "Pow", "", 15, 1);
  one_node_run_ok(&t);
  for (int i = 0; i < 3; i++) {
    assert_true(fabs(((const double *)t.outputs[0].data)[i] - cubes[i]) < 1e-15);
  }
  one_node_end(&t);
}

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
  static const char *const ops[] = {"Add", "Div", "Less", "Mod", "Pow", "Min"};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){0, 3}, NULL);
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, &(int64_t){0});
    one_node_op(&t, ops[i], "", 18, 1);
    one_node_run_ok(&t);
    assert_int_equal(t.outputs[0].dims[0], 0);
    assert_int_equal(t.outputs[0].dims[1], 3);
    one_node_end(&t);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I16, 1, (int64_t[]){0}, NULL);
  one_node_op(&t, "Abs", "", 13, 1);
  one_node_run_ok(&t);
  one_node_end(&t);
}

static void test_refused(void **state) {
  (void)state;
  static const tare_dtype dtypes[] = {TARE_I8, TARE_U64};
  static const char *const ops[] = {"Div", "Mod"};
  for (int i = 0; i < 4; i++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, dtypes[i / 2], 1, (int64_t[]){600}, NULL);
    (void)one_node_input(&t, dtypes[i / 2], 1, (int64_t[]){600}, NULL);
    fill_integers(&t.inputs[1], false);
    put_integer(&t.inputs[1], 555, 0);
    one_node_op(&t, ops[i % 2], "", 18, 1);
    one_node_refused(&t, TARE_E_INPUT, "division by 0 in 'x1'");
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_U8, 1, (int64_t[]){3}, NULL);
  one_node_op(&t, "Neg", "", 13, 1);
  one_node_refused(&t, TARE_E_UNSUPPORTED, "uint8");
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I8, 1, (int64_t[]){3}, NULL);
  (void)one_node_input(&t, TARE_I8, 1, (int64_t[]){3}, NULL);
  one_node_op(&t, "BitShift", "", 11, 1);
  assert_true(tarei_attr_set_string(t.node, "direction", "LEFT"));
  one_node_refused(&t, TARE_E_UNSUPPORTED, "int8");
}

int main(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_pairs),   cmocka_unit_test(test_double_pairs),
      cmocka_unit_test(test_logic),           cmocka_unit_test(test_integer_powers),
      cmocka_unit_test(test_mixed_powers),    cmocka_unit_test(test_integer_singles),
      cmocka_unit_test(test_curves),          cmocka_unit_test(test_defaults),
      cmocka_unit_test(test_clip_of_doubles), cmocka_unit_test(test_questions),
      cmocka_unit_test(test_empty),           cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
