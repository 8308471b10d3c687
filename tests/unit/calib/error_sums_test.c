/* Figures of errors on values made by hand. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "calib/eval/error_sums.h"

enum { MANY = 19 }; /* whole vectors and a rest */

static void take(tarei_error_sums *const sums, const tarei_error_bounds *const bounds,
                 const float *const got, const float *const want, const int n) {
  double g[TAREI_MEASURE_BLOCK], w[TAREI_MEASURE_BLOCK];
  for (int at = 0; at < n; at += TAREI_MEASURE_BLOCK) {
    const int length = n - at < TAREI_MEASURE_BLOCK ? n - at : TAREI_MEASURE_BLOCK;
    for (int i = 0; i < length; i++) {
      g[i] = got[at + i];
      w[i] = want[at + i];
    }
    const tarei_measured block = {.got = g, .want = w, .n = length};
    tarei_error_sums_take(sums, bounds, &block, INFINITY);
  }
}

static tare_tensor_error figures(const tarei_error_bounds bounds, const float *const got,
                                 const float *const want, const int n,
                                 tarei_error_sums *const sums) {
  tare_tensor_error e = {.name = ""};
  *sums = (tarei_error_sums){0};
  take(sums, &bounds, got, want, n);
  tarei_error_sums_conclude(sums, &e);
  return e;
}

static void figures_are_those_of_their_definitions(void **state) {
  (void)state;
  float got[MANY], want[MANY];
  double abs = 0, diff2 = 0, want2 = 0, got2 = 0, dot = 0, most = 0;
  for (int i = 0; i < MANY; i++) {
    want[i] = (float)(i - 7);
    got[i] = want[i] + (float)(i % 5) * 0.25F;
    const double d = (double)got[i] - want[i];
    abs += fabs(d);
    diff2 += d * d;
    want2 += (double)want[i] * want[i];
    got2 += (double)got[i] * got[i];
    dot += (double)got[i] * want[i];
    most = fmax(most, fabs(d));
  }
  tarei_error_sums sums;
  const tare_tensor_error e = figures((tarei_error_bounds){.set = false}, got, want, MANY, &sums);
  assert_int_equal(e.values, MANY);
  assert_float_equal(e.max_abs, most, 0);
  assert_float_equal(e.mean_abs, abs / MANY, 1e-12);
  assert_float_equal(e.rms, sqrt(diff2 / MANY), 1e-12);
  assert_float_equal(e.sqnr_db, 10 * log10(want2 / diff2), 1e-9);
  assert_float_equal(e.cosine, dot / sqrt(got2 * want2), 1e-12);
  assert_int_equal(e.exceeding, 0);
}

static void equal_values_have_no_error_even_if_not_finite(void **state) {
  (void)state;
  const float x[] = {1, NAN, INFINITY, -INFINITY, 0};
  tarei_error_sums sums;
  const tarei_error_bounds exact = {.set = true};
  const tare_tensor_error e = figures(exact, x, x, 5, &sums);
  assert_true(isinf(e.sqnr_db) && e.sqnr_db > 0 && e.max_abs == 0 && e.cosine == 1);
  assert_int_equal(e.exceeding, 0);
  assert_int_equal(sums.bins[0], 4);
  assert_true(e.values == 4 && e.constant == 2 && e.undefined == 1);
}

static void a_value_that_the_plan_loses_is_an_infinite_error(void **state) {
  (void)state;
  float got[MANY] = {0}, want[MANY] = {0};
  got[MANY - 1] = NAN;
  tarei_error_sums sums;
  const tarei_error_bounds wide = {.set = true, .atol = 1e30, .rtol = 1e30};
  const tare_tensor_error e = figures(wide, got, want, MANY, &sums);
  assert_true(isinf(e.max_abs) && isinf(e.sqnr_db) && e.sqnr_db < 0);
  assert_int_equal(e.exceeding, 1);
  int64_t bins[TARE_ERROR_BINS];
  tarei_error_sums_histogram(&sums, bins);
  assert_int_equal(bins[TARE_ERROR_BINS - 1], 1);
  assert_int_equal(bins[0], MANY - 1);
  assert_int_equal(e.nans, 1);
  assert_true(e.p50_abs == 0 && e.p90_abs == 0 && isinf(e.p99_abs));
}

