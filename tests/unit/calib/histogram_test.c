#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/histogram.h"
#include "unit/calib/random_floats.h"
#include "unit/calib/same_histogram.h"

enum { BINS = TAREI_HISTOGRAM_BINS };
static tarei_kernels kernels;

static void add(tarei_histogram *const h, const float *const x, const size_t n) {
  float amax = 0;
  int64_t n_finite = 0;
  for (size_t i = 0; i < n; i++) {
    if (isfinite(x[i])) {
      n_finite++;
      amax = fmaxf(amax, fabsf(x[i]));
    }
  }
  assert_true(tarei_histogram_add(h, &kernels, x, n, n_finite, amax));
}

/* What the header promises, in long double. */
static void naive(const float *const x, const size_t n, int32_t *const exponent,
                  int64_t *const positive, int64_t *const negative) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    amax = isfinite(x[i]) ? fmaxf(amax, fabsf(x[i])) : amax;
  }
  int e = TAREI_HISTOGRAM_MIN_EXPONENT;
  while ((long double)amax >= ldexpl(BINS, e)) {
    e++;
  }
  *exponent = e;
  for (size_t i = 0; i < n; i++) {
    if (isfinite(x[i])) {
      const int bin = (int)floorl(fabsl((long double)x[i]) * ldexpl(1, -e));
      (x[i] >= 0 ? positive : negative)[bin]++;
    }
  }
}

static void assert_counts(const tarei_counts *const counts, const int64_t *const expected) {
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    int64_t page[TAREI_COUNTS_PAGE];
    tarei_counts_get(counts, p, page);
    assert_memory_equal(page, expected + p * TAREI_COUNTS_PAGE, sizeof page);
  }
}

static void check_against_naive(const float *const x, const size_t n) {
  int64_t *const bins = calloc(2 * BINS, sizeof *bins);
  int32_t exponent;
  naive(x, n, &exponent, bins, bins + BINS);
  tarei_histogram h;
  tarei_histogram_init(&h);
  add(&h, x, n);
  assert_int_equal(h.exponent, exponent);
  assert_counts(&h.positive, bins);
  assert_counts(&h.negative, bins + BINS);
  tarei_histogram_fini(&h);
  free(bins);
}

static void counts_as_defined(void **const state) {
  (void)state;
  enum { N = 4000 };
  float x[N];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++) {
      x[i] = round % 2 ? random_finite() : random_activation();
    }
    check_against_naive(x, N);
  }
}

static void holds_extreme_values(void **const state) {
  (void)state;
  const float tiny[] = {1e-45f, -1e-45f, 1e-40f, 0.0f, -0.0f};
  check_against_naive(tiny, 5);
  const float huge[] = {3.4028235e38f, -3.4028235e38f, 1e38f, 1e-38f, 1.0f};
  check_against_naive(huge, 5);
  const float powers[] = {BINS, 1.0f, -BINS / 2.0f, 0.5f};
  check_against_naive(powers, 4);
  assert_int_equal(tarei_histogram_exponent(BINS), 1); /* amax < bins * width, not <= */
  assert_int_equal(tarei_histogram_exponent(nextafterf(BINS, 0)), 0);
  assert_int_equal(tarei_histogram_exponent(3.4028235e38f), TAREI_HISTOGRAM_MAX_EXPONENT);
  assert_int_equal(tarei_histogram_exponent(1e-45f), TAREI_HISTOGRAM_MIN_EXPONENT);
}

static void leaves_nan_and_infinity_out(void **const state) {
  (void)state;
  const float x[] = {NAN, INFINITY, -INFINITY, 1.5f, -0.25f};
  check_against_naive(x, 5);
}

static void does_not_depend_on_order_or_chunks(void **const state) {
  (void)state;
  enum { N = 3000 };
  float x[N];
  for (int round = 0; round < 20; round++) {
    for (int i = 0; i < N; i++) {
      x[i] = round % 2 ? random_finite() : random_activation() * (float)(i + 1);
    }
    tarei_histogram whole, parts;
    tarei_histogram_init(&whole);
    tarei_histogram_init(&parts);
    add(&whole, x, N);
    for (int i = N - 1; i > 0; i--) {
      const int64_t j = random_below(i + 1);
      const float swap = x[i];
      x[i] = x[j];
      x[j] = swap;
    }
    for (int64_t i = 0; i < N;) {
      const int64_t n = 1 + random_below(N - i < 97 ? N - i : 97);
      add(&parts, x + i, (size_t)n);
      i += n;
    }
    assert_same_histogram(&whole, &parts);
    tarei_histogram_fini(&whole);
    tarei_histogram_fini(&parts);
  }
}

