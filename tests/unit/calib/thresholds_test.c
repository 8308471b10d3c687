/* Thresholds from histograms against plain computations from the values themselves, for many kinds
 * of values and for amax anywhere between two powers of two. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/calibrator.h"
#include "unit/calib/random_floats.h"

enum { N = 20000, BINS = 2048, LEVELS = 128, GRID = 150 };

static tarei_kernels kernels;
static tarei_moments before[TAREI_HISTOGRAM_BINS + 1];
static float x[N], sorted[N]; /* sorted: magnitudes */

static double unit(void) {
  return (random_bits() + 0.5) / 4294967296.0;
}
static double normal(void) {
  return sqrt(-2 * log(unit())) * cos(6.283185307179586 * unit());
}
static double laplace(void) {
  return log(unit()) * (unit() < 0.5 ? 1 : -1);
}
static double uniform(void) {
  return 2 * unit() - 1;
}
static double relu(void) {
  return fmax(0, normal());
}
static double heavy(void) {
  return normal() * exp(1.5 * normal());
}
static double levels(void) {
  return floor(3 * normal() + 0.5);
}
static double bytes(void) {
  return floor(fabs(normal()) * 60);
}
static double share(void) { /* as a softmax gives them */
  return 1 / (1 + exp(6 + 3 * normal()));
}
static double mask(void) {
  return unit() < 0.8 ? 0 : -10000;
}

static const struct {
  const char *name;
  double (*draw)(void);
  bool few; /* different values */
} kinds[] = {{"normal", normal, false}, {"laplace", laplace, false}, {"uniform", uniform, false},
             {"relu", relu, false},     {"heavy", heavy, false},     {"share", share, false},
             {"levels", levels, true},  {"bytes", bytes, true},      {"mask", mask, true}};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* amax over the power of two below it */
static const double places[] = {1, 1.0003, 1.02, 1.37, 1.9997};
enum { N_PLACES = sizeof places / sizeof *places };

static int by_size(const void *const a, const void *const b) {
  const float first = *(const float *)a, second = *(const float *)b;
  return (first > second) - (first < second);
}

/* Values whose amax is about `place` times a power of two. */
static double draw(const int kind, const double place) {
  static double y[N];
  double amax = 0;
  for (int i = 0; i < N; i++) {
    y[i] = kinds[kind].draw();
    amax = fmax(amax, fabs(y[i]));
  }
  const double scale = ldexp(place, (int)random_below(40) - 20) / amax;
  for (int i = 0; i < N; i++) {
    x[i] = (float)(y[i] * scale);
    sorted[i] = fabsf(x[i]);
  }
  qsort(sorted, N, sizeof *sorted, by_size);
  return (double)sorted[N - 1];
}

static double threshold(const char *const method, const double percentile) {
  const tarei_calibrator *calibrator = NULL;
  assert_int_equal(tarei_calibrator_find(method, &calibrator, NULL), TARE_OK);
  tarei_histogram h;
  tarei_histogram_init(&h);
  const double amax = (double)sorted[N - 1];
  assert_true(tarei_histogram_add(&h, &kernels, x, N, N, sorted[N - 1]));
  const tarei_distribution d = tarei_distribution_make(&h, amax, before);
  tarei_histogram_fini(&h);
  bool degenerate = false;
  return calibrator->threshold(&d, percentile, &degenerate);
}

typedef void check_fn(int kind, double amax);

static void for_all(check_fn *const check) {
  for (int kind = 0; kind < N_KINDS; kind++) {
    for (int p = 0; p < N_PLACES; p++) {
      check(kind, draw(kind, places[p]));
    }
  }
}

static void check_minmax(const int kind, const double amax) {
  (void)kind;
  assert_true(threshold("minmax", 0) == amax);
}

static void minmax_agrees(void **const state) {
  (void)state;
  for_all(check_minmax);
}

