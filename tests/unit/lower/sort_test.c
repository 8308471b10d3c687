/* Searching, sorting and cumulating: numbers against loops, and the rules for ties and NaN. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/engine/support/one_node.h"

static const tare_dtype numbers[] = {TARE_F32, TARE_F64, TARE_I32, TARE_I64, TARE_U32,
                                     TARE_U64, TARE_U8,  TARE_I8,  TARE_I16, TARE_U16};

/* A tensor of three axes, of which the one in the middle is worked on. */
typedef struct box {
  int64_t outer, n, inner;
} box;

static box random_box(void) {
  return (box){one_node_between(1, 4), one_node_between(1, 150), one_node_between(1, 40)};
}

static int add_box(one_node *const t, const tare_dtype dtype, const box *const b) {
  return one_node_input(t, dtype, 3, (int64_t[]){b->outer, b->n, b->inner}, NULL);
}

static size_t place(const box *const b, const int64_t o, const int64_t i, const int64_t l) {
  return (size_t)((o * b->n + i) * b->inner + l);
}

static const int64_t *ints_of(const one_node *const t, const int output) {
  assert_int_equal(t->outputs[output].dtype, TARE_I64);
  return t->outputs[output].data;
}

static void check_arg(const bool max, const bool last, const tare_dtype dtype) {
  const box b = random_box();
  one_node t;
  one_node_start(&t);
  (void)add_box(&t, dtype, &b);
  one_node_op(&t, max ? "ArgMax" : "ArgMin", "", 13, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", last ? -2 : 1));
  assert_true(tarei_attr_set_int(t.node, "select_last_index", last));
  assert_true(tarei_attr_set_int(t.node, "keepdims", last));
  one_node_run_ok(&t);
  assert_int_equal(t.outputs[0].rank, last ? 3 : 2);
  for (int64_t o = 0; o < b.outer; o++) {
    for (int64_t l = 0; l < b.inner; l++) {
      int64_t best = 0;
      for (int64_t i = 1; i < b.n; i++) {
        const double v = one_node_value(&t.inputs[0], place(&b, o, i, l));
        const double a = one_node_value(&t.inputs[0], place(&b, o, best, l));
        best = (max ? v > a : v < a) || (last && v == a) ? i : best;
      }
      assert_int_equal(ints_of(&t, 0)[o * b.inner + l], best);
    }
  }
  one_node_end(&t);
}

static void test_arg(void **state) {
  (void)state;
  for (int round = 0; round < 40; round++) {
    check_arg(round & 1, round & 2, numbers[round % 10]);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, (float[]){1, NAN, 3, NAN});
  one_node_op(&t, "ArgMin", "", 13, 1);
  one_node_run_ok(&t);
  assert_int_equal(ints_of(&t, 0)[0], 1);
  one_node_end(&t);
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){0, 3}, NULL);
  one_node_op(&t, "ArgMax", "", 13, 1);
  one_node_refused(&t, TARE_E_SHAPE, "axis 0 of the input is empty");
}

static void check_cumulation(const bool sum, const bool exclusive, const bool reverse,
                             const tare_dtype dtype) {
  const box b = random_box();
  one_node t;
  one_node_start(&t);
  (void)add_box(&t, dtype, &b);
  (void)one_node_input(&t, TARE_I32, 0, NULL, (int32_t[]){-2});
  one_node_op(&t, sum ? "CumSum" : "CumProd", "", 14, 1);
  assert_true(tarei_attr_set_int(t.node, "exclusive", exclusive));
  assert_true(tarei_attr_set_int(t.node, "reverse", reverse));
  one_node_run_ok(&t);
  for (int64_t o = 0; o < b.outer; o++) {
    for (int64_t l = 0; l < b.inner; l++) {
      double a = sum ? 0 : 1;
      for (int64_t i = 0; i < b.n && fabs(a) < 1e9; i++) {
        const size_t at = place(&b, o, reverse ? b.n - 1 - i : i, l);
        const double v = one_node_value(&t.inputs[0], at), next = sum ? a + v : a * v;
        const double expected = exclusive ? a : next, got = one_node_value(&t.outputs[0], at);
        assert_true(fabs(expected) > 2e9 || fabs(got - expected) <= 1e-4 * fmax(1, fabs(expected)));
        a = next;
      }
    }
  }
  one_node_end(&t);
}

static void test_cumulation(void **state) {
  (void)state;
  for (int round = 0; round < 48; round++) {
    check_cumulation(round & 1, round & 2, round & 4, numbers[round % 6]);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){1});
  one_node_op(&t, "CumSum", "", 11, 1);
  one_node_refused(&t, TARE_E_INPUT, "is out of range: expected -1..0");
}

static bool comes_before(const one_node *const t, const size_t a, const size_t b,
                         const bool largest) {
  const double x = one_node_value(&t->inputs[0], a), y = one_node_value(&t->inputs[0], b);
  if (isnan(x) || isnan(y)) { /* larger than any number */
    return isnan(x) && isnan(y) ? a < b : (bool)isnan(x) == largest;
  }
  return x == y ? a < b : largest ? x > y : x < y;
}

