/* Percentiles are trtexec's: element max(n - 1 - int((1 - p / 100) * n), 0) of the sorted times. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/timing.h"

static timing make(const int n) {
  timing t = {0};
  for (int i = n; i >= 1; i--) {
    timing_add(&t, i);
  }
  timing_sort(&t);
  return t;
}

static void percentiles_are_those_of_trtexec(void **state) {
  (void)state;
  timing t = make(1000);
  assert_true(timing_percentile(&t, 50) == 500);
  assert_true(timing_percentile(&t, 75) == 750);
  assert_true(timing_percentile(&t, 100) == 1000);
  assert_true(timing_percentile(&t, 0) == 1);
  timing_fini(&t);
  assert_null(t.ms);
}

static void few_times_have_percentiles_too(void **state) {
  (void)state;
  timing t = make(1);
  assert_true(timing_percentile(&t, 99) == 1);
  assert_true(timing_percentile(&t, 1) == 1);
  assert_true(timing_median(&t) == 1);
  timing_fini(&t);
}

static void mean_and_median(void **state) {
  (void)state;
  timing even = make(4), odd = make(5);
  assert_true(timing_median(&even) == 2.5);
  assert_true(timing_mean(&even) == 2.5);
  assert_true(timing_median(&odd) == 3);
  timing_fini(&even);
  timing_fini(&odd);
}

/* Of 100 values the 40th and 61st, as tables of order statistics have it. */
static void the_median_has_an_interval(void **state) {
  (void)state;
  timing t = make(100), few = make(5);
  double low, high;
  timing_median_interval(&t, &low, &high);
  assert_true(low == 40 && high == 61);
  timing_median_interval(&few, &low, &high);
  assert_true(low == 1 && high == 5);
  timing_fini(&t);
  timing_fini(&few);
}

int timing_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(percentiles_are_those_of_trtexec),
      cmocka_unit_test(few_times_have_percentiles_too),
      cmocka_unit_test(mean_and_median),
      cmocka_unit_test(the_median_has_an_interval),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
