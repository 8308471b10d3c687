#include "tools/timing.h"

#include <math.h>
#include <stdlib.h>

#include "tools/cli.h"

void timing_add(timing *const t, const double ms) {
  if (t->n == t->capacity) {
    t->capacity = t->capacity ? 2 * t->capacity : 256;
    t->ms = cli_realloc(t->ms, t->capacity, sizeof *t->ms);
  }
  t->ms[t->n++] = ms;
}

static int timing_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void timing_sort(timing *const t) {
  if (t->n > 0) { /* qsort takes no NULL */
    qsort(t->ms, t->n, sizeof *t->ms, timing_ascending);
  }
}

double timing_mean(const timing *const t) {
  double sum = 0;
  for (size_t i = 0; i < t->n; i++) {
    sum += t->ms[i];
  }
  return sum / (double)t->n;
}

double timing_median(const timing *const t) {
  const size_t middle = t->n / 2;
  return t->n % 2 ? t->ms[middle] : (t->ms[middle - 1] + t->ms[middle]) / 2;
}

/* As many of n values lie below the median of all as of n throws of a coin show heads. */
void timing_median_interval(const timing *const t, double *const low, double *const high) {
  const double rank = ((double)t->n - 1.96 * sqrt((double)t->n)) / 2;
  const size_t below = rank > 1 ? (size_t)rank - 1 : 0;
  *low = t->ms[below];
  *high = t->ms[t->n - 1 - below];
}

double timing_percentile(const timing *const t, const double p) {
  const size_t beyond = (size_t)((1 - p / 100) * (double)t->n);
  return t->ms[beyond < t->n ? t->n - 1 - beyond : 0];
}

void timing_fini(timing *const t) {
  free(t->ms);
  *t = (timing){0};
}
