/* Profiles by padding, and by the time that a run takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tools/profiles/length_plan.h"

/* Nearly flat to 100, then steep. */
static const latency_curve CURVE = {
    .n = 3, .threads = 1, .lengths = {10, 100, 200}, .ms = {1, 1.09, 101.09}};
static const int64_t LENGTHS[] = {10, 10, 10, 10, 50, 100, 150, 200};
enum { N = sizeof LENGTHS / sizeof *LENGTHS };

static void make_plan(const int count, const latency_curve *const curve, length_plan *const out) {
  const profiles_options options = {.count = count, .most = 8};
  int64_t values[N];
  memcpy(values, LENGTHS, sizeof values);
  assert_int_equal(length_plan_make(values, N, &options, curve, out, NULL), TARE_OK);
}

static void times_are_interpolated(void **state) {
  (void)state;
  assert_int_equal(latency_curve_ns(&CURVE, 10), 1000000);
  assert_int_equal(latency_curve_ns(&CURVE, 55), 1045000);
  assert_int_equal(latency_curve_ns(&CURVE, 150), 51090000);
  assert_int_equal(latency_curve_ns(&CURVE, 200), 101090000);
  const latency_curve one = {.n = 1, .lengths = {7}, .ms = {2}};
  assert_int_equal(latency_curve_ns(&one, 7), 2000000);
  const latency_curve full = {.n = LATENCY_POINTS,
                              .lengths = {1, 2, 3, 4, 5, 6, 7, 8, 10},
                              .ms = {1, 2, 3, 4, 5, 6, 7, 8, 10}};
  assert_int_equal(latency_curve_ns(&full, 9), 9000000);
  assert_int_equal(latency_curve_ns(&full, 10), 10000000);
}

/* By elements the many samples of 10 are apart; by time those above 100 are. */
static void what_costs_time_is_cut(void **state) {
  (void)state;
  length_plan p;
  make_plan(2, NULL, &p);
  assert_int_equal(length_plan_range(&p, 0).max, 10);
  length_plan_fini(&p);
  make_plan(2, &CURVE, &p);
  assert_int_equal(length_plan_range(&p, 0).max, 100);
  assert_int_equal(p.cuts[0].padding, 8 * INT64_C(101090000) - p.least);
  length_plan_fini(&p);
}

/* A curve that is flat has no two lengths of one cost. */
static void equal_times_are_cut_too(void **state) {
  (void)state;
  static const latency_curve FLAT = {.n = 2, .lengths = {10, 200}, .ms = {1, 1}};
  length_plan p;
  make_plan(4, &FLAT, &p);
  assert_int_equal(p.cuts[p.chosen].groups, 4);
  assert_true(length_plan_share(&p, p.cuts[0].padding) < 1e-5);
  length_plan_fini(&p);
}

int length_plan_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(times_are_interpolated),
      cmocka_unit_test(what_costs_time_is_cut),
      cmocka_unit_test(equal_times_are_cut_too),
  };
  return cmocka_run_group_tests_name("tools.length_plan", tests, NULL, NULL);
}
