/* The family of task metrics, and what samples contribute to them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/metrics/made_metric.h"

static void picks_by_name_and_checks_the_output(void **state) {
  (void)state;
  const tare_metric_setting abc = {"alphabet", "abc"};
  tare_port output = {.name = "logits", .dtype = TARE_F32, .rank = 3};
  const tarei_metric *metric = NULL;
  tarei_metric_settings read;
  tare_error err = {0};
  assert_int_equal(tarei_metric_pick("ctc-error", &abc, 1, &metric, &read, &err), TARE_OK);
  assert_string_equal(metric->name, "ctc-error");
  assert_int_equal(tarei_metric_check_output(metric, &output, false, &err), TARE_OK);
  tarei_metric_settings_fini(&read);
  assert_int_equal(tarei_metric_pick("ctc-error", NULL, 0, &metric, &read, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "alphabet"));
  assert_int_equal(tarei_metric_pick("accuracy", &abc, 1, &metric, &read, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "does not take alphabet"));
  assert_int_equal(tarei_metric_pick("acuracy", NULL, 0, &metric, &read, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "accuracy"));
  assert_int_equal(tarei_metric_pick("accuracy", NULL, 0, &metric, &read, &err), TARE_OK);
  output.dtype = TARE_I64;
  assert_int_equal(tarei_metric_check_output(metric, &output, false, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "int64"));
}

static void every_metric_has_its_facts(void **state) {
  (void)state;
  for (int i = 0; i < tare_n_metrics(); i++) {
    const tare_metric_unit unit = tare_metric_get_unit(i);
    assert_non_null(tare_metric_summary(i));
    assert_true(unit.factor > 0 && unit.symbol && unit.difference);
    assert_in_range(tare_metric_get_truth(i), TARE_TRUTH_LABELS, TARE_TRUTH_EITHER);
  }
  assert_null(tare_metric_name(-1));
  assert_null(tare_metric_summary(tare_n_metrics()));
  assert_null(tare_metric_option_at(tare_n_metric_options()));
}

/* Every option belongs to some metric. */
static void every_option_is_taken(void **state) {
  (void)state;
  for (int option = 0; option < tare_n_metric_options(); option++) {
    int takers = 0;
    for (int metric = 0; metric < tare_n_metrics(); metric++) {
      takers += tare_metric_takes(metric, option);
    }
    assert_true(takers > 0);
  }
}

/* Right and all labels of four samples, the third without labels. */
static void make_states(tare_metric_states **const out) {
  const double sums[][2] = {{1, 2}, {0, 1}, {0, 0}, {3, 4}};
  const tarei_metric *metric = NULL;
  tarei_metric_settings read;
  assert_int_equal(tarei_metric_pick("accuracy", NULL, 0, &metric, &read, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_new(metric, &read, out, NULL), TARE_OK);
  for (int i = 0; i < 4; i++) {
    assert_int_equal(tarei_metric_states_begin(*out, i % 2, 0, NULL), TARE_OK);
    assert_int_equal(tarei_metric_states_add(*out, sums[i], i == 2 ? 0 : 2, NULL), TARE_OK);
    tarei_metric_states_keep(*out);
  }
}

static void any_choice_of_samples_has_a_value(void **state) {
  (void)state;
  tare_metric_states *states = NULL;
  make_states(&states);
  double value = 0;
  const int32_t twice_the_first[] = {2, 1, 0, 0}, the_third[] = {0, 0, 5, 0};
  assert_int_equal(tare_metric_states_count(states), 4);
  assert_int_equal(tare_metric_states_value(states, NULL, &value, NULL), TARE_OK);
  assert_float_equal(value, 4.0 / 7, 1e-15);
  assert_int_equal(tare_metric_states_value(states, twice_the_first, &value, NULL), TARE_OK);
  assert_float_equal(value, 2.0 / 5, 1e-15);
  assert_int_equal(tare_metric_states_value(states, the_third, &value, NULL), TARE_OK);
  assert_true(isnan(value));
  const tarei_metric_choice odd = {.states = states, .profile = 1, .level = -1};
  assert_int_equal(tarei_metric_choice_value(&odd, &value, NULL), TARE_OK);
  assert_float_equal(value, 3.0 / 5, 1e-15);
  tarei_metric_states_free(&states);
}

static void samples_that_are_discarded_leave_nothing(void **state) {
  (void)state;
  tare_metric_states *states = NULL;
  make_states(&states);
  const double sums[] = {100, 100};
  double value = 0;
  assert_int_equal(tarei_metric_states_begin(states, 0, 0, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_add(states, sums, 2, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_finish(states, NULL), TARE_OK);
  assert_int_equal(tare_metric_states_value(states, NULL, &value, NULL), TARE_OK);
  assert_float_equal(value, 4.0 / 7, 1e-15);
  tarei_metric_states_free(&states);
}

int metric_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_metric_has_its_facts),
      cmocka_unit_test(every_option_is_taken),
      cmocka_unit_test(picks_by_name_and_checks_the_output),
      cmocka_unit_test(any_choice_of_samples_has_a_value),
      cmocka_unit_test(samples_that_are_discarded_leave_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
