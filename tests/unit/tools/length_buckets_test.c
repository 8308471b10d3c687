/* Samples by length: which are together, and how a plan does on them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/compare/length_buckets.h"

enum { N = 40 };

static tare_eval_sample samples[N];
static double seconds[N];
static tare_error_tally quiet[N], loud[N];

/* Lengths go down, so that the order of the data is not that of the lengths. */
static tare_eval_result facts(const int n, const int n_profiles) {
  for (int i = 0; i < n; i++) {
    samples[i] = (tare_eval_sample){
        .name = "s", .length = 10 * (n - i), .profile = n_profiles > 1 && i < n / 4 ? 1 : 0};
    seconds[i] = n - i;
    quiet[i] = (tare_error_tally){.signal = 100, .values = 1, .noise = 0.1 + 0.01 * (i % 3)};
    loud[i] =
        (tare_error_tally){.signal = 100, .values = 1, .noise = i < n / 4 ? 10 : quiet[i].noise};
  }
  return (tare_eval_result){.n_profiles = n_profiles,
                            .n_columns = 1,
                            .n_outputs = 1,
                            .n_samples = n,
                            .samples = samples,
                            .sample_seconds = seconds,
                            .length_symbol = (char[]){"frames"}};
}

static void quantiles_hold_all_samples_once(void **state) {
  (void)state;
  const int counts[][2] = {{5, 0}, {6, 3}, {39, 3}, {40, 4}};
  for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
    const tare_eval_result r = facts(counts[c][0], 1);
    length_buckets b;
    length_buckets_make(&r, &b);
    assert_int_equal(b.n, counts[c][1]);
    int64_t sum = 0;
    for (int i = 0; i < b.n; i++) {
      assert_true(b.items[i].min <= b.items[i].max && b.items[i].profile == -1);
      assert_true(i == 0 || b.items[i].min > b.items[i - 1].max);
      sum += b.items[i].n;
    }
    assert_int_equal(sum, b.n ? counts[c][0] : 0);
    length_buckets_fini(&b);
  }
}

static void equal_lengths_stay_together(void **state) {
  (void)state;
  const tare_eval_result r = facts(12, 1);
  for (int i = 0; i < 12; i++) {
    samples[i].length = i < 9 ? 100 : 200;
  }
  length_buckets b;
  length_buckets_make(&r, &b);
  assert_int_equal(b.n, 2);
  assert_int_equal(b.items[0].n, 9);
  assert_int_equal(b.items[1].min, 200);
  length_buckets_fini(&b);
  for (int i = 0; i < 12; i++) {
    samples[i].length = 100;
  }
  length_buckets_make(&r, &b);
  assert_int_equal(b.n, 0); /* nothing depends on a length that there is once */
  length_buckets_fini(&b);
}

/* The second plan is worse in profile 1 alone, and the interval says so there. */
static void a_plan_that_fails_at_one_length_is_found(void **state) {
  (void)state;
  tare_eval_result first = facts(N, 2), other = first, fp32 = first;
  first.n_errors = other.n_errors = N;
  first.errors = quiet;
  other.errors = loud;
  length_buckets b;
  length_buckets_make(&fp32, &b);
  assert_int_equal(b.n, 2);
  assert_int_equal(b.items[1].profile, 1);
  assert_int_equal(b.items[1].n, N / 4);
  const tare_eval_result *const plans[] = {&first, &other};
  length_figure figures[2];
  for (int i = 0; i < 2; i++) {
    tare_error err = {0};
    assert_int_equal(length_bucket_compare(&b.items[i], plans, 2, &fp32, figures, &err), TARE_OK);
    assert_int_equal(figures[1].sqnr_to_first.distinct, i == 1);
    assert_true(figures[1].sqnr.low <= figures[1].score.sqnr_db);
    assert_true(isnan(figures[1].to_fp32.value)); /* without a metric */
  }
  assert_true(figures[1].sqnr_to_first.value < -15);
  assert_true(figures[0].seconds == 35.5); /* the mean of 31 .. 40 */
  length_buckets_fini(&b);
}

int length_buckets_test(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(quantiles_hold_all_samples_once),
                                     cmocka_unit_test(equal_lengths_stay_together),
                                     cmocka_unit_test(a_plan_that_fails_at_one_length_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
