/* Intervals of differences, on tallies made up for the purpose. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <tare/eval.h>

#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"

enum { N = 200 };

/* Errors of a sample, and all that it has. */
typedef struct bootstrap_sums {
  double part, whole;
} bootstrap_sums;

static bootstrap_sums base[N], other[N];

static tare_metric_states *states_of(const bootstrap_sums *const sums, const int n) {
  const tarei_metric *metric = NULL;
  tarei_metric_settings read;
  tare_metric_states *states = NULL;
  assert_int_equal(tarei_metric_pick("accuracy", NULL, 0, &metric, &read, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_new(metric, &read, &states, NULL), TARE_OK);
  for (int i = 0; i < n; i++) {
    const double numbers[] = {sums[i].part, sums[i].whole};
    assert_int_equal(tarei_metric_states_begin(states, 0, 0, NULL), TARE_OK);
    assert_int_equal(tarei_metric_states_add(states, numbers, sums[i].whole > 0 ? 2 : 0, NULL),
                     TARE_OK);
    tarei_metric_states_keep(states);
  }
  return states;
}

/* Two plans, of which the first is the base. */
static void differ_by(const bootstrap_sums *const x, const bootstrap_sums *const y, const int n,
                      tare_difference *const out) {
  tare_metric_states *x_states = states_of(x, n), *y_states = states_of(y, n);
  const tare_metric_states *const states[] = {x_states, y_states};
  assert_int_equal(tare_metric_differences(states, 2, 0, NULL, 0, out, NULL), TARE_OK);
  tarei_metric_states_free(&x_states);
  tarei_metric_states_free(&y_states);
}

/* Ten letters a sample, and one error more in the first `worse` samples. */
static tare_difference differ(const int worse) {
  for (int i = 0; i < N; i++) {
    base[i] = (bootstrap_sums){.part = i % 3, .whole = 10};
    other[i] = base[i];
    other[i].part += i < worse;
  }
  tare_difference d[2];
  differ_by(base, other, N, d);
  assert_true(d[0].value == 0 && d[0].low == 0 && d[0].high == 0 && !d[0].distinct);
  return d[1];
}

static void equal_tallies_are_not_distinct(void **state) {
  (void)state;
  const tare_difference d = differ(0);
  assert_true(d.value == 0 && d.low == 0 && d.high == 0);
  assert_int_equal(d.samples, N);
  assert_int_equal(d.differing, 0);
  assert_false(d.distinct);
}

/* The middle 95 % of a binomial of 200 and 1/10: 12 to 28 samples. */
static void the_interval_is_that_of_the_binomial(void **state) {
  (void)state;
  const tare_difference d = differ(20);
  assert_float_equal(d.value, 20.0 / (10 * N), 1e-12);
  assert_float_equal(d.low, 12.0 / (10 * N), 1.01 / (10 * N));
  assert_float_equal(d.high, 28.0 / (10 * N), 1.01 / (10 * N));
  assert_true(d.distinct);
}

/* Five samples one way come by chance once in sixteen times, whatever the interval says. */
static void few_samples_are_no_evidence(void **state) {
  (void)state;
  assert_true(differ(5).low > 0);
  assert_false(differ(5).distinct);
  assert_true(differ(6).distinct);
}

static void the_same_tallies_give_the_same_interval(void **state) {
  (void)state;
  const tare_difference a = differ(9), b = differ(9);
  assert_memory_equal(&a.low, &b.low, sizeof a.low);
  assert_memory_equal(&a.high, &b.high, sizeof a.high);
}

static void samples_without_labels_do_not_count(void **state) {
  (void)state;
  const bootstrap_sums none[3] = {{0, 0}, {0, 0}, {0, 0}};
  const bootstrap_sums some[3] = {{0, 0}, {1, 2}, {0, 0}};
  tare_difference d[2];
  differ_by(none, none, 3, d);
  assert_true(isnan(d[1].value) && isnan(d[1].low) && d[1].samples == 0 && !d[1].distinct);
  differ_by(some, some, 3, d);
  assert_true(d[1].value == 0 && d[1].samples == 1);
}

/* Half of the samples have no value alone, so that most draws of two lack it in the other plan. */
static void draws_without_a_value_widen_the_interval(void **state) {
  (void)state;
  const bootstrap_sums x[2] = {{1, 2}, {1, 2}};
  const bootstrap_sums y[2] = {{NAN, 2}, {1, 2}};
  tare_difference d[2];
  differ_by(x, y, 2, d);
  assert_true(isnan(d[1].value) && isnan(d[1].low) && isnan(d[1].high) && !d[1].distinct);
}

/* --- SQNR ------------------------------------------------------------------------------------- */

static tare_error_tally quiet[N], loud[N];

/* Noise of one percent with a spread over samples, and `more` times that. */
static void differ_sqnr(const double more, const int n, tare_difference *const out,
                        tare_interval *const own) {
  for (int i = 0; i < n; i++) {
    quiet[i] = (tare_error_tally){.signal = 100, .noise = 0.5 + i % 3 * 0.5};
    loud[i] = (tare_error_tally){.signal = 100, .noise = quiet[i].noise * more};
  }
  const tare_error_tally *const tallies[] = {quiet, loud};
  assert_int_equal(tare_sqnr_differences(tallies, 2, n, 1, 0, out, own, NULL), TARE_OK);
}

/* The spread of samples is not that of the difference, which is the same for each. */
static void noise_that_samples_share_cancels(void **state) {
  (void)state;
  tare_difference d[2];
  tare_interval own[2];
  differ_sqnr(2, 30, d, own);
  assert_float_equal(d[1].value, -10 * log10(2), 1e-9);
  assert_float_equal(d[1].low, d[1].value, 1e-9);
  assert_float_equal(d[1].high, d[1].value, 1e-9);
  assert_true(d[1].distinct && d[0].value == 0 && !d[0].distinct);
  assert_true(own[0].low < 20 && own[0].high > 20 && own[0].high - own[0].low > 0.1);
  differ_sqnr(2, 5, d, NULL);
  assert_false(d[1].distinct);
}

static void plans_without_errors_do_not_differ(void **state) {
  (void)state;
  tare_error_tally none[8];
  for (int i = 0; i < 8; i++) {
    none[i] = (tare_error_tally){.signal = 1, .values = 1};
  }
  const tare_error_tally *const tallies[] = {none, none};
  tare_difference d[2];
  tare_interval own[2];
  assert_int_equal(tare_sqnr_differences(tallies, 2, 8, 1, 1, d, own, NULL), TARE_OK);
  assert_true(d[0].value == 0 && d[0].low == 0 && d[0].high == 0 && !d[0].distinct);
  assert_true(isinf(own[0].low) && own[0].low > 0 && isinf(own[0].high));
}

/* At the first level both have much signal; the second is what counts, and there they differ. */
static void the_lowest_level_counts(void **state) {
  (void)state;
  enum { PAIRS = 12, LEVELS = 2 };
  tare_error_tally a[PAIRS * LEVELS], b[PAIRS * LEVELS];
  for (int i = 0; i < PAIRS * LEVELS; i++) {
    a[i] = (tare_error_tally){.signal = i % LEVELS ? 100 : 1e9, .noise = 1};
    b[i] = a[i];
    b[i].noise = i % LEVELS ? 4 : 1;
  }
  const tare_error_tally *const tallies[] = {a, b}, *const same[] = {a, a};
  tare_difference d[2];
  tare_interval own[2];
  assert_int_equal(tare_sqnr_differences(tallies, 2, PAIRS, LEVELS, 0, d, own, NULL), TARE_OK);
  assert_float_equal(d[1].value, -10 * log10(4), 1e-9);
  assert_float_equal(own[0].low, 20, 1e-9);
  assert_true(d[1].distinct && d[1].differing == PAIRS && d[1].samples == PAIRS);
  assert_int_equal(tare_sqnr_differences(same, 2, PAIRS, LEVELS, 0, d, NULL, NULL), TARE_OK);
  assert_true(d[1].low == 0 && d[1].high == 0 && d[1].differing == 0);
}

/* --- coverage --------------------------------------------------------------------------------- */

enum { SETS = 200 };

static uint64_t coverage_state;

/* In (0, 1). */
static double coverage_uniform(void) {
  coverage_state = coverage_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(coverage_state >> 11) + 0.5) / 9007199254740992.0;
}

