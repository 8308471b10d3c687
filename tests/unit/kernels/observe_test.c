#include "tests/unit/kernels/checkkern.h"

static tarei_minmax plain_minmax(const float *x, size_t n) {
  tarei_minmax m = {INFINITY, -INFINITY, 3, 5};
  for (size_t i = 0; i < n; i++) {
    if (isnan(x[i])) {
      m.n_nan++;
    } else if (isinf(x[i])) {
      m.n_inf++;
    } else {
      m.min = fminf(m.min, x[i]);
      m.max = fmaxf(m.max, x[i]);
    }
  }
  return m;
}

static void minmax_rows_agree_with_plain_loop(void **state) {
  (void)state;
  for (int i = 0; i < 300; i++) {
    const size_t n = i % 2 ? ck_size() : ck_below(2000);
    float *const x = ck_floats(n, i % 3 == 0);
    const tarei_minmax expected = plain_minmax(x, n);
    CK_EACH_ROW("minmax") {
      tarei_minmax m = {INFINITY, -INFINITY, 3, 5};
      ((tarei_minmax_fn *)row->function)(x, n, &m);
      assert_true(m.min == expected.min && m.max == expected.max);
      assert_int_equal(m.n_nan, expected.n_nan);
      assert_int_equal(m.n_inf, expected.n_inf);
    }
    free(x);
  }
}

static void minmax_of_zeros_is_no_negative_zero(void **state) {
  (void)state;
  float x[200];
  for (int i = 0; i < 200; i++) {
    x[i] = i % 3 ? -0.0f : 0.0f;
  }
  CK_EACH_ROW("minmax") {
    tarei_minmax m = {INFINITY, -INFINITY, 0, 0};
    ((tarei_minmax_fn *)row->function)(x, 200, &m);
    assert_false(signbit(m.min) || signbit(m.max));
  }
}

static void check_histogram(const float *x, size_t n, int exponent, int bins) {
  const size_t size = (size_t)bins * sizeof(int64_t);
  int64_t *const expected = ck_alloc(2 * size);
  memset(expected, 1, 2 * size); /* counts are added */
  for (size_t i = 0; i < n; i++) {
    if (isfinite(x[i])) {
      const double bin = floor(ldexp(fabs((double)x[i]), -exponent));
      assert_true(bin < bins);
      expected[(x[i] < 0 ? bins : 0) + (int)bin]++;
    }
  }
  CK_EACH_ROW("histogram") {
    int64_t *const got = ck_alloc(2 * size);
    memset(got, 1, 2 * size);
    ((tarei_histogram_fn *)row->function)(x, n, exponent, bins, got, got + bins);
    ck_assert_same_bytes(row->name, got, expected, 2 * size);
    free(got);
  }
  free(expected);
}

static void histogram_rows_count_every_bin(void **state) {
  (void)state;
  static const int exponents[] = {0, -3, 5, 100, 116, -100, -126, -127, -140, -149};
  for (int i = 0; i < 150; i++) {
    const int bins = 1 << ck_below(13);
    const int exponent = exponents[ck_below(sizeof exponents / sizeof *exponents)];
    const size_t n = ck_below(i % 4 ? 600 : 30000);
    float *const x = ck_alloc(n * sizeof *x);
    for (size_t j = 0; j < n; j++) {
      const double place = ck_below(4) ? (double)ck_below((size_t)bins) + ck_below(2) * 0.5 : 0;
      x[j] = (float)ldexp(ck_below(2) ? place : -place, exponent);
      x[j] = fabs(ldexp(fabs((double)x[j]), -exponent)) < bins ? x[j] : 0.0f;
      x[j] = ck_below(50) ? x[j] : ck_below(2) ? NAN : -INFINITY;
    }
    check_histogram(x, n, exponent, bins);
    free(x);
  }
}

/* more equal values than the small counters hold */
static void histogram_of_a_constant_does_not_wrap(void **state) {
  (void)state;
  const size_t n = 600011;
  float *const x = ck_alloc(n * sizeof *x);
  for (size_t i = 0; i < n; i++) {
    x[i] = i % 7 ? -1.25f : 0.0f;
  }
  check_histogram(x, n, -8, 2048);
  for (size_t i = 0; i < n; i++) {
    x[i] = i % 7 ? NAN : 3.0f;
  }
  check_histogram(x, n, -8, 2048);
  free(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minmax_rows_agree_with_plain_loop),
      cmocka_unit_test(minmax_of_zeros_is_no_negative_zero),
      cmocka_unit_test(histogram_rows_count_every_bin),
      cmocka_unit_test(histogram_of_a_constant_does_not_wrap),
  };
  return cmocka_run_group_tests_name("kernels.observe", tests, ck_seed, NULL);
}
