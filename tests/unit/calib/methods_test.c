/* Thresholds against numbers of tests/fixtures/tables/make_thresholds.py, which has the same
 * distributions and computes everything by plain loops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tare/calib.h>

#include "base/half.h"
#include "calib/calibrator.h"

static int64_t bins[4096];
static tarei_moments before[TAREI_HISTOGRAM_BINS + 1];

/* As a histogram has it whose other bins are empty. */
static tarei_distribution finish(const int n, const double width, const double amax) {
  tarei_histogram h;
  tarei_histogram_init(&h);
  (void)frexp(width, &h.exponent);
  h.exponent--;
  for (int i = 0; i < n; i++) {
    int64_t page[TAREI_COUNTS_PAGE] = {0};
    page[i % TAREI_COUNTS_PAGE] = bins[i];
    assert_true(tarei_counts_add(i % 2 ? &h.positive : &h.negative, i / TAREI_COUNTS_PAGE, page));
  }
  const tarei_distribution d = tarei_distribution_make(&h, amax, before);
  assert_int_equal(d.n_bins, n);
  tarei_histogram_fini(&h);
  return d;
}

static tarei_distribution make_uniform(void) {
  for (int i = 0; i < 4096; i++) {
    bins[i] = 1000;
  }
  return finish(4096, ldexp(1, -12), 1 - ldexp(1, -24));
}

static tarei_distribution make_decay(void) {
  int64_t count = 1000000;
  for (int i = 0; i < 4000; i++) {
    bins[i] = count;
    count -= count * 3 / 1000;
  }
  for (int i = 3000; i < 3500; i += 37) {
    bins[i]++;
  }
  bins[3999]++;
  return finish(4000, ldexp(1, -5), ldexp(3999.25, -5));
}

static tarei_distribution make_dome(void) {
  for (int i = 0; i < 3000; i++) {
    bins[i] = (int64_t)(3000 - i) * (3000 - i) / 1000 + 1;
  }
  return finish(3000, 8, 2999.5 * 8);
}

static tarei_distribution make_sparse(void) {
  const tarei_distribution d = make_decay();
  bins[0] = 1000000000;
  return finish(d.n_bins, d.width, d.amax);
}

static tarei_distribution make_outlier(void) {
  memset(bins, 0, sizeof bins);
  for (int i = 0; i < 256; i++) {
    bins[i] = 100000 - 300 * i;
  }
  bins[4095] = 3;
  return finish(4096, ldexp(1, -10), ldexp(4095.5, -10));
}

static const struct {
  const char *name;
  tarei_distribution (*make)(void);
  double entropy, percentile_9999, percentile_99, mse, mse_error, energy_lost_at_half;
} cases[] = {
#include "fixtures/tables/thresholds.inc"
};
enum { N_CASES = sizeof cases / sizeof *cases };

static double threshold(const char *const method, const tarei_distribution *const d,
                        const double percentile, bool *const degenerate) {
  const tarei_calibrator *calibrator = NULL;
  assert_int_equal(tarei_calibrator_find(method, &calibrator, NULL), TARE_OK);
  *degenerate = false;
  return calibrator->threshold(d, percentile, degenerate);
}

static void assert_near(const char *const what, const double value, const double expected,
                        const double tolerance) {
  if (!(fabs(value - expected) <= tolerance * fabs(expected))) {
    fail_msg("%s is %.9g, expected %.9g", what, value, expected);
  }
}

static void entropy_agrees(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    const tarei_distribution d = cases[i].make();
    bool degenerate;
    assert_near(cases[i].name, threshold("entropy", &d, 0, &degenerate), cases[i].entropy, 1e-8);
    assert_false(degenerate);
  }
}

static void percentile_agrees(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    const tarei_distribution d = cases[i].make();
    bool degenerate;
    assert_near(cases[i].name, threshold("percentile", &d, 99.99, &degenerate),
                cases[i].percentile_9999, 1e-8);
    assert_near(cases[i].name, threshold("percentile", &d, 99, &degenerate), cases[i].percentile_99,
                1e-8);
    assert_true(threshold("percentile", &d, 100, &degenerate) == d.amax);
  }
}

/* Error of a threshold, values at 16 places of each bin. */
static double sampled_error(const tarei_distribution *const d, const double t) {
  const double scale = t / 127;
  double sum = 0;
  for (int i = 0; i < d->n_bins; i++) {
    const double low = i * d->width, high = tarei_distribution_edge(d, i);
    for (int k = 0; k < 16; k++) {
      const double x = low + (high - low) * (k + 0.5) / 16;
      const double q = fmin(rint(x / scale), 127) * scale;
      sum += (d->before[i + 1].n - d->before[i].n) / 16 * (x - q) * (x - q);
    }
  }
  return sum;
}

