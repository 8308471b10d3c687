#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

#include "unit/calib/support/sample_stats.h"

static tare_table *make(const tare_stats *const stats, const char *const method,
                        const bool per_profile) {
  tare_table_options options;
  tare_table_options_init(&options);
  options.method = method;
  options.per_profile = per_profile;
  tare_table *table = NULL;
  tare_error err = {0};
  assert_int_equal(tare_table_from_stats(stats, &options, &table, &err), TARE_OK);
  return table;
}

static tare_table_entry entry_of(const tare_table *const table, const char *const tensor,
                                 const int profile) {
  const int i = tare_table_find(table, tensor);
  assert_true(i >= 0);
  return tare_table_get(table, i, profile);
}

static bool warns(const tare_table *const table, const char *const text) {
  for (int i = 0; i < tare_table_n_warnings(table); i++) {
    if (strstr(tare_table_warning(table, i), text)) {
      return true;
    }
  }
  return false;
}

static void minmax_is_the_range(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(11);
  tare_table *table = make(stats, NULL, false);
  assert_string_equal(tare_table_method(table), "minmax");
  assert_true(tare_table_model_hash(table) == 0x0123456789abcdefu);
  assert_int_equal(tare_table_n_profiles(table), 1);
  assert_string_equal(tare_table_profile(table, 0), ""); /* two were merged */
  assert_int_equal(tare_table_n_specs(table), 2);
  assert_string_equal(tare_table_spec(table, 1), "samples=4:5:6");
  assert_null(tare_table_spec(table, 2));
  assert_null(tare_table_spec(table, -1));
  const tare_stats_entry p0 = tare_stats_get(stats, 0, 0), p1 = tare_stats_get(stats, 0, 1);
  const tare_table_entry a = entry_of(table, "a", 0);
  assert_true(a.min == fmin(p0.min, p1.min) && a.max == fmax(p0.max, p1.max));
  assert_true(a.amax == fmax(-a.min, a.max));
  assert_int_equal(a.count, 2 * SAMPLE_N);
  assert_true(a.energy_lost == 0);
  tare_table_free(&table);
  tare_stats_free(&stats);
}

static void aliases_share_a_line(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(12);
  tare_table *table = make(stats, "percentile", false);
  assert_int_equal(tare_table_n_tensors(table), 7);
  assert_true(entry_of(table, "a/reshaped", 0).amax == entry_of(table, "a", 0).amax);
  assert_true(entry_of(table, "a/transposed", 0).count == entry_of(table, "a", 0).count);
  tare_table_free(&table);
  tare_stats_free(&stats);
}

static void profiles_have_their_own_column(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(13);
  tare_table *table = make(stats, "minmax", true), *merged = make(stats, "minmax", false);
  assert_int_equal(tare_table_n_profiles(table), 2);
  assert_string_equal(tare_table_profile(table, 1), "samples=4:5:6");
  for (int p = 0; p < 2; p++) {
    const tare_stats_entry s = tare_stats_get(stats, 0, p);
    assert_true(entry_of(table, "a", p).amax == fmax(-s.min, s.max));
  }
  /* a bucket without data takes the merged threshold */
  assert_true(entry_of(table, "only0", 1).amax == entry_of(merged, "only0", 0).amax);
  assert_int_equal(entry_of(table, "only0", 1).count, 0);
  tare_table_free(&table);
  tare_table_free(&merged);
  tare_stats_free(&stats);
}

static void dead_tensors_are_named(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(14);
  for (int m = 0; m < tare_n_methods(); m++) {
    tare_table *table = make(stats, tare_method_name(m), m % 2);
    assert_true(entry_of(table, "dead", 0).amax == 0);
    assert_true(warns(table, "'dead'"));
    assert_true(warns(table, "NaN"));
    assert_false(warns(table, "no samples"));
    tare_table_free(&table);
  }
  tare_stats_free(&stats);
}

static void degenerate_entropy_is_named(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(15);
  tare_table *table = make(stats, "entropy", false);
  assert_true(warns(table, "have too few distinct values"));
  assert_true(warns(table, "'mask'"));
  assert_true(fabs(entry_of(table, "mask", 0).amax / 10000 - (1 + 0.5 / 2048)) < 1e-6);
  tare_table_free(&table);
  table = make(stats, "minmax", false);
  assert_false(warns(table, "have too few distinct values"));
  tare_table_free(&table);
  tare_stats_free(&stats);
}