static void a_value_that_the_reference_lacks_is_left_out(void **state) {
  (void)state;
  float got[MANY] = {0}, want[MANY] = {0};
  want[0] = 2;
  got[0] = 1;
  want[MANY - 1] = NAN;
  want[MANY - 2] = INFINITY;
  tarei_error_sums sums;
  const tarei_error_bounds exact = {.set = true, .atol = 1};
  const tare_tensor_error e = figures(exact, got, want, MANY, &sums);
  assert_float_equal(e.sqnr_db, 10 * log10(4), 1e-12);
  assert_true(e.values == MANY - 2 && e.undefined == 2 && e.nans == 0);
  assert_int_equal(e.exceeding, 2); /* that they differ is said to who asks for it */
}

static void bounds_hold_for_values_on_them(void **state) {
  (void)state;
  const float want[] = {0, 4, -4, 8}, got[] = {0.5F, 5.5F, -5.5F, 11};
  tarei_error_sums sums;
  const tarei_error_bounds b = {.set = true, .atol = 0.5, .rtol = 0.25};
  assert_int_equal(figures(b, got, want, 4, &sums).exceeding, 1);
}

static void bins_are_powers_of_two(void **state) {
  (void)state;
  const float want[6] = {0}, got[] = {1, 1.5F, 2, 1e-30F, 1e30F, 0};
  tarei_error_sums sums;
  (void)figures((tarei_error_bounds){.set = false}, got, want, 6, &sums);
  int64_t bins[TARE_ERROR_BINS];
  tarei_error_sums_histogram(&sums, bins);
  assert_int_equal(bins[41], 2); /* 1 to below 2 */
  assert_int_equal(bins[42], 1);
  assert_int_equal(bins[1], 1);
  assert_int_equal(bins[TARE_ERROR_BINS - 1], 1);
  assert_int_equal(bins[0], 1);
}

static int by_size(const void *const a, const void *const b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

/* At least the true percentile, and not more than 1/32 above it. */
static void percentiles_are_those_of_sorted_errors(void **state) {
  enum { N = 1237 };
  static float got[N], want[N];
  (void)state;
  uint32_t seed = 20240229;
  for (int i = 0; i < N; i++) {
    seed = seed * 1664525U + 1013904223U;
    got[i] = i % 10 ? ldexpf((float)(seed >> 8) / 0x1p24F, (int)(seed % 30) - 20) : 0;
  }
  tarei_error_sums sums;
  const tare_tensor_error e = figures((tarei_error_bounds){.set = false}, got, want, N, &sums);
  qsort(got, N, sizeof *got, by_size);
  const struct {
    double found;
    int percent;
  } CASES[] = {{e.p50_abs, 50}, {e.p90_abs, 90}, {e.p99_abs, 99}};
  for (int i = 0; i < 3; i++) {
    const double truth = got[(N * CASES[i].percent + 99) / 100 - 1];
    assert_true(CASES[i].found >= truth && CASES[i].found <= truth * (1 + 1.0 / 32));
  }
  assert_true(e.p99_abs <= e.max_abs);
}

static void sums_add_up(void **state) {
  (void)state;
  const float want[] = {1, 2, 3, 4}, got[] = {1, 2.5F, 3, 3};
  const tarei_error_bounds b = {.set = true};
  tarei_error_sums whole, first, second;
  (void)figures(b, got, want, 4, &whole);
  (void)figures(b, got, want, 2, &first);
  (void)figures(b, got + 2, want + 2, 2, &second);
  tarei_error_sums_add(&first, &second);
  assert_memory_equal(&first, &whole, sizeof whole);
}

static void nothing_compared_has_no_figures(void **state) {
  (void)state;
  const tarei_error_sums sums = {0};
  tare_tensor_error e;
  tarei_error_sums_conclude(&sums, &e);
  assert_true(isnan(e.sqnr_db) && isnan(e.max_abs) && isnan(e.cosine) && e.values == 0);
}

int error_sums_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(figures_are_those_of_their_definitions),
      cmocka_unit_test(equal_values_have_no_error_even_if_not_finite),
      cmocka_unit_test(a_value_that_the_plan_loses_is_an_infinite_error),
      cmocka_unit_test(a_value_that_the_reference_lacks_is_left_out),
      cmocka_unit_test(bounds_hold_for_values_on_them),
      cmocka_unit_test(bins_are_powers_of_two),
      cmocka_unit_test(percentiles_are_those_of_sorted_errors),
      cmocka_unit_test(sums_add_up),
      cmocka_unit_test(nothing_compared_has_no_figures),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
