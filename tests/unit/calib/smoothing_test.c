/* Smoothing, as a pass decides it: it does not depend on the order of the data nor on threads, and
 * its table says it for each profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/calib.h>
#include <unistd.h>

#include "calib/stats.h"
#include "graph/table/named.h"
#include "graph/table/smoothing.h"
#include "graph/table/table.h"
#include "unit/calib/support/stats_bytes.h"

#define FOLDER TARE_SOURCE_DIR "/tests/fixtures/smoothing/"

enum { FILES = 4, TIMES = 4 };

static tare_stats *calibrate(const char *const name, const tare_smoothing smoothing,
                             const int threads, const int first) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_dataset *dataset = NULL;
  tare_stats *stats = NULL;
  char path[256], files[FILES * TIMES][256];
  const char *paths[FILES * TIMES];
  const tare_port *ports = NULL;
  for (int i = 0; i < FILES * TIMES; i++) { /* the same samples in another order */
    snprintf(files[i], sizeof files[i], FOLDER "%s.data/%d.npy", name, (first + i * 3) % FILES);
    paths[i] = files[i];
  }
  snprintf(path, sizeof path, FOLDER "%s.onnx", name);
  assert_int_equal(tare_model_load(path, &model, &err), TARE_OK);
  const int n = tare_model_inputs(model, &ports);
  assert_int_equal(tare_profiles_new(ports, n, &profiles, &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "n=1:16:16", &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "n=17:24:40", &err), TARE_OK);
  assert_int_equal(tare_profiles_add(profiles, "n=41:50:60", &err), TARE_OK); /* without data */
  tare_dataset_options data;
  tare_dataset_options_init(&data);
  data.inputs = ports;
  data.n_inputs = n;
  if (tare_dataset_open(paths, FILES * TIMES, &data, &dataset, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tare_calibrate_options options;
  tare_calibrate_options_init(&options);
  options.smoothing = smoothing;
  options.threads = threads;
  if (tare_calibrate(model, dataset, profiles, &options, &stats, &err) != TARE_OK) {
    fail_msg("%s", err.message);
  }
  tare_dataset_close(&dataset);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return stats;
}

static void order_and_threads_do_not_change_a_byte(void **const state) {
  (void)state;
  static const char *const names[] = {"linear", "conv"};
  static const int threads[] = {1, 2, 4};
  for (int m = 0; m < 2; m++) {
    char *expected = NULL;
    size_t n_expected = 0;
    for (int i = 0; i < 3; i++) {
      size_t n = 0;
      tare_stats *stats = calibrate(names[m], TARE_SMOOTHING_ON, threads[i], i);
      char *const bytes = stats_bytes(stats, &n);
      assert_true(stats->smoothings.n >= 2);
      tare_stats_free(&stats);
      if (expected) {
        assert_int_equal(n, n_expected);
        assert_memory_equal(bytes, expected, n);
        free(bytes);
      } else {
        expected = bytes;
        n_expected = n;
      }
    }
    free(expected);
  }
}

/* The loud channel is the only one that keeps its scale. */
static void the_loud_channel_stands_out(void **const state) {
  (void)state;
  tare_stats *stats = calibrate("linear", TARE_SMOOTHING_AUTO, 2, 0);
  const tarei_smoothing *const s = tarei_named_find(TAREI_NAMED(&stats->smoothings), "n");
  assert_non_null(s);
  assert_int_equal(s->channels, 16);
  for (int c = 0; c < 16; c++) {
    assert_true(c == 3 ? s->exponents[c] == 0 : s->exponents[c] <= -5);
  }
  tare_stats_free(&stats);
}

static void without_it_there_is_none(void **const state) {
  (void)state;
  tare_stats *stats = calibrate("linear", TARE_SMOOTHING_OFF, 1, 0);
  assert_int_equal(tare_stats_n_smoothed(stats), 0);
  tare_stats_free(&stats);
}

/* Each profile has its range; one without data has that of all. */
static void tables_have_the_ranges_of_profiles(void **const state) {
  (void)state;
  tare_stats *stats = calibrate("linear", TARE_SMOOTHING_AUTO, 2, 0);
  for (int per_profile = 0; per_profile < 2; per_profile++) {
    tare_table *table = NULL;
    tare_table_options options;
    tare_table_options_init(&options);
    options.per_profile = per_profile;
    assert_int_equal(tare_table_from_stats(stats, &options, &table, NULL), TARE_OK);
    assert_int_equal(tare_table_n_smoothed(table), stats->smoothings.n);
    for (int i = 0; i < stats->smoothings.n; i++) {
      const tarei_smoothing *const s = &stats->smoothings.items[i];
      const tarei_smoothing *const t = tarei_named_find(TAREI_NAMED(&table->smoothings), s->tensor);
      const double max = fmax(s->max[0], s->max[1]), min = fmin(s->min[0], s->min[1]);
      assert_true(s->max[0] != s->max[1]);
      assert_true(s->min[2] > s->max[2]);
      assert_memory_equal(t->exponents, s->exponents, (size_t)s->channels);
      assert_true(t->max[0] == (per_profile ? s->max[0] : max));
      assert_true(t->min[0] == (per_profile ? s->min[0] : min));
      if (per_profile) {
        assert_true(t->max[1] == s->max[1] && t->min[1] == s->min[1]);
        assert_true(t->max[2] == max && t->min[2] == min);
      }
    }
    tare_table_free(&table);
  }
  tare_stats_free(&stats);
}

/* To the bit: a plan must not depend on whether its table was in a file. */
static void files_keep_the_ranges(void **const state) {
  (void)state;
  char path[] = "tare-smoothing-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0 && close(file) == 0);
  tare_stats *stats = calibrate("conv", TARE_SMOOTHING_ON, 1, 0);
  tare_table *table = NULL, *again = NULL;
  tare_table_options options;
  tare_table_options_init(&options);
  options.per_profile = true;
  assert_int_equal(tare_table_from_stats(stats, &options, &table, NULL), TARE_OK);
  assert_int_equal(tare_table_write(table, tare_table_format_of("x.json"), NULL, path, NULL),
                   TARE_OK);
  assert_int_equal(tare_table_read(path, &again, NULL), TARE_OK);
  assert_int_equal(again->smoothings.n, table->smoothings.n);
  for (int i = 0; i < table->smoothings.n; i++) {
    const tarei_smoothing *const s = &table->smoothings.items[i];
    const tarei_smoothing *const t = tarei_named_find(TAREI_NAMED(&again->smoothings), s->tensor);
    for (int p = 0; p < table->n_columns; p++) {
      assert_true(t->min[p] == s->min[p] && t->max[p] == s->max[p]);
    }
    assert_true(t->rms == s->rms);
  }
  tare_table_free(&again);
  tare_table_free(&table);
  tare_stats_free(&stats);
  assert_int_equal(unlink(path), 0);
}

int smoothing_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(order_and_threads_do_not_change_a_byte),
                                     cmocka_unit_test(the_loud_channel_stands_out),
                                     cmocka_unit_test(without_it_there_is_none),
                                     cmocka_unit_test(tables_have_the_ranges_of_profiles),
                                     cmocka_unit_test(files_keep_the_ranges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