/* Floats at the ends of their order, here and there. */
static void add_odd_floats(const tare_tensor *const x, const size_t n) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f};
  for (size_t i = 0; x->dtype == TARE_F32 && i < n; i += (size_t)one_node_between(1, 60)) {
    ((float *)x->data)[i] = odd[one_node_between(0, 4)];
  }
}

/* Each output stands where as many elements come before it. */
static void check_top_k(const bool largest, const bool late, const tare_dtype dtype) {
  const box b = random_box();
  const int64_t most = one_node_between(0, 1) ? b.n : 4;
  const int64_t k = one_node_between(1, most < b.n ? most : b.n);
  one_node t;
  one_node_start(&t);
  (void)add_box(&t, dtype, &b);
  add_odd_floats(&t.inputs[0], (size_t)(b.outer * b.n * b.inner));
  if (late) {
    (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, &k);
  } else {
    (void)one_node_ints(&t, 1, &k);
  }
  one_node_op(&t, "TopK", "", 11, 2);
  assert_true(tarei_attr_set_int(t.node, "axis", 1));
  assert_true(tarei_attr_set_int(t.node, "largest", largest));
  one_node_run_ok(&t);
  assert_int_equal(t.outputs[0].dims[1], k);
  const box out = {b.outer, k, b.inner};
  for (int64_t o = 0; o < b.outer; o++) {
    for (int64_t l = 0; l < b.inner; l++) {
      for (int64_t i = 0; i < k; i++) {
        const size_t to = place(&out, o, i, l);
        const size_t at = place(&b, o, ints_of(&t, 1)[to], l);
        int64_t before = 0;
        for (int64_t j = 0; j < b.n; j++) {
          before += comes_before(&t, place(&b, o, j, l), at, largest);
        }
        assert_int_equal(before, i);
        const double got = one_node_value(&t.outputs[0], to);
        const double expected = one_node_value(&t.inputs[0], at);
        assert_true(got == expected || (isnan(got) && isnan(expected)));
      }
    }
  }
  one_node_end(&t);
}

static void test_top_k(void **state) {
  (void)state;
  for (int round = 0; round < 30; round++) {
    check_top_k(round & 1, round & 2, numbers[round % 10]);
    check_top_k(round & 1, round & 2, TARE_F32);
  }
  const float x[] = {1, NAN, -0.0f, 0, -3, INFINITY};
  for (int largest = 0; largest < 2; largest++) {
    static const int64_t order[2][6] = {{4, 2, 3, 0, 5, 1}, {1, 5, 0, 2, 3, 4}};
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, x);
    (void)one_node_ints(&t, 1, (int64_t[]){6});
    one_node_op(&t, "TopK", "", 11, 2);
    assert_true(tarei_attr_set_int(t.node, "largest", largest));
    one_node_run_ok(&t);
    assert_memory_equal(ints_of(&t, 1), order[largest], sizeof order[0]);
    one_node_end(&t);
  }
  one_node t;
  one_node_start(&t); /* values alone */
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){6}, x);
  (void)one_node_ints(&t, 1, (int64_t[]){1});
  one_node_op(&t, "TopK", "", 11, 1);
  assert_true(tarei_attr_set_int(t.node, "largest", 0));
  one_node_run_ok(&t);
  assert_true(one_node_value(&t.outputs[0], 0) == -3);
  one_node_end(&t);
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){4}, NULL);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){1}, (int64_t[]){5});
  one_node_op(&t, "TopK", "", 11, 2);
  one_node_refused(&t, TARE_E_SHAPE, "k is 5, more than the axis length of 4");
}

static void expect_ints(const one_node *const t, const int output, const int rank,
                        const int64_t *const dims, const int64_t *const expected) {
  const tare_tensor *const y = &t->outputs[output];
  assert_int_equal(y->rank, rank);
  for (int d = 0; d < rank; d++) {
    assert_int_equal(y->dims[d], dims[d]);
  }
  for (int64_t i = 0; i < tare_tensor_count(y); i++) {
    assert_int_equal((int64_t)one_node_value(y, (size_t)i), expected[i]);
  }
}

