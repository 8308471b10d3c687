/* Elementwise operators of two operands in every element type, against arithmetic of 128 bits and
 * long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/wide.h"

enum { ROWS = 3, COLUMNS = 70, N = ROWS * COLUMNS };

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
  (void)one_node_input(&t, TARE_I8, 1, (int64_t[]){3}, NULL);
  (void)one_node_input(&t, TARE_I8, 1, (int64_t[]){3}, NULL);
  one_node_op(&t, "BitShift", "", 11, 1);
  assert_true(tarei_attr_set_string(t.node, "direction", "LEFT"));
  one_node_refused(&t, TARE_E_UNSUPPORTED, "int8");
}

int pairs_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_integer_pairs), cmocka_unit_test(test_double_pairs),
      cmocka_unit_test(test_logic),         cmocka_unit_test(test_integer_powers),
      cmocka_unit_test(test_mixed_powers),  cmocka_unit_test(test_empty),
      cmocka_unit_test(test_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
