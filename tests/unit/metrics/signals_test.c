/* Metrics of signals and embeddings. The expected values were computed with NumPy from the
 * definitions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "unit/metrics/made_metric.h"

enum { LENGTH = 1000 };

static float target[LENGTH], estimate[LENGTH];

static float noise(const int64_t i, const int64_t k) {
  return (float)((double)(i * 7919 * (k + 3) % 1013) / 1013 - 0.5);
}

static void make_signals(const double share) {
  for (int i = 0; i < LENGTH; i++) {
    target[i] = (float)((double)(float)sin(0.05 * i) + share * (double)noise(i, 2));
    estimate[i] = (float)((double)(float)(0.5 * sin(0.05 * i) + 0.01 * cos(0.31 * i) + 0.2) +
                          share * (double)noise(i, 1));
  }
}

/* Against a label or the reference. */
static double signal_value(const char *const name, const int64_t length, const bool label) {
  const tare_tensor got = {.dtype = TARE_F32, .rank = 2, .dims = {1, LENGTH}, .data = estimate};
  const tare_tensor want = {.dtype = TARE_F32, .rank = 2, .dims = {1, LENGTH}, .data = target};
  const tare_tensor signal = {.dtype = TARE_F32, .rank = 1, .dims = {length}, .data = target};
  const tare_sample sample = {.label = label ? &signal : NULL};
  const int64_t extents[] = {1, length};
  made_metric m;
  made_metric_begin(&m, name, NULL, 0);
  assert_int_equal(made_metric_add(&m, &sample, &got, label ? NULL : &want, extents, NULL),
                   TARE_OK);
  return made_metric_end(&m);
}

static void si_sdr_is_that_of_the_definition(void **state) {
  (void)state;
  make_signals(0);
  assert_float_equal(signal_value("si-sdr", LENGTH, true), 34.00352358299923, 1e-6);
  assert_float_equal(signal_value("si-sdr", LENGTH, false), 34.00352358299923, 1e-6);
}

static void si_sdr_of_equal_and_silent_signals(void **state) {
  (void)state;
  make_signals(0);
  memcpy(estimate, target, sizeof target);
  assert_float_equal(signal_value("si-sdr", LENGTH, true), 100, 0);
  estimate[7] = NAN;
  assert_float_equal(signal_value("si-sdr", LENGTH, true), -100, 0);
  memset(target, 0, sizeof target);
  assert_true(isnan(signal_value("si-sdr", LENGTH, true)));
}

/* Spectra are of float32, which is some 1e-7 of the largest. */
static void lsd_is_that_of_the_definition(void **state) {
  (void)state;
  make_signals(0.1);
  assert_float_equal(signal_value("lsd", LENGTH, true), 24.74279506723074, 1e-3);
  assert_float_equal(signal_value("lsd", 100, true), 12.090197849507746, 1e-3);
  memcpy(estimate, target, sizeof target);
  assert_float_equal(signal_value("lsd", LENGTH, true), 0, 0);
}

/* --- embeddings ------------------------------------------------------------------------------- */

enum { SAMPLES = 5 };

static float of_plan[SAMPLES][2] = {{1, 0}, {0.9F, 0.1F}, {0.8F, 0.3F}, {0, 1}, {0.1F, 1}};
static float of_float[SAMPLES][2] = {{1, 0}, {0.9F, 0.2F}, {0, 1}, {0.2F, 0.9F}, {0.7F, 0.7F}};

static void add_embeddings(made_metric *const m) {
  const tare_sample sample = {.label = NULL};
  for (int i = 0; i < SAMPLES; i++) {
    /* two rows whose mean is the embedding, and padding */
    float got[6] = {2 * of_plan[i][0], 0, 0, 2 * of_plan[i][1], 9, 9};
    float want[6] = {of_float[i][0], of_float[i][1], of_float[i][0], of_float[i][1], 8, 8};
    const int64_t extents[] = {1, 2, 2};
    const tare_tensor a = {.dtype = TARE_F32, .rank = 3, .dims = {1, 3, 2}, .data = got};
    const tare_tensor b = {.dtype = TARE_F32, .rank = 3, .dims = {1, 3, 2}, .data = want};
    assert_int_equal(made_metric_add(m, &sample, &a, &b, extents, NULL), TARE_OK);
  }
}

static void embeddings_are_near_those_of_float(void **state) {
  (void)state;
  const tare_metric_setting two = {"neighbours", "2"}, most = {"neighbours", "100"};
  made_metric m;
  made_metric_begin(&m, "cosine", NULL, 0);
  add_embeddings(&m);
  assert_float_equal(made_metric_end(&m), 0.8190880419646254, 1e-6);
  made_metric_begin(&m, "recall", &two, 1);
  add_embeddings(&m);
  assert_float_equal(made_metric_end(&m), 0.5, 0);
  made_metric_begin(&m, "recall", &most, 1); /* all others are neighbours */
  add_embeddings(&m);
  assert_float_equal(made_metric_end(&m), 1, 0);
}

static void one_sample_has_no_neighbours(void **state) {
  (void)state;
  const tare_sample sample = {.label = NULL};
  const tare_tensor a = {.dtype = TARE_F32, .rank = 2, .dims = {1, 2}, .data = of_plan[0]};
  made_metric m;
  made_metric_begin(&m, "recall", NULL, 0);
  assert_int_equal(made_metric_add(&m, &sample, &a, &a, NULL, NULL), TARE_OK);
  assert_true(isnan(made_metric_end(&m)));
}

static void agreement_counts_answers_of_float(void **state) {
  (void)state;
  float got[] = {1, 0, 0, 1, 0, 1}, want[] = {3, 2, 5, 4, -1, 0};
  const tare_sample sample = {.label = NULL};
  const tare_tensor a = {.dtype = TARE_F32, .rank = 2, .dims = {3, 2}, .data = got};
  const tare_tensor b = {.dtype = TARE_F32, .rank = 2, .dims = {3, 2}, .data = want};
  made_metric m;
  made_metric_begin(&m, "agreement", NULL, 0);
  assert_int_equal(made_metric_add(&m, &sample, &a, &b, NULL, NULL), TARE_OK);
  assert_float_equal(made_metric_end(&m), 2.0 / 3, 1e-15);
}

int signals_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(si_sdr_is_that_of_the_definition),
      cmocka_unit_test(si_sdr_of_equal_and_silent_signals),
      cmocka_unit_test(lsd_is_that_of_the_definition),
      cmocka_unit_test(embeddings_are_near_those_of_float),
      cmocka_unit_test(one_sample_has_no_neighbours),
      cmocka_unit_test(agreement_counts_answers_of_float),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