static void test_one_hot(void **state) {
  (void)state;
  static const int64_t new_first[] = {7, 9, 7, 7, 7, 7, 7, 7, 9};
  static const int64_t new_last[] = {7, 7, 7, 9, 7, 7, 7, 7, 7};
  for (int form = 0; form < 4; form++) { /* opset 11 or 9; depth known or not */
    const bool wraps = form & 1;
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_I32, 1, (int64_t[]){3}, (int32_t[]){4, 0, wraps ? -1 : 2});
    if (form & 2) {
      (void)one_node_input(&t, TARE_U8, 0, NULL, (uint8_t[]){3});
    } else {
      (void)one_node_const(&t, TARE_F32, 1, (int64_t[]){1}, (float[]){3});
    }
    (void)one_node_input(&t, TARE_I16, 1, (int64_t[]){2}, (int16_t[]){7, 9});
    one_node_op(&t, "OneHot", "", wraps ? 11 : 9, 1);
    assert_true(tarei_attr_set_int(t.node, "axis", 0));
    one_node_run_ok(&t);
    expect_ints(&t, 0, 2, (int64_t[]){3, 3}, new_first);
    one_node_end(&t);
  }
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){3}, (float[]){-1, 0, 3});
  (void)one_node_ints(&t, 1, (int64_t[]){3});
  (void)one_node_input(&t, TARE_U8, 1, (int64_t[]){2}, (uint8_t[]){7, 9});
  one_node_op(&t, "OneHot", "", 9, 1);
  one_node_run_ok(&t);
  expect_ints(&t, 0, 2, (int64_t[]){3, 3}, new_last);
  one_node_end(&t);
}

static void test_non_zero(void **state) {
  (void)state;
  one_node t;
  one_node_start(&t);
  (void)one_node_input(&t, TARE_F32, 2, (int64_t[]){2, 3}, (float[]){0, NAN, -0.0f, 1, 0, 2});
  one_node_op(&t, "NonZero", "", 13, 1);
  one_node_run_ok(&t);
  expect_ints(&t, 0, 2, (int64_t[]){2, 3}, (int64_t[]){0, 1, 1, 1, 0, 2});
  one_node_end(&t);
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I64, 1, (int64_t[]){3}, (int64_t[]){0, 0, 0});
  one_node_op(&t, "NonZero", "", 13, 1);
  one_node_run_ok(&t);
  expect_ints(&t, 0, 2, (int64_t[]){1, 0}, NULL);
  one_node_end(&t);
}

static void test_compress(void **state) {
  (void)state;
  static const int32_t x[] = {1, 2, 3, 4, 5, 6};
  static const int64_t columns[] = {2, 3, 5, 6}, flat[] = {2, 3};
  for (int along = 0; along < 2; along++) {
    one_node t;
    one_node_start(&t);
    (void)one_node_input(&t, TARE_I32, 2, (int64_t[]){2, 3}, x);
    (void)one_node_input(&t, TARE_BOOL, 1, (int64_t[]){3}, (uint8_t[]){0, 1, 1});
    one_node_op(&t, "Compress", "", 11, 1);
    if (along) {
      assert_true(tarei_attr_set_int(t.node, "axis", -1));
    }
    one_node_run_ok(&t);
    expect_ints(&t, 0, along ? 2 : 1, (int64_t[]){2, 2}, along ? columns : flat);
    one_node_end(&t);
  }
}

static void test_unique(void **state) {
  (void)state;
  static const float x[] = {2, 1, NAN, 1, 3, NAN, 2};
  static const int64_t first[2][4] = {{0, 1, 2, 4}, {1, 0, 4, 2}};
  static const int64_t inverse[2][7] = {{0, 1, 2, 1, 3, 2, 0}, {1, 0, 3, 0, 2, 3, 1}};
  static const int64_t counts[2][4] = {{2, 2, 2, 1}, {2, 2, 1, 2}};
  one_node t;
  for (int sorted = 0; sorted < 2; sorted++) {
    one_node_start(&t);
    (void)one_node_input(&t, TARE_F32, 1, (int64_t[]){7}, x);
    one_node_op(&t, "Unique", "", 11, 4);
    assert_true(tarei_attr_set_int(t.node, "sorted", sorted));
    one_node_run_ok(&t);
    expect_ints(&t, 1, 1, (int64_t[]){4}, first[sorted]);
    expect_ints(&t, 2, 1, (int64_t[]){7}, inverse[sorted]);
    expect_ints(&t, 3, 1, (int64_t[]){4}, counts[sorted]);
    assert_true(((const float *)t.outputs[0].data)[1] == (sorted ? 2.0f : 1.0f));
    one_node_end(&t);
  }
  one_node_start(&t);
  (void)one_node_input(&t, TARE_I64, 2, (int64_t[]){2, 3}, (int64_t[]){5, 1, 5, 2, -7, 2});
  one_node_op(&t, "Unique", "", 11, 1);
  assert_true(tarei_attr_set_int(t.node, "axis", 1));
  one_node_run_ok(&t);
  expect_ints(&t, 0, 2, (int64_t[]){2, 2}, (int64_t[]){1, 5, -7, 2});
  one_node_end(&t);
}

int sort_test(void) {
  one_node_seed();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_arg),      cmocka_unit_test(test_cumulation),
      cmocka_unit_test(test_top_k),    cmocka_unit_test(test_one_hot),
      cmocka_unit_test(test_non_zero), cmocka_unit_test(test_compress),
      cmocka_unit_test(test_unique),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