static double coverage_normal(void) {
  const double radius = sqrt(-2 * log(coverage_uniform()));
  return radius * cos(6.283185307179586 * coverage_uniform());
}

/* Answers that are right in three of four cases, and of those one in ten that the other plan gets
 * wrong, against one in five of the rest that it gets right. */
static bool metric_covers(const int n) {
  for (int i = 0; i < n; i++) {
    const bool right = coverage_uniform() < 0.75;
    base[i] = (bootstrap_sums){.part = right, .whole = 1};
    other[i] = base[i];
    other[i].part = right ? coverage_uniform() >= 0.1 : coverage_uniform() < 0.2;
  }
  tare_difference d[2];
  differ_by(base, other, n, d);
  const double truth = 0.75 * 0.9 + 0.25 * 0.2 - 0.75;
  return d[1].low <= truth && truth <= d[1].high;
}

/* Noise that varies by samples, in part for both plans alike; the mean of exp(s g) is exp(s^2 / 2).
 */
static bool sqnr_covers(const int n) {
  for (int i = 0; i < n; i++) {
    quiet[i] = (tare_error_tally){.signal = 100, .noise = exp(0.4 * coverage_normal())};
    loud[i] = (tare_error_tally){.signal = 100,
                                 .noise = 1.3 * quiet[i].noise * exp(0.3 * coverage_normal())};
  }
  const tare_error_tally *const tallies[] = {quiet, loud};
  tare_difference d[2];
  tare_interval own[2];
  assert_int_equal(tare_sqnr_differences(tallies, 2, n, 1, 0, d, own, NULL), TARE_OK);
  const double truth = -10 * (log10(1.3) + 0.045 / log(10));
  return d[1].low <= truth && truth <= d[1].high;
}

