/* Numbers that a metric command prints: read as lines, given to runs, refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "calib/metrics/printed.h"

enum { SAMPLES = 3, LEVELS = 2 };

/* Three samples, of which each has its own level first, the second of two. */
static tare_metric_states *begin(void) {
  static const tare_metric_setting COMMAND = {"metric-command", "cmd"};
  const tarei_metric *metric = NULL;
  tarei_metric_settings settings;
  tare_metric_states *states = NULL;
  assert_int_equal(tarei_metric_pick("loss", &COMMAND, 1, &metric, &settings, NULL), TARE_OK);
  assert_int_equal(tarei_metric_states_new(metric, &settings, &states, NULL), TARE_OK);
  for (int i = 0; i < SAMPLES; i++) {
    for (int level = LEVELS - 1; level >= 0; level--) {
      assert_int_equal(tarei_metric_states_begin(states, i % 2, level, NULL), TARE_OK);
    }
    tarei_metric_states_keep(states);
  }
  return states;
}

static double value_of(const tare_metric_states *const states, const int profile, const int level) {
  const tarei_metric_choice choice = {.states = states, .profile = profile, .level = level};
  double value = 0;
  assert_int_equal(tarei_metric_choice_value(&choice, &value, NULL), TARE_OK);
  return value;
}

static void lines_are_by_sample_then_level(void **state) {
  (void)state;
  tare_metric_states *states = begin();
  assert_int_equal(tarei_printed_read("cmd", "1\n2 \r\n 3\n4 1\n-5\n6e0\n\n", LEVELS, states, NULL),
                   TARE_OK);
  assert_float_equal(value_of(states, -1, -1), 11.0 / 6, 1e-15);
  assert_float_equal(value_of(states, -1, 0), (1 + 3 - 5) / 3.0, 1e-15);
  assert_float_equal(value_of(states, 1, -1), 3.5, 1e-15);
  double one = 0;
  assert_int_equal(tare_metric_states_sample(states, 2, &one, NULL), TARE_OK);
  assert_float_equal(one, 0.5, 1e-15);
  tarei_metric_states_free(&states);
}

static void weights_divide_and_zero_does_not_count(void **state) {
  (void)state;
  tare_metric_states *states = begin();
  int64_t labelled[SAMPLES];
  assert_int_equal(tarei_printed_read("cmd", "1 2\n1 2\n0 0\n0 0\n3 1\n0 5", LEVELS, states, NULL),
                   TARE_OK);
  assert_float_equal(value_of(states, -1, -1), 0.5, 1e-15);
  assert_true(isnan(value_of(states, 1, -1)));
  assert_int_equal(tarei_metric_states_labelled(states, labelled), 2);
  tarei_metric_states_free(&states);
}

static void one_number_is_of_all_samples_only(void **state) {
  (void)state;
  tare_metric_states *states = begin();
  const int32_t twice[] = {2, 0, 1};
  double value = 0;
  assert_int_equal(tarei_printed_read("cmd", "0.25\n", LEVELS, states, NULL), TARE_OK);
  assert_float_equal(value_of(states, -1, -1), 0.25, 0);
  assert_true(isnan(value_of(states, 0, -1)));
  assert_true(isnan(value_of(states, -1, 0)));
  assert_int_equal(tare_metric_states_value(states, twice, &value, NULL), TARE_OK);
  assert_true(isnan(value));
  assert_int_equal(tare_metric_states_sample(states, 0, &value, NULL), TARE_OK);
  assert_true(isnan(value));
  tarei_metric_states_free(&states);
}

static void other_text_is_refused(void **state) {
  (void)state;
  static const struct {
    const char *text, *said;
  } CASES[] = {{"", "printed nothing"},
               {" \n\n", "printed nothing"},
               {"1\n2\n", "printed 2 lines"},
               {"nan", "'nan' in line 1"},
               {"inf", "expected a finite"},
               {"1 2 3", "'1 2 3'"},
               {"1 -1", "'1 -1'"},
               {"1\n2\n3\n\n5\n6", "'' in line 4"},
               {"1\n2\n3\n4x\n5\n6", "'4x' in line 4"},
               {"1e999", "'1e999'"}};
  for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
    tare_metric_states *states = begin();
    tare_error err = {0};
    assert_int_equal(tarei_printed_read("cmd", CASES[i].text, LEVELS, states, &err), TARE_E_INPUT);
    assert_non_null(strstr(err.message, CASES[i].said));
    tarei_metric_states_free(&states);
  }
}

int printed_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lines_are_by_sample_then_level),
      cmocka_unit_test(weights_divide_and_zero_does_not_count),
      cmocka_unit_test(one_number_is_of_all_samples_only),
      cmocka_unit_test(other_text_is_refused),
  };
  return cmocka_run_group_tests_name("metrics.printed", tests, NULL, NULL);
}