/* The minimum is flat: what counts is the error at the threshold, and that it lies near. */
static void mse_agrees(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    const tarei_distribution d = cases[i].make();
    bool degenerate;
    const double t = threshold("mse", &d, 0, &degenerate);
    assert_near(cases[i].name, t, cases[i].mse, 0.03);
    assert_true(sampled_error(&d, t) <= cases[i].mse_error * 1.002);
  }
}

static void energy_lost_agrees(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    const tarei_distribution d = cases[i].make();
    assert_near(cases[i].name, tarei_distribution_energy_lost(&d, d.amax / 2),
                cases[i].energy_lost_at_half, 2e-3);
    assert_true(tarei_distribution_energy_lost(&d, d.amax) == 0);
    assert_true(tarei_distribution_energy_lost(&d, d.amax * 2) == 0);
    assert_near(cases[i].name, tarei_distribution_energy_lost(&d, d.amax * 1e-9), 1, 1e-6);
  }
}

static void minmax_clips_nothing(void **const state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    const tarei_distribution d = cases[i].make();
    bool degenerate;
    assert_true(threshold("minmax", &d, 0, &degenerate) == d.amax);
  }
}

/* TensorRT's tables show amax * (1 + 0.5 / 2048) where nothing is clipped, e.g. for [0, 1]. */
static void entropy_keeps_the_half_bin(void **const state) {
  (void)state;
  const tarei_distribution d = make_uniform();
  bool degenerate;
  const double t = threshold("entropy", &d, 0, &degenerate);
  assert_near("unclipped", t, d.amax * (1 + 0.5 / 2048), 1e-12);
  tarei_distribution one = d;
  one.amax = 1; /* by rounding */
  assert_int_equal(tarei_float_to_bits((float)(threshold("entropy", &one, 0, &degenerate) / 127)),
                   0x3c010a14);
}

static void degenerate_searches_are_reported(void **const state) {
  (void)state;
  bool degenerate;
  memset(bins, 0, sizeof bins);
  bins[0] = 1000;
  bins[2499] = 5; /* two values, as masks have */
  const tarei_distribution mask = finish(2500, 4, 2499 * 4.0);
  assert_near("mask", threshold("entropy", &mask, 0, &degenerate), mask.amax * (1 + 0.5 / 2048),
              1e-12);
  assert_true(degenerate);
  bins[0] = 0; /* one value */
  const tarei_distribution constant = finish(2500, 4, 2499 * 4.0);
  assert_near("constant", threshold("entropy", &constant, 0, &degenerate),
              constant.amax * (1 + 0.5 / 2048), 1e-12);
  assert_true(degenerate);
  assert_near("constant", threshold("mse", &constant, 0, &degenerate), constant.amax, 1e-3);
  assert_true(threshold("percentile", &constant, 50, &degenerate) == constant.amax);
}

/* Values so small that all of them lie in a few bins. */
static void few_bins_are_fine(void **const state) {
  (void)state;
  memset(bins, 0, sizeof bins);
  bins[0] = 7;
  bins[1] = 3;
  bins[2] = 1;
  const double width = ldexp(1, TAREI_HISTOGRAM_MIN_EXPONENT);
  const tarei_distribution d = finish(3, width, width * 2.5);
  for (int m = 0; m < tare_n_methods(); m++) {
    bool degenerate;
    const double t = threshold(tare_method_name(m), &d, 99.99, &degenerate);
    assert_true(t > 0 && t <= d.amax * 1.001);
  }
}

static void names_are_found(void **const state) {
  (void)state;
  const tarei_calibrator *calibrator = NULL;
  tare_error err = {0};
  assert_int_equal(tarei_calibrator_find(NULL, &calibrator, &err), TARE_OK);
  assert_string_equal(calibrator->name, "minmax");
  assert_int_equal(tarei_calibrator_find("foo", &calibrator, &err), TARE_E_USAGE);
  assert_non_null(strstr(err.message, "minmax, entropy, percentile, mse"));
#define TAREI_CALIBRATOR(id) +1
  const int rows = 0
#include "calib/calibrators.inc"
      ;
#undef TAREI_CALIBRATOR
  assert_int_equal(tare_n_methods(), rows);
  assert_null(tare_method_name(rows));
  assert_null(tare_method_summary(-1));
  for (int m = 0; m < rows; m++) {
    assert_true(strlen(tare_method_summary(m)) > 10);
  }
}

int methods_test(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(entropy_agrees),
      cmocka_unit_test(percentile_agrees),
      cmocka_unit_test(mse_agrees),
      cmocka_unit_test(energy_lost_agrees),
      cmocka_unit_test(minmax_clips_nothing),
      cmocka_unit_test(entropy_keeps_the_half_bin),
      cmocka_unit_test(degenerate_searches_are_reported),
      cmocka_unit_test(few_bins_are_fine),
      cmocka_unit_test(names_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
