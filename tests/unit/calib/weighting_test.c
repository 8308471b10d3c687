#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "calib/samples/weighting.h"
#include "unit/calib/random_floats.h"

enum { MOST = 1 << 16 };

static void count(tarei_accumulator *const a, const float *const x, const int64_t n_rows,
                  const int64_t n_columns) {
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_accumulator_init(a);
  a->n_samples = 1;
  assert_true(tarei_accumulator_add_rows(a, &kernels, x, n_rows, n_columns));
}

static void bins_of(const tarei_accumulator *const a, int64_t *const out) {
  for (int p = 0; p < TAREI_COUNTS_PAGES; p++) {
    tarei_counts_get(&a->histogram.positive, p, out + p * TAREI_COUNTS_PAGE);
  }
}

static void shares_are_those_of_the_counts(void **const state) {
  (void)state;
  static float x[MOST];
  static int64_t before[TAREI_HISTOGRAM_BINS], after[TAREI_HISTOGRAM_BINS];
  static const int64_t sizes[] = {1, 3, 7, 1000, 4099, MOST};
  random_state = 99;
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
    const int64_t n = sizes[k];
    for (int64_t i = 0; i < n; i++) {
      x[i] = random_activation();
    }
    tarei_accumulator a;
    count(&a, x, n, 1);
    bins_of(&a, before);
    assert_true(tarei_accumulator_weigh(&a, TAREI_SAMPLE_SHARES));
    bins_of(&a, after);
    assert_true(a.count == TAREI_SAMPLE_SHARES && tarei_accumulator_is_sound(&a));
    for (int i = 0; i < TAREI_HISTOGRAM_BINS; i++) {
      const double exact = (double)before[i] * (double)TAREI_SAMPLE_SHARES / (double)n;
      assert_true(fabs((double)after[i] - exact) < 1 && (after[i] > 0) == (before[i] > 0));
    }
    tarei_accumulator_fini(&a);
  }
}

static void odd_values_have_shares(void **const state) {
  (void)state;
  const float x[] = {NAN, INFINITY, 0, 0};
  tarei_accumulator a;
  count(&a, x, 2, 2);
  assert_true(tarei_accumulator_weigh(&a, TAREI_SAMPLE_SHARES));
  assert_true(a.n_nan == TAREI_SAMPLE_SHARES / 4 && a.n_inf == TAREI_SAMPLE_SHARES / 4);
  assert_true(a.histogram.zeros == TAREI_SAMPLE_SHARES / 2 && tarei_accumulator_is_sound(&a));
  tarei_accumulator_fini(&a);
}

/* More elements than shares: the only finite value keeps one. */
static void finite_values_remain(void **const state) {
  (void)state;
  const float x[] = {1};
  tarei_accumulator a;
  count(&a, x, 1, 1);
  a.n_nan = TAREI_SAMPLE_SHARES * 1000;
  a.count += a.n_nan;
  a.rows[TAREI_ROW_BIN_NOT_FINITE] = a.n_nan;
  assert_true(tarei_accumulator_weigh(&a, TAREI_SAMPLE_SHARES));
  assert_true(a.n_nan == TAREI_SAMPLE_SHARES - 1 && tarei_accumulator_is_sound(&a));
  tarei_accumulator_fini(&a);
}

static void samples_count_alike(void **const state) {
  (void)state;
  static float x[MOST];
  tare_stats *sum = NULL, *sample = NULL;
  assert_int_equal(tarei_stats_new(1, 0, 1, 0, &sum, NULL), TARE_OK);
  assert_int_equal(tarei_stats_new(1, 0, 1, 0, &sample, NULL), TARE_OK);
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < MOST; i++) {
      x[i] = s ? 1 : -1;
    }
    tarei_accumulator_fini(&sample->tensors[0].buckets[0]);
    count(&sample->tensors[0].buckets[0], x, s ? MOST : 10, 1);
    assert_int_equal(tarei_stats_weigh(sum, sample, TAREI_SAMPLE_SHARES, NULL), TARE_OK);
    assert_int_equal(sample->tensors[0].buckets[0].count, 0);
  }
  const tarei_accumulator *const a = &sum->tensors[0].buckets[0];
  assert_true(a->n_samples == 2 && a->count == 2 * TAREI_SAMPLE_SHARES);
  assert_true(tarei_counts_total(&a->histogram.positive) == TAREI_SAMPLE_SHARES);
  assert_true(tarei_counts_total(&a->histogram.negative) == TAREI_SAMPLE_SHARES);
  tare_stats_free(&sum);
  tare_stats_free(&sample);
}

/* A second counts alike in a long and a short sample, also where a tensor has one value of each. */
static void lengths_count_alike(void **const state) {
  (void)state;
  const tare_tensor longer[] = {{.rank = 1, .dims = {1}}, {.rank = 2, .dims = {2, 300}}};
  const tare_tensor shorter[] = {{.rank = 1, .dims = {1}}, {.rank = 2, .dims = {2, 100}}};
  const tare_tensor empty[] = {{.rank = 2, .dims = {2, 0}}};
  assert_int_equal(tarei_weight_shares(TARE_WEIGHT_LENGTH, shorter, 2), 200 * TAREI_LENGTH_SHARES);
  assert_int_equal(tarei_weight_shares(TARE_WEIGHT_LENGTH, empty, 1), TAREI_LENGTH_SHARES);
  assert_int_equal(tarei_weight_shares(TARE_WEIGHT_SAMPLE, longer, 2), TAREI_SAMPLE_SHARES);
  tarei_accumulator sum = {0}, a = {0}, b = {0};
  count(&a, (const float[]){1}, 1, 1);
  count(&b, (const float[]){-1}, 1, 1);
  assert_true(tarei_accumulator_weigh(&a, tarei_weight_shares(TARE_WEIGHT_LENGTH, longer, 2)));
  assert_true(tarei_accumulator_weigh(&b, tarei_weight_shares(TARE_WEIGHT_LENGTH, shorter, 2)));
  assert_true(tarei_accumulator_merge(&sum, &a) && tarei_accumulator_merge(&sum, &b));
  assert_int_equal(tarei_counts_total(&sum.histogram.positive),
                   3 * tarei_counts_total(&sum.histogram.negative));
  tarei_accumulator_fini(&sum);
  tarei_accumulator_fini(&a);
  tarei_accumulator_fini(&b);
}

int weighting_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shares_are_those_of_the_counts),
      cmocka_unit_test(odd_values_have_shares),
      cmocka_unit_test(finite_values_remain),
      cmocka_unit_test(samples_count_alike),
      cmocka_unit_test(lengths_count_alike),
  };
  return cmocka_run_group_tests_name("weighting", tests, NULL, NULL);
}