static void check_coverage(bool (*const covers)(int), const int n) {
  int covered = 0;
  for (int i = 0; i < SETS; i++) {
    covered += covers(n);
  }
  print_message("%d samples: %.1f %% of the intervals cover the truth\n", n,
                100.0 * covered / SETS);
  assert_in_range(covered, SETS * 92 / 100, SETS * 98 / 100);
}

static void intervals_cover_the_truth(void **state) {
  (void)state;
  coverage_state = 1;
  check_coverage(metric_covers, 60); /* of fewer, fewer than six may differ: no evidence */
  check_coverage(metric_covers, N);
  check_coverage(sqnr_covers, 12);
  check_coverage(sqnr_covers, 30);
  check_coverage(sqnr_covers, N);
}

int bootstrap_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equal_tallies_are_not_distinct),
      cmocka_unit_test(the_interval_is_that_of_the_binomial),
      cmocka_unit_test(few_samples_are_no_evidence),
      cmocka_unit_test(the_same_tallies_give_the_same_interval),
      cmocka_unit_test(samples_without_labels_do_not_count),
      cmocka_unit_test(draws_without_a_value_widen_the_interval),
      cmocka_unit_test(noise_that_samples_share_cancels),
      cmocka_unit_test(plans_without_errors_do_not_differ),
      cmocka_unit_test(the_lowest_level_counts),
      cmocka_unit_test(intervals_cover_the_truth),
  };
  return cmocka_run_group_tests_name("metrics/bootstrap", tests, NULL, NULL);
}