static void merging_is_adding(void **const state) {
  (void)state;
  enum { N = 1000, PARTS = 5 };
  for (int round = 0; round < 20; round++) {
    tarei_histogram whole, merged, part[PARTS];
    tarei_histogram_init(&whole);
    tarei_histogram_init(&merged);
    for (int p = 0; p < PARTS; p++) {
      float x[N];
      for (int i = 0; i < N; i++) {
        x[i] = p == 2 ? 0.0f : ldexpf(random_activation(), (int)random_below(40) - 20);
      }
      tarei_histogram_init(&part[p]);
      add(&part[p], x, N);
      add(&whole, x, N);
    }
    for (int p = 0; p < PARTS; p++) {
      assert_true(tarei_histogram_merge(&merged, &part[(p * 3 + round) % PARTS]));
    }
    assert_same_histogram(&whole, &merged);
    assert_int_equal(tarei_histogram_total(&merged), N * PARTS);
    for (int p = 0; p < PARTS; p++) {
      tarei_histogram_fini(&part[p]);
    }
    tarei_histogram_fini(&whole);
    tarei_histogram_fini(&merged);
  }
}

static void zeros_alone_have_no_exponent(void **const state) {
  (void)state;
  const float zeros[] = {0, -0.0f, 0};
  const float one[] = {-1.0f};
  tarei_histogram h;
  tarei_histogram_init(&h);
  add(&h, zeros, 3);
  assert_int_equal(h.exponent, TAREI_HISTOGRAM_NO_EXPONENT);
  assert_int_equal(tarei_histogram_total(&h), 3);
  add(&h, one, 1);
  int64_t page[TAREI_COUNTS_PAGE];
  tarei_counts_get(&h.positive, 0, page);
  assert_int_equal(page[0], 3);
  tarei_counts_get(&h.negative, TAREI_COUNTS_PAGES / 2, page);
  assert_int_equal(page[0], 1);
  tarei_histogram_fini(&h);
  assert_int_equal(tarei_histogram_total(&h), 0);
  add(&h, zeros, 2);
  assert_int_equal(tarei_histogram_total(&h), 2);
  tarei_histogram_fini(&h);
}

/* Past 2^16 and 2^32 counts in one bin. */
static void counters_grow_as_they_must(void **const state) {
  (void)state;
  enum { N = 60000, HALF = 3 };
  static float x[N];
  for (int i = 0; i < N; i++) {
    x[i] = i % 2 ? 0.75f : -1.0f;
  }
  tarei_histogram h;
  tarei_histogram_init(&h);
  int64_t n = 0;
  for (int i = 0; i < HALF; i++, n += N) {
    add(&h, x, N);
  }
  assert_int_equal(tarei_histogram_total(&h), n);
  for (int i = 0; i < 40; i++, n *= 2) { /* doubles itself by way of a copy */
    tarei_histogram copy;
    tarei_histogram_init(&copy);
    assert_true(tarei_histogram_merge(&copy, &h) && tarei_histogram_merge(&h, &copy));
    tarei_histogram_fini(&copy);
  }
  int64_t page[TAREI_COUNTS_PAGE];
  tarei_counts_get(&h.negative, TAREI_COUNTS_PAGES / 2, page);
  assert_int_equal(page[0], n / 2);
  assert_int_equal(tarei_histogram_total(&h), n);
  assert_int_equal(tarei_histogram_total(&h), (int64_t)HALF * N << 40);
  add(&h, x, N);
  assert_int_equal(tarei_histogram_total(&h), n + N);
  tarei_histogram_fini(&h);
}

int histogram_test(void) {
  seed_random();
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(counts_as_defined),
      cmocka_unit_test(holds_extreme_values),
      cmocka_unit_test(leaves_nan_and_infinity_out),
      cmocka_unit_test(does_not_depend_on_order_or_chunks),
      cmocka_unit_test(merging_is_adding),
      cmocka_unit_test(zeros_alone_have_no_exponent),
      cmocka_unit_test(counters_grow_as_they_must),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
