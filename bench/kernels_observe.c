/* Observing: extremes, bins and row magnitudes of many kinds of data, by where they lie and by the
 * length of rows. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/kernels.h"
#include "bench/measure.h"

enum { MOST = 1 << 25, BINS = TAREI_OBSERVE_BINS };

typedef struct view {
  const tarei_kernels *kernels;
  const float *x;
  size_t n, columns;
  int exponent;
  uint16_t *counts;
  int64_t *rows;
} view;

static void kernels_observe_run(void *context) {
  const view *const v = context;
  const size_t step = TAREI_OBSERVE_MOST / v->columns;
  for (size_t r = 0, n_rows = v->n / v->columns; r < n_rows; r += step) {
    tarei_observe o = {.x = v->x + r * v->columns,
                       .n_rows = n_rows - r < step ? n_rows - r : step,
                       .n_columns = v->columns,
                       .exponent = v->exponent,
                       .bins = BINS,
                       .counts = v->counts,
                       .rows = v->rows,
                       .min = INFINITY,
                       .max = -INFINITY};
    if (!v->kernels->observe(&o)) {
      fprintf(stderr, "the data do not fit the bins\n");
      exit(1);
    }
  }
}

static void kernels_observe_run_minmax(void *context) {
  const view *const v = context;
  tarei_minmax m = {INFINITY, -INFINITY, 0, 0};
  v->kernels->minmax(v->x, v->n, &m);
}

static uint64_t random_state = 88172645463325252u;

static float uniform(void) {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (float)(int32_t)random_state * (1.0f / 2147483648.0f);
}

static float normal(size_t i) {
  (void)i;
  return uniform() + uniform() + uniform() + uniform();
}
static float relu(size_t i) {
  return fmaxf(normal(i), 0.0f);
}
static float kernels_observe_gelu(size_t i) {
  return normal(i) * 0.5f * (1.0f + erff(normal(i) * 0.7071f));
}
static float kernels_observe_constant(size_t i) {
  return i % 1021 ? 0.25f : 3.0f;
}
static float zero(size_t i) {
  return i ? 0.0f : 3.0f;
}
static float two_values(size_t i) {
  return normal(i) < 0 ? -1.0f : 3.0f;
}
static float kernels_observe_spread(size_t i) {
  return 3.9f * uniform() + 0.0f * (float)i;
}

static const struct {
  const char *name;
  float (*next)(size_t i);
} data[] = {{"normal", normal},
            {"ReLU", relu},
            {"GELU", kernels_observe_gelu},
            {"constant", kernels_observe_constant},
            {"zeros", zero},
            {"two values", two_values},
            {"uniform", kernels_observe_spread}};

static void print_time(const view *from, size_t n, size_t columns, bench_work_fn *run) {
  view v = *from;
  v.n = n / columns * columns;
  v.columns = columns;
  printf(" %8.3f", bench_best_time(run, &v) / (double)v.n * 1e9);
  fflush(stdout);
}

void bench_observe(const tarei_kernels *kernels, unsigned isa) {
  (void)isa;
  static const size_t sizes[] = {1 << 14, 1 << 17, 1 << 20, MOST}, columns[] = {16, 64, 100, 256};
  float *const x = bench_allocate(MOST * sizeof *x);
  view v = {.kernels = kernels,
            .x = x,
            .exponent = 2 - 14, /* magnitudes below 4 */
            .counts = bench_allocate(2 * BINS * sizeof(uint16_t)),
            .rows = bench_allocate(TAREI_OBSERVE_ROW_BINS * sizeof(int64_t))};
  printf(
      "\n%s, ns an element: rows of 768 in 64 KiB, 512 KiB, 4 MiB, 128 MiB; extremes alone in\n"
      "512 KiB; rows of 16, 64, 100 and 256 in 512 KiB\n",
      kernels->observe_name);
  for (size_t d = 0; d < sizeof data / sizeof *data; d++) {
    for (size_t i = 0; i < MOST; i++) {
      x[i] = data[d].next(i);
    }
    printf("%12s", data[d].name);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
      print_time(&v, sizes[s], 768, kernels_observe_run);
    }
    print_time(&v, sizes[1], 768, kernels_observe_run_minmax);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
      print_time(&v, sizes[1], columns[c], kernels_observe_run);
    }
    printf("\n");
  }
  free(x);
  free(v.counts);
  free(v.rows);
}
