/* Correlations of many values in draws of the bootstrap, and of one sample of many. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "unit/metrics/made_metric.h"

enum { SAMPLES = 40, LONGEST = 1600, DRAWS = 60 };

static uint64_t seed = 7;

static double roll(void) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) / (double)(UINT64_C(1) << 53);
}

/* Samples of other lengths, offsets and noise, with many equal values. */
static void add_values(made_metric *const m, const int samples) {
  static float got[LONGEST];
  static double wanted[LONGEST];
  for (int s = 0; s < samples; s++) {
    const int64_t n = LONGEST / 2 + (int64_t)(roll() * (LONGEST / 2));
    const double offset = 100 + roll(), noise = roll();
    for (int64_t i = 0; i < n; i++) {
      wanted[i] = floor(100 * (offset + roll())) / 100;
      got[i] = (float)(floor(50 * (wanted[i] + noise * roll())) / 50);
    }
    const tare_tensor output = {.dtype = TARE_F32, .rank = 1, .dims = {n}, .data = got};
    const tare_tensor label = {.dtype = TARE_F64, .rank = 1, .dims = {n}, .data = wanted};
    const tare_sample sample = {.label = &label};
    assert_int_equal(made_metric_add(m, &sample, &output, NULL, NULL, NULL), TARE_OK);
  }
  assert_int_equal(tarei_metric_states_finish(m->states, NULL), TARE_OK);
}

static double value_of(const tare_metric_states *const states, const int32_t *const times) {
  double value = NAN;
  assert_int_equal(tare_metric_states_value(states, times, &value, NULL), TARE_OK);
  return value;
}

/* From half of the samples, as a group of the bootstrap has them, or from all. */
static void draw(int32_t *const times, const int of) {
  for (int s = 0; s < SAMPLES; s++) {
    times[s] = 0;
  }
  for (int s = 0; s < of; s++) {
    times[(int)(roll() * of)]++;
  }
}

/* Root mean square of what a brief value is off, by the deviation of the values. */
static double error_of_draws(const tare_metric_states *const states,
                             const tare_metric_states *const brief, const int of) {
  double sum = 0, squares = 0, errors = 0;
  for (int d = 0; d < DRAWS; d++) {
    int32_t times[SAMPLES];
    draw(times, of);
    const double value = value_of(states, times), error = value_of(brief, times) - value;
    sum += value;
    squares += value * value;
    errors += error * error;
  }
  return sqrt(errors / (squares - sum * sum / DRAWS));
}

static void check_draws(const char *const name, const int of, const double most) {
  made_metric m;
  tare_metric_states *brief = NULL;
  int32_t times[SAMPLES];
  for (int s = 0; s < SAMPLES; s++) {
    times[s] = s < of;
  }
  made_metric_begin(&m, name, NULL, 0);
  add_values(&m, SAMPLES);
  const tarei_metric_choice all = {.states = m.states, .times = times, .profile = -1, .level = -1};
  assert_int_equal(tarei_metric_choice_brief(&all, &brief, NULL), TARE_OK);
  assert_non_null(brief);
  assert_float_equal(value_of(brief, times), value_of(m.states, times), 1e-10);
  const double error = error_of_draws(m.states, brief, of);
  if (!(error < most)) {
    fail_msg("%s of %d samples: error %g", name, of, error);
  }
  tarei_metric_states_free(&brief);
  tarei_metric_states_free(&m.states);
}

static void draws_of_many_values_are_nearly_exact(void **state) {
  (void)state;
  check_draws("spearman", SAMPLES, 0.03);
  check_draws("spearman", SAMPLES / 2, 0.06);
  check_draws("pearson", SAMPLES, 1e-8);
  check_draws("pearson", SAMPLES / 2, 1e-8);
}

static void draws_of_few_values_are_exact(void **state) {
  (void)state;
  made_metric m;
  tare_metric_states *brief = NULL;
  made_metric_begin(&m, "spearman", NULL, 0);
  add_values(&m, 9);
  const tarei_metric_choice all = {.states = m.states, .profile = -1, .level = -1};
  const tarei_metric_choice one = {
      .states = m.states, .profile = -1, .level = -1, .begin = 3, .end = 4};
  assert_int_equal(tarei_metric_choice_brief(&all, &brief, NULL), TARE_OK);
  assert_null(brief);
  assert_int_equal(tarei_metric_choice_brief(&one, &brief, NULL), TARE_OK);
  assert_null(brief);
  tarei_metric_states_free(&m.states);
}

static void without_a_value_there_is_none_in_draws(void **state) {
  (void)state;
  made_metric m;
  tare_metric_states *brief = NULL;
  made_metric_begin(&m, "spearman", NULL, 0);
  add_values(&m, SAMPLES);
  m.states->numbers[m.states->rows[1].at] = NAN;
  const tarei_metric_choice all = {.states = m.states, .profile = -1, .level = -1};
  assert_true(isnan(value_of(m.states, NULL)));
  assert_int_equal(tarei_metric_choice_brief(&all, &brief, NULL), TARE_OK);
  assert_true(isnan(value_of(brief, NULL)));
  tarei_metric_states_free(&brief);
  tarei_metric_states_free(&m.states);
}

static void one_sample_is_ranked_by_itself(void **state) {
  (void)state;
  made_metric m;
  made_metric_begin(&m, "spearman", NULL, 0);
  add_values(&m, SAMPLES);
  for (int s = 0; s < SAMPLES; s += 13) {
    int32_t times[SAMPLES] = {0};
    double alone = NAN;
    times[s] = 1;
    assert_int_equal(tare_metric_states_sample(m.states, s, &alone, NULL), TARE_OK);
    assert_float_equal(alone, value_of(m.states, times), 1e-12);
  }
  tarei_metric_states_free(&m.states);
}

int draws_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(draws_of_many_values_are_nearly_exact),
      cmocka_unit_test(draws_of_few_values_are_exact),
      cmocka_unit_test(without_a_value_there_is_none_in_draws),
      cmocka_unit_test(one_sample_is_ranked_by_itself),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