/* Between neighbours of a sparse tail any threshold does. */
static void check_percentile(const int kind, const double amax) {
  static const double percents[] = {50, 99, 99.9, 99.99};
  const double bin = amax / (TAREI_HISTOGRAM_BINS / 2);
  for (size_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    const double expected = (double)sorted[(int)ceil(percents[i] / 100 * N) - 1];
    const double t = threshold("percentile", percents[i]);
    if (!(fabs(t - expected) <= fmax(1e-3 * expected, bin))) {
      fail_msg("%s, amax %.9g: percentile %g is %.9g, expected %.9g", kinds[kind].name, amax,
               percents[i], t, expected);
    }
  }
}

static void percentile_agrees(void **const state) {
  (void)state;
  for_all(check_percentile);
}

static double squared_error(const double t) {
  const double step = t / 127;
  double sum = 0;
  for (int i = 0; i < N; i++) {
    const double q = fmin(floor((double)sorted[i] / step + 0.5), 127) * step;
    sum += ((double)sorted[i] - q) * ((double)sorted[i] - q);
  }
  return sum;
}

/* Few values may all lie on one grid, which a search in steps finds by chance. */
static void check_mse(const int kind, const double amax) {
  double least = INFINITY;
  for (int i = 1; i <= GRID; i++) {
    least = fmin(least, squared_error(amax * i / GRID));
  }
  const double error = squared_error(threshold("mse", 0));
  if (!(error <= least * 1.03) && !kinds[kind].few) {
    fail_msg("%s, amax %.9g: the error is %.9g, at least %.9g", kinds[kind].name, amax, error,
             least);
  }
}

static void mse_agrees(void **const state) {
  (void)state;
  for_all(check_mse);
}

/* KL(P || Q) for the first i of 2048 bins, as published; infinite where Q lacks what P has. */
static double divergence(const double *const bins, const int i) {
  double mass[LEVELS] = {0}, kept = 0, beyond = 0, sum = 0;
  int filled[LEVELS] = {0};
  for (int j = 0; j < BINS; j++) {
    if (j < i) {
      mass[j * LEVELS / i] += bins[j];
      filled[j * LEVELS / i] += bins[j] > 0;
    }
    *(j < i ? &kept : &beyond) += bins[j];
  }
  for (int j = 0; j < i; j++) {
    const int level = j * LEVELS / i;
    const double p = bins[j] + (j == i - 1 ? beyond : 0);
    const double q = bins[j] > 0 ? mass[level] / filled[level] : 0;
    sum += p > 0 ? p / N * log(p / N / (q / kept)) : 0;
  }
  return sum;
}

static int n_checked, n_off;

/* The least divergence is flat: what counts is that the one found lies near, or costs no more. */
static void check_entropy(const int kind, const double amax) {
  static double bins[BINS], divergences[BINS + 1];
  memset(bins, 0, sizeof bins);
  for (int i = 0; i < N; i++) {
    const int bin = (int)((double)sorted[i] / (amax / BINS));
    bins[bin < BINS ? bin : BINS - 1]++;
  }
  int best = BINS;
  double least = INFINITY;
  for (int i = LEVELS; i <= BINS; i++) {
    divergences[i] = divergence(bins, i);
    if (divergences[i] <= least + 1e-12) {
      least = fmin(least, divergences[i]);
      best = i;
    }
  }
  const double t = threshold("entropy", 0);
  const int found = (int)(t / (amax / BINS));
  const bool near = fabs(t / ((best + 0.5) * (amax / BINS)) - 1) <= 0.02;
  n_checked++;
  if (!near && !(divergences[found] <= 1.01 * least)) {
    n_off++;
    print_message("%s, amax %.9g: bin %d of divergence %g, expected %d of %g\n", kinds[kind].name,
                  amax, found, divergences[found], best, least);
  }
}

static void entropy_agrees(void **const state) {
  (void)state;
  for_all(check_entropy);
  print_message("entropy: %d of %d differ\n", n_off, n_checked);
  assert_true(n_off * 5 <= n_checked); /* 1 of 40 on average */
}

int thresholds_test(void) {
  seed_random();
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(minmax_agrees),
      cmocka_unit_test(percentile_agrees),
      cmocka_unit_test(mse_agrees),
      cmocka_unit_test(entropy_agrees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
