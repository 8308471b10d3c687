/* Statistics made by hand for tests: two profiles; tensors "a" (activations), "dead" (zeros),
 * "mask" (two values), "nan" and "only0" (data in the first profile only); aliases of "a";
 * roundings and numbers of "first" and "second"; "a" and "b" are smoothed. */
#ifndef TAREI_TESTS_UNIT_CALIB_SUPPORT_SAMPLE_STATS_H
#define TAREI_TESTS_UNIT_CALIB_SUPPORT_SAMPLE_STATS_H

#include "base/mem.h"
#include "calib/stats.h"
#include "graph/table/layer_numbers.h"
#include "graph/table/smoothing.h"
#include "unit/calib/random_floats.h"

enum { SAMPLE_N = 5000 };

/* Of 3 channels of 11 weights. */
static const uint8_t sample_ups[] = {0x5a, 0xc3, 0x0f, 0x99, 0x01};

static inline void sample_fill(tare_stats *const stats, const int tensor, const int profile,
                               float *const x, const int64_t n_columns) {
  tarei_kernels kernels;
  tarei_kernels_select(TAREI_ISA_ALL, &kernels);
  tarei_accumulator *const a = &stats->tensors[tensor].buckets[profile];
  a->n_samples++;
  assert_true(tarei_accumulator_add_rows(a, &kernels, x, SAMPLE_N / n_columns, n_columns));
}

static inline tare_stats *sample_stats(const uint64_t seed) {
  static const char *const names[] = {"a", "dead", "mask", "nan", "only0"};
  static const char *const aliases[] = {"a/reshaped", "a/transposed"};
  static const char *const specs[] = {"samples=1:2:3", "samples=4:5:6"};
  tare_stats *stats = NULL;
  assert_int_equal(tarei_stats_new(2, 1, 5, 2, &stats, NULL), TARE_OK);
  stats->model_hash = 0x0123456789abcdefu;
  stats->model_name = tarei_strdup("model.onnx");
  stats->fit = TARE_FIT_NATIVE;
  stats->inputs[0] = tarei_strdup("audio");
  random_state = seed;
  float x[SAMPLE_N];
  for (int p = 0; p < 2; p++) {
    stats->profiles[p].spec = tarei_strdup(specs[p]);
    stats->profiles[p].n_samples = 1;
    for (int t = 0; t < 5; t++) {
      for (int i = 0; i < SAMPLE_N; i++) {
        const float activation = random_activation() * (float)(1 + p);
        x[i] = t == 1 ? 0 : t == 2 ? (i % 100 ? 0 : -10000.0f) : activation;
      }
      x[7] = t == 3 ? NAN : x[7];
      if (t != 4 || p == 0) {
        sample_fill(stats, t, p, x, 50);
      }
    }
  }
  for (int t = 0; t < 5; t++) {
    stats->tensors[t].name = tarei_strdup(names[t]);
  }
  for (int i = 0; i < 2; i++) {
    stats->aliases[i].name = tarei_strdup(aliases[i]);
    stats->aliases[i].source = tarei_strdup("a");
  }
  assert_int_equal(tarei_roundings_add(&stats->roundings, "first", 2, 9, seed, sample_ups, NULL),
                   TARE_OK);
  assert_int_equal(
      tarei_roundings_add(&stats->roundings, "second", 3, 11, UINT64_MAX, sample_ups, NULL),
      TARE_OK);
  assert_int_equal(tarei_smoothings_add(&stats->smoothings, "a", 3, (const int8_t[]){0, -7, 24}, 2,
                                        (const double[]){-1, INFINITY},
                                        (const double[]){2, -INFINITY}, 0.5, NULL),
                   TARE_OK);
  assert_int_equal(tarei_smoothings_add(&stats->smoothings, "b", 1, (const int8_t[]){1}, 2,
                                        (const double[]){-4, -1}, (const double[]){0, 1}, 2, NULL),
                   TARE_OK);
  for (int k = 0; k < TAREI_NUMBERS_COUNT; k++) {
    assert_int_equal(tarei_numbers_add(&stats->numbers[k], "first", 2, seed,
                                       (const float[]){0.5F + (float)k, 1e-30F}, NULL),
                     TARE_OK);
    assert_int_equal(tarei_numbers_add(&stats->numbers[k], "second", 3, UINT64_MAX,
                                       (const float[]){3, 2, 1}, NULL),
                     TARE_OK);
  }
  return stats;
}

#endif
