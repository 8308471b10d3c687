/* Where extremes lie: every row of the table against plain loops. */
#include "tests/unit/kernels/checkkern.h"

static bool wins(const float v, const float a, const bool least, const bool last) {
  if (isnan(v)) {
    return last || !isnan(a);
  }
  return (least ? v < a : v > a) || (last && v == a);
}

static int64_t position(const float *const x, const size_t n, const size_t stride, const bool least,
                        const bool last) {
  size_t at = 0;
  for (size_t i = 1; i < n; i++) {
    at = wins(x[i * stride], x[at * stride], least, last) ? i : at;
  }
  return (int64_t)at;
}

/* Few different values, so that many are equal; infinite ones, zeros of both signs and NaN. */
static float *values(const size_t n, const int form) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -1.0f};
  float *const x = ck_floats(n, false);
  for (size_t i = 0; i < n && form; i++) {
    x[i] = form > 1 && ck_below(30) == 0 ? odd[ck_below(form > 2 ? 6 : 5) + (form == 2)]
                                         : floorf(x[i] / 3);
    x[i] = form == 4 ? -INFINITY : x[i];
  }
  return x;
}

static void rows_have_extremes(void **state) {
  (void)state;
  for (int i = 0; i < 2000; i++) {
    const size_t n = ck_size() * (1 + ck_below(3));
    const bool least = ck_below(2), last = ck_below(2);
    float *const x = values(n, i % 5);
    const int64_t expected = position(x, n, 1, least, last);
    CK_EACH_ROW("arg_row") {
      assert_int_equal(((tarei_arg_row_fn *)row->function)(x, n, least, last), expected);
    }
    free(x);
  }
}

static void columns_have_extremes(void **state) {
  (void)state;
  for (int i = 0; i < 1000; i++) {
    tarei_arg_columns c = {
        .n = 1 + ck_below(20), .columns = ck_size(), .least = ck_below(2), .last = ck_below(2)};
    c.stride = c.columns + ck_below(4);
    float *const x = values((c.n - 1) * c.stride + c.columns, i % 5);
    c.x = x;
    CK_EACH_ROW("arg_columns") {
      c.out = ck_output(c.columns * sizeof *c.out);
      ((tarei_arg_columns_fn *)row->function)(&c);
      for (size_t k = 0; k < c.columns; k++) {
        assert_int_equal(c.out[k], position(x + k, c.n, c.stride, c.least, c.last));
      }
      free(c.out);
    }
    free(x);
  }
}

static void elements_beyond_a_bound_are_found(void **state) {
  (void)state;
  for (int i = 0; i < 3000; i++) {
    const size_t n = ck_size(), first = ck_below(n + 1);
    const bool least = ck_below(2);
    float *const x = values(n, i % 5);
    const float bound = x[ck_below(n)];
    size_t expected = first;
    while (expected < n && isfinite(bound) &&
           (least ? x[expected] >= bound : x[expected] <= bound)) {
      expected++;
    }
    CK_EACH_ROW("arg_beyond") {
      const size_t got = ((tarei_arg_beyond_fn *)row->function)(x, first, n, bound, least);
      assert_true(isfinite(bound) ? got == expected : got >= first && got <= n);
    }
    free(x);
  }
}

int arg_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rows_have_extremes),
      cmocka_unit_test(columns_have_extremes),
      cmocka_unit_test(elements_beyond_a_bound_are_found),
  };
  return cmocka_run_group_tests_name("kernels.arg", tests, ck_seed, NULL);
}