/* Clipping a tensor that lives on its few large values must be said, and what to take instead. */
static void lost_energy_is_reported(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(16);
  tare_table_options options;
  tare_table_options_init(&options);
  options.method = "percentile";
  options.percentile = 90;
  tare_table *table = NULL;
  assert_int_equal(tare_table_from_stats(stats, &options, &table, NULL), TARE_OK);
  assert_true(entry_of(table, "a", 0).energy_lost > 0.1);
  assert_true(warns(table, "percentile clips more than 10 % of the energy of "));
  assert_true(warns(table, "use minmax or mse"));
  tare_table_free(&table);
  table = make(stats, "minmax", false);
  assert_false(warns(table, "energy"));
  tare_table_free(&table);
  tare_stats_free(&stats);
}

/* Few values, so that they are nothing in all data, and everything in their profile. */
static void clipping_in_a_profile_is_reported(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(15);
  tarei_accumulator *const buckets = stats->tensors[4].buckets;
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  float x[SAMPLE_N];
  for (int i = 0; i < SAMPLE_N; i++) {
    x[i] = 1;
  }
  tarei_accumulator_fini(&buckets[0]);
  for (int i = 0; i < 100; i++) {
    assert_true(tarei_accumulator_add_rows(&buckets[0], &kernels, x, 1, SAMPLE_N));
  }
  for (int i = 0; i < 20; i++) {
    x[i] = 3;
  }
  assert_true(tarei_accumulator_add_rows(&buckets[1], &kernels, x, 1, 20));
  tare_table *merged = make(stats, "percentile", false), *own = make(stats, "percentile", true);
  assert_true(warns(merged, "of 'only0' in profile 1 (samples=4:5:6): use --per-profile"));
  assert_false(warns(own, "in profile 1"));
  tare_table_free(&merged);
  tare_table_free(&own);
  tare_stats_free(&stats);
}

static void empty_profiles_are_named(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(17);
  stats->profiles[1].n_samples = 0;
  tare_table *table = make(stats, "mse", true);
  assert_true(warns(table, "profile 1 (samples=4:5:6) has no samples"));
  tare_table_free(&table);
  tare_stats_free(&stats);
}

static void quiet_rows_are_named(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(18);
  tare_table *table = make(stats, "minmax", false);
  assert_false(warns(table, "quiet rows"));
  assert_true(entry_of(table, "a", 0).static_loss < 0.1);
  tare_table_free(&table);
  float x[SAMPLE_N];
  for (int i = 0; i < SAMPLE_N; i++) {
    x[i] = i < 100 ? 90 : 0.01f;
  }
  sample_fill(stats, 0, 0, x, 50);
  table = make(stats, "minmax", false);
  assert_true(warns(table, "quiet rows that a single scale drowns in noise"));
  assert_true(entry_of(table, "a", 0).static_loss > 0.1);
  assert_true(entry_of(table, "a", 0).row_loss < 0.01);
  tare_table_free(&table);
  tare_stats_free(&stats);
}

static void refuses_wrong_options(void **const state) {
  (void)state;
  tare_stats *stats = sample_stats(19);
  const tare_table_options wrong[] = {
      {.method = "foo"}, {.percentile = -1}, {.percentile = 100.5}, {.percentile = NAN}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    tare_table *table = NULL;
    tare_error err = {0};
    assert_int_equal(tare_table_from_stats(stats, &wrong[i], &table, &err), TARE_E_USAGE);
    assert_null(table);
    assert_true(err.message[0]);
  }
  tare_stats_free(&stats);
}

int table_from_stats_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minmax_is_the_range),
      cmocka_unit_test(aliases_share_a_line),
      cmocka_unit_test(profiles_have_their_own_column),
      cmocka_unit_test(dead_tensors_are_named),
      cmocka_unit_test(degenerate_entropy_is_named),
      cmocka_unit_test(lost_energy_is_reported),
      cmocka_unit_test(clipping_in_a_profile_is_reported),
      cmocka_unit_test(empty_profiles_are_named),
      cmocka_unit_test(quiet_rows_are_named),
      cmocka_unit_test(refuses_wrong_options),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
