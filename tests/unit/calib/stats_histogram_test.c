#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "unit/calib/support/sample_stats.h"

static tare_stats *stats_of(float *const x, const int64_t n, float *const more,
                            const int64_t n_more) {
  tarei_kernels kernels;
  tare_stats *stats = NULL;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  assert_int_equal(tarei_stats_new(2, 0, 1, 0, &stats, NULL), TARE_OK);
  tarei_accumulator *const buckets = stats->tensors[0].buckets;
  assert_true(n == 0 || tarei_accumulator_add_rows(&buckets[0], &kernels, x, 1, n));
  assert_true(n_more == 0 || tarei_accumulator_add_rows(&buckets[1], &kernels, more, 1, n_more));
  return stats;
}

static tare_histogram histogram_of(tare_stats *stats) {
  tare_histogram h;
  assert_int_equal(tare_stats_histogram(stats, 0, &h, NULL), TARE_OK);
  tare_stats_free(&stats);
  return h;
}

static int64_t total_of(const tare_histogram *const h) {
  int64_t total = 0;
  for (int i = 0; i < h->n_bins; i++) {
    total += h->counts[i];
  }
  return total;
}

static void profiles_are_summed(void **const state) {
  (void)state;
  float x[] = {-3.5F, -1, 0, 0.25F, 1, 7.99F, NAN}, more[] = {100, 100};
  const tare_histogram h = histogram_of(stats_of(x, 7, more, 2));
  assert_true(h.low == -4 && h.width == 1);
  assert_int_equal(h.n_bins, 105);
  static const int PLACES[][2] = {{0, 1}, {2, 1}, {4, 2}, {5, 1}, {11, 1}, {104, 2}};
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES; i++) {
    assert_int_equal(h.counts[PLACES[i][0]], PLACES[i][1]);
  }
  assert_int_equal(total_of(&h), 8);
}

static void bins_begin_where_values_do(void **const state) {
  (void)state;
  float above[] = {1000, 1001}, below[] = {-1001, -1000};
  const tare_histogram a = histogram_of(stats_of(above, 2, NULL, 0));
  assert_true(a.low == 1000 && a.width <= 1.0 / 16);
  assert_int_equal(total_of(&a), 2);
  const tare_histogram b = histogram_of(stats_of(below, 2, NULL, 0));
  assert_true(b.low + b.n_bins * b.width == -1000 && b.width == a.width);
  assert_int_equal(b.counts[0] + b.counts[b.n_bins - 1], 2);
}

static void nothing_and_zeros(void **const state) {
  (void)state;
  float zeros[] = {0, 0, 0}, odd[] = {NAN, INFINITY};
  const tare_histogram none = histogram_of(stats_of(odd, 2, NULL, 0));
  assert_int_equal(none.n_bins, 0);
  const tare_histogram h = histogram_of(stats_of(zeros, 3, NULL, 0));
  assert_int_equal(h.n_bins, 1);
  assert_true(h.low == 0 && h.counts[0] == 3);
}

/* Whatever the values, all of them are counted, and no more bins would fit. */
static void all_are_counted(void **const state) {
  (void)state;
  for (uint64_t seed = 1; seed < 20; seed++) {
    tare_stats *stats = sample_stats(seed);
    for (int t = 0; t < tare_stats_n_tensors(stats); t++) {
      tare_histogram h;
      const tare_stats_entry p0 = tare_stats_get(stats, t, 0), p1 = tare_stats_get(stats, t, 1);
      assert_int_equal(tare_stats_histogram(stats, t, &h, NULL), TARE_OK);
      assert_int_equal(total_of(&h), p0.count - p0.n_nan + p1.count - p1.n_nan);
      assert_true(h.n_bins == 1 ||
                  (h.n_bins > TARE_HISTOGRAM_BINS / 2 - 2 && h.n_bins <= TARE_HISTOGRAM_BINS));
      assert_true(h.counts[0] > 0 && h.counts[h.n_bins - 1] > 0);
    }
    tare_stats_free(&stats);
  }
}

int stats_histogram_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(profiles_are_summed),
      cmocka_unit_test(bins_begin_where_values_do),
      cmocka_unit_test(nothing_and_zeros),
      cmocka_unit_test(all_are_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
