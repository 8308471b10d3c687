/* Whether scores made by hand hold the bounds of a search. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "calib/tune/trials.h"

static tare_tune_score score_of(const double high) {
  return (tare_tune_score){.sqnr_db = 40,
                           .sqnr = {38, 42},
                           .has_metric = true,
                           .drop = {.value = high, .low = high, .high = high}};
}

static void a_drop_without_a_value_holds_no_bound(void **state) {
  (void)state;
  tare_tune_options o;
  tare_tune_options_init(&o);
  o.sqnr_db = -INFINITY;
  o.max_drop = 0.1;
  tare_tune_score score = score_of(NAN);
  assert_false(tarei_score_is_good(&o, &score));
  score = score_of(0.2);
  assert_false(tarei_score_is_good(&o, &score));
  score = score_of(0.05);
  assert_true(tarei_score_is_good(&o, &score));
}

static void samples_without_labels_are_judged_by_sqnr(void **state) {
  (void)state;
  tare_tune_options o;
  tare_tune_options_init(&o);
  o.sqnr_db = 30;
  o.max_drop = 0.1;
  tare_tune_score score = score_of(NAN);
  score.has_metric = false;
  assert_true(tarei_score_is_good(&o, &score));
  score.sqnr.low = 29.9; /* the lower end of the interval counts */
  assert_false(tarei_score_is_good(&o, &score));
  score.sqnr.low = NAN;
  assert_false(tarei_score_is_good(&o, &score));
}

int score_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_drop_without_a_value_holds_no_bound),
      cmocka_unit_test(samples_without_labels_are_judged_by_sqnr),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
