/* Paired bootstrap: how far a difference of two metrics is from chance. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <tare/eval.h>

#include "base/error.h"
#include "base/mem.h"

enum {
  DRAWS = 1999,            /* of a whole data set */
  TAIL = (DRAWS + 1) / 40, /* 2.5 % on either side */
  DIFFERING_AT_LEAST = 6,  /* 2 * 0.5^6 is the first below 5 % */
};

static const uint64_t SEED = 20240229;

/* splitmix64 */
static uint64_t bootstrap_roll(uint64_t *const state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* The comparison while it is made. */
typedef struct bootstrap {
  const tare_metric_tally *const *tallies;
  int n_plans, base;
  int64_t *labelled; /* samples that have a label */
  int64_t n;
  tare_metric_tally *sums; /* per plan, of one draw */
  double *values;          /* per plan, the metric in each draw */
} bootstrap;

static double bootstrap_value_of(const tare_metric_tally sum) {
  return (double)sum.part / (double)sum.whole;
}

static void bootstrap_add(const bootstrap *const b, const int64_t sample) {
  for (int p = 0; p < b->n_plans; p++) {
    b->sums[p].part += b->tallies[p][sample].part;
    b->sums[p].whole += b->tallies[p][sample].whole;
  }
}

static void bootstrap_draw(const bootstrap *const b, const int round, uint64_t *const state) {
  for (int p = 0; p < b->n_plans; p++) {
    b->sums[p] = (tare_metric_tally){0};
  }
  for (int64_t i = 0; i < b->n; i++) {
    bootstrap_add(b, b->labelled[bootstrap_roll(state) % (uint64_t)b->n]);
  }
  for (int p = 0; p < b->n_plans; p++) {
    b->values[(int64_t)p * DRAWS + round] = bootstrap_value_of(b->sums[p]);
  }
}

static int bootstrap_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int64_t count_differing(const bootstrap *const b, const int plan) {
  int64_t n = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const tare_metric_tally x = b->tallies[plan][b->labelled[i]];
    const tare_metric_tally y = b->tallies[b->base][b->labelled[i]];
    n += x.part != y.part || x.whole != y.whole;
  }
  return n;
}

/* Ends with `draws` sorted. */
static tare_difference bootstrap_conclude(const bootstrap *const b, const int plan,
                                          double *const draws) {
  for (int r = 0; r < DRAWS; r++) {
    draws[r] = b->values[(int64_t)plan * DRAWS + r] - b->values[(int64_t)b->base * DRAWS + r];
  }
  qsort(draws, DRAWS, sizeof *draws, bootstrap_ascending);
  tare_difference d = {
      .value = bootstrap_value_of(b->sums[plan]) - bootstrap_value_of(b->sums[b->base]),
      .low = draws[TAIL - 1],
      .high = draws[DRAWS - TAIL],
      .samples = b->n,
      .differing = count_differing(b, plan)};
  d.distinct = (d.low > 0 || d.high < 0) && d.differing >= DIFFERING_AT_LEAST;
  return d;
}

/* Which samples have a label is the same for all plans: labels belong to the data. */
static void find_labelled(bootstrap *const b, const int64_t n_samples) {
  for (int64_t i = 0; i < n_samples; i++) {
    if (b->tallies[b->base][i].whole > 0) {
      b->labelled[b->n++] = i;
    }
  }
}

static void compare_all(bootstrap *const b, double *const draws, tare_difference *const out) {
  uint64_t state = SEED;
  for (int r = 0; r < DRAWS; r++) {
    bootstrap_draw(b, r, &state);
  }
  for (int p = 0; p < b->n_plans; p++) {
    b->sums[p] = (tare_metric_tally){0};
  }
  for (int64_t i = 0; i < b->n; i++) {
    bootstrap_add(b, b->labelled[i]);
  }
  for (int p = 0; p < b->n_plans; p++) {
    out[p] = bootstrap_conclude(b, p, draws);
  }
}

tare_status tare_metric_differences(const tare_metric_tally *const *const tallies,
                                    const int n_plans, const int64_t n_samples, const int base,
                                    tare_difference *const out, tare_error *const err) {
  assert(base >= 0 && base < n_plans && n_samples >= 0);
  const size_t plans = (size_t)n_plans, samples = (size_t)n_samples;
  bootstrap b = {.tallies = tallies,
                 .n_plans = n_plans,
                 .base = base,
                 .labelled = tarei_calloc(samples, sizeof *b.labelled),
                 .sums = tarei_calloc(plans, sizeof *b.sums),
                 .values = tarei_calloc(plans * DRAWS, sizeof *b.values)};
  double *const draws = tarei_calloc(DRAWS, sizeof *draws);
  tare_status status = TARE_OK;
  if (!b.labelled || !b.sums || !b.values || !draws) {
    status = tarei_fail_memory(err, "bootstrap", plans * DRAWS * sizeof *b.values);
    goto done;
  }
  find_labelled(&b, n_samples);
  if (b.n > 0) {
    compare_all(&b, draws, out);
  } else {
    for (int p = 0; p < n_plans; p++) {
      out[p] = (tare_difference){.value = NAN, .low = NAN, .high = NAN};
    }
  }
done:
  free(b.labelled);
  free(b.sums);
  free(b.values);
  free(draws);
  return status;
}
