/* Metrics of numbers and of token probabilities. The expected values were computed with NumPy from
 * the definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "calib/metrics/states.h"
#include "unit/metrics/made_metric.h"

static float answers[] = {0.5F, -1.25F, 3, 3, 0.125F, 7};
static double truths[] = {1, -1, 2.5, 4, 0.125, 6.5};
enum { N = 6 };

/* Each number is a sample; its label is a scalar, the output has axes of length 1. */
static void add_numbers(made_metric *const m, const bool labels) {
  for (int i = 0; i < N; i++) {
    float wanted = (float)truths[i];
    const tare_tensor got = {.dtype = TARE_F32, .rank = 2, .dims = {1, 1}, .data = &answers[i]};
    const tare_tensor want = {.dtype = TARE_F32, .rank = 2, .dims = {1, 1}, .data = &wanted};
    const tare_tensor label = {.dtype = TARE_F64, .data = &truths[i]};
    const tare_sample sample = {.label = labels ? &label : NULL};
    assert_int_equal(made_metric_add(m, &sample, &got, labels ? NULL : &want, NULL, NULL), TARE_OK);
  }
}

static void expect_numbers(const char *const name, const double wanted, const double resampled) {
  static const int32_t TIMES[N] = {2, 0, 1, 1, 3, 1};
  for (int labels = 0; labels < 2; labels++) {
    made_metric m;
    made_metric_begin(&m, name, NULL, 0);
    add_numbers(&m, labels);
    double value = 0;
    assert_int_equal(tarei_metric_states_finish(m.states, NULL), TARE_OK);
    assert_int_equal(tare_metric_states_value(m.states, TIMES, &value, NULL), TARE_OK);
    assert_float_equal(value, resampled, 1e-12);
    assert_int_equal(tare_metric_states_value(m.states, NULL, &value, NULL), TARE_OK);
    assert_float_equal(value, wanted, 1e-12);
    tarei_metric_states_free(&m.states);
  }
}

static void numbers_give_what_the_definitions_say(void **state) {
  (void)state;
  expect_numbers("mae", 0.4583333333333333, 3.0 / 8);
  expect_numbers("pearson", 0.981067625509554, 0.9779386280887659);
  expect_numbers("spearman", 0.9856107606091623, 0.9936507294577401);
}

static void a_nan_leaves_no_value(void **state) {
  (void)state;
  static const char *const NAMES[] = {"mae", "pearson", "spearman"};
  float bad[] = {1, NAN, 2, 3};
  double labels[] = {1, 2, 3, 4};
  const tare_tensor got = {.dtype = TARE_F32, .rank = 2, .dims = {1, 4}, .data = bad};
  const tare_tensor label = {.dtype = TARE_F64, .rank = 1, .dims = {4}, .data = labels};
  const tare_sample sample = {.label = &label};
  for (int i = 0; i < 3; i++) {
    made_metric m;
    made_metric_begin(&m, NAMES[i], NULL, 0);
    assert_int_equal(made_metric_add(&m, &sample, &got, NULL, NULL, NULL), TARE_OK);
    assert_true(isnan(made_metric_end(&m)));
  }
}

static void equal_values_have_no_correlation(void **state) {
  (void)state;
  float same[] = {0.1F, 0.1F, 0.1F};
  double labels[] = {1, 2, 3};
  const tare_tensor got = {.dtype = TARE_F32, .rank = 1, .dims = {3}, .data = same};
  const tare_tensor label = {.dtype = TARE_F64, .rank = 1, .dims = {3}, .data = labels};
  const tare_sample sample = {.label = &label};
  made_metric m;
  made_metric_begin(&m, "spearman", NULL, 0);
  assert_int_equal(made_metric_add(&m, &sample, &got, NULL, NULL, NULL), TARE_OK);
  assert_true(isnan(made_metric_end(&m)));
}

static void refuses_labels_of_other_dims(void **state) {
  (void)state;
  const tare_tensor got = {.dtype = TARE_F32, .rank = 2, .dims = {1, N}, .data = answers};
  const tare_tensor label = {.dtype = TARE_F64, .rank = 1, .dims = {N - 1}, .data = truths};
  tare_sample sample = {.label = &label};
  tare_error err = {0};
  made_metric m;
  made_metric_begin(&m, "mae", NULL, 0);
  assert_int_equal(made_metric_add(&m, &sample, &got, NULL, NULL, &err), TARE_E_INPUT);
  assert_non_null(strstr(err.message, "5 elements"));
  sample = (tare_sample){.label_text = "warm"};
  assert_int_equal(made_metric_add(&m, &sample, &got, NULL, NULL, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "expects numbers"));
  assert_true(isnan(made_metric_end(&m)));
}

/* --- perplexity ------------------------------------------------------------------------------- */

static void expect_perplexity(const tare_metric_setting *const settings, const int n,
                              const double wanted) {
  float scores[] = {1, 2, 0.5F, 0, 0, 3, 2, -1, 1, 0.25F, 0.5F, 0.75F, 9, 9, 9};
  int64_t ids[] = {2, 1, 2, 0, 1};
  const int64_t extents[] = {1, 4, 3}; /* the last position is padding */
  const tare_tensor got = {.dtype = TARE_F32, .rank = 3, .dims = {1, 5, 3}, .data = scores};
  const tare_tensor label = {.dtype = TARE_I64, .rank = 1, .dims = {5}, .data = ids};
  const tare_sample sample = {.label = &label};
  made_metric m;
  made_metric_begin(&m, "perplexity", settings, n);
  assert_int_equal(made_metric_add(&m, &sample, &got, NULL, extents, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), wanted, 1e-12);
}

static void perplexity_is_that_of_the_next_token(void **state) {
  (void)state;
  const tare_metric_setting unshifted = {"label-shift", "0"}, without = {"ignore-index", "2"};
  expect_perplexity(NULL, 0, 1.353600373452709);
  expect_perplexity(&unshifted, 1, 6.989510396865542);
  expect_perplexity(&without, 1, 1.5018392151447726);
}

int numbers_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_give_what_the_definitions_say),
      cmocka_unit_test(a_nan_leaves_no_value),
      cmocka_unit_test(equal_values_have_no_correlation),
      cmocka_unit_test(refuses_labels_of_other_dims),
      cmocka_unit_test(perplexity_is_that_of_the_next_token),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
