/* Paired bootstrap: how far a difference of two metrics, or of two SQNR, is from chance. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <tare/eval.h>

#include "base/error.h"
#include "base/mem.h"

enum {
  DRAWS = 1999,           /* of a whole data set */
  DIFFERING_AT_LEAST = 6, /* 2 * 0.5^6 is the first below 5 % */
};

static const uint64_t SEED = 20240229;

/* splitmix64 */
static uint64_t bootstrap_roll(uint64_t *const state) {
  uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* What a sample adds to a figure: sums of metrics are whole numbers, and exact. */
typedef struct bootstrap_tally {
  double part, whole;
} bootstrap_tally;

typedef double bootstrap_figure_fn(bootstrap_tally sum);

/* The comparison while it is made. */
typedef struct bootstrap {
  bootstrap_figure_fn *figure;
  const bootstrap_tally *tallies; /* [n_plans][n] */
  int n_plans, base;
  int64_t n;
  bootstrap_tally *sums; /* per plan, of one draw */
  double *values;        /* per plan, the figure in each draw */
  double *draws;         /* of one plan, sorted */
} bootstrap;

static void bootstrap_add(const bootstrap *const b, const int64_t sample) {
  for (int p = 0; p < b->n_plans; p++) {
    b->sums[p].part += b->tallies[p * b->n + sample].part;
    b->sums[p].whole += b->tallies[p * b->n + sample].whole;
  }
}

static void bootstrap_clear(const bootstrap *const b) {
  for (int p = 0; p < b->n_plans; p++) {
    b->sums[p] = (bootstrap_tally){0};
  }
}

static void bootstrap_draw(const bootstrap *const b, const int round, uint64_t *const state) {
  bootstrap_clear(b);
  for (int64_t i = 0; i < b->n; i++) {
    bootstrap_add(b, (int64_t)(bootstrap_roll(state) % (uint64_t)b->n));
  }
  for (int p = 0; p < b->n_plans; p++) {
    b->values[(int64_t)p * DRAWS + round] = b->figure(b->sums[p]);
  }
}

static int bootstrap_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int64_t count_differing(const bootstrap *const b, const int plan) {
  int64_t n = 0;
  for (int64_t i = 0; i < b->n; i++) {
    const bootstrap_tally x = b->tallies[plan * b->n + i];
    const bootstrap_tally y = b->tallies[b->base * b->n + i];
    n += x.part != y.part || x.whole != y.whole;
  }
  return n;
}

/* Two infinite figures do not differ. */
static double bootstrap_minus(const double x, const double y) {
  return x == y ? 0 : x - y;
}

/* The 97.5th percentile of Student's t, by its expansion around that of the normal distribution. */
static double bootstrap_student(const double freedom) {
  const double z = 1.959963984540054, z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z;
  return z + (z3 + z) / (4 * freedom) + (5 * z5 + 16 * z3 + 3 * z) / (96 * freedom * freedom) +
         (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * freedom * freedom * freedom);
}

/* Draws outside the interval on either side. Draws of few samples vary less than samples do: the
 * tails that make the bootstrap of a mean as wide as the t interval are thinner than 2.5 %
 * (Hesterberg, "What teachers should know about the bootstrap", 2015: expanded
 * percentiles). */
static int bootstrap_tail(const int64_t n) {
  if (n < 2) {
    return 1;
  }
  const double freedom = (double)(n - 1);
  const double wide = bootstrap_student(freedom) * sqrt((double)n / freedom);
  const int tail = (int)lround((DRAWS + 1) * erfc(wide / sqrt(2)) / 2);
  return tail > 1 ? tail : 1;
}

static tare_interval bootstrap_middle(const bootstrap *const b) {
  qsort(b->draws, DRAWS, sizeof *b->draws, bootstrap_ascending);
  const int tail = bootstrap_tail(b->n);
  return (tare_interval){.low = b->draws[tail - 1], .high = b->draws[DRAWS - tail]};
}

static tare_interval bootstrap_own(const bootstrap *const b, const int plan) {
  for (int r = 0; r < DRAWS; r++) {
    b->draws[r] = b->values[(int64_t)plan * DRAWS + r];
  }
  return bootstrap_middle(b);
}

static tare_difference bootstrap_conclude(const bootstrap *const b, const int plan) {
  for (int r = 0; r < DRAWS; r++) {
    b->draws[r] = bootstrap_minus(b->values[(int64_t)plan * DRAWS + r],
                                  b->values[(int64_t)b->base * DRAWS + r]);
  }
  const tare_interval middle = bootstrap_middle(b);
  tare_difference d = {
      .value = bootstrap_minus(b->figure(b->sums[plan]), b->figure(b->sums[b->base])),
      .low = middle.low,
      .high = middle.high,
      .samples = b->n,
      .differing = count_differing(b, plan)};
  d.distinct = (d.low > 0 || d.high < 0) && d.differing >= DIFFERING_AT_LEAST;
  return d;
}

static void compare_all(const bootstrap *const b, tare_difference *const out,
                        tare_interval *const own) {
  uint64_t state = SEED;
  for (int r = 0; r < DRAWS; r++) {
    bootstrap_draw(b, r, &state);
  }
  bootstrap_clear(b);
  for (int64_t i = 0; i < b->n; i++) {
    bootstrap_add(b, i);
  }
  for (int p = 0; p < b->n_plans; p++) {
    out[p] = bootstrap_conclude(b, p);
    if (own) {
      own[p] = bootstrap_own(b, p);
    }
  }
}

static tare_status bootstrap_run(bootstrap *const b, tare_difference *const out,
                                 tare_interval *const own, tare_error *const err) {
  const size_t plans = (size_t)b->n_plans;
  b->sums = tarei_calloc(plans, sizeof *b->sums);
  b->values = tarei_calloc(plans * DRAWS, sizeof *b->values);
  b->draws = tarei_calloc(DRAWS, sizeof *b->draws);
  const bool good = b->tallies && b->sums && b->values && b->draws;
  if (good) {
    compare_all(b, out, own);
  }
  free(b->sums);
  free(b->values);
  free(b->draws);
  return good ? TARE_OK : tarei_fail_memory(err, "bootstrap", plans * DRAWS * sizeof *b->values);
}

/* --- metrics ---------------------------------------------------------------------------------- */

static double metric_of(const bootstrap_tally sum) {
  return sum.part / sum.whole;
}

/* Samples that have a label; which they are is the same for all plans: labels belong to the data.
 */
static int64_t count_labelled(const tare_metric_tally *const tallies, const int64_t n) {
  int64_t labelled = 0;
  for (int64_t i = 0; i < n; i++) {
    labelled += tallies[i].whole > 0;
  }
  return labelled;
}

static bootstrap_tally *gather_metrics(const tare_metric_tally *const *const tallies,
                                       const int n_plans, const int64_t n_samples, const int base,
                                       const int64_t n) {
  bootstrap_tally *const all = tarei_calloc((size_t)n * (size_t)n_plans, sizeof *all);
  for (int p = 0; all && p < n_plans; p++) {
    int64_t at = p * n;
    for (int64_t i = 0; i < n_samples; i++) {
      if (tallies[base][i].whole > 0) {
        all[at++] = (bootstrap_tally){.part = (double)tallies[p][i].part,
                                      .whole = (double)tallies[p][i].whole};
      }
    }
  }
  return all;
}

tare_status tare_metric_differences(const tare_metric_tally *const *const tallies,
                                    const int n_plans, const int64_t n_samples, const int base,
                                    tare_difference *const out, tare_error *const err) {
  assert(base >= 0 && base < n_plans && n_samples >= 0);
  const int64_t n = count_labelled(tallies[base], n_samples);
  if (n == 0) {
    for (int p = 0; p < n_plans; p++) {
      out[p] = (tare_difference){.value = NAN, .low = NAN, .high = NAN};
    }
    return TARE_OK;
  }
  bootstrap_tally *const all = gather_metrics(tallies, n_plans, n_samples, base, n);
  bootstrap b = {.figure = metric_of, .tallies = all, .n_plans = n_plans, .base = base, .n = n};
  const tare_status status = bootstrap_run(&b, out, NULL, err);
  free(all);
  return status;
}

/* --- SQNR ------------------------------------------------------------------------------------- */

static double sqnr_of(const bootstrap_tally sum) {
  return sum.whole == 0 ? INFINITY : 10 * log10(sum.part / sum.whole);
}

tare_status tare_sqnr_differences(const tare_error_tally *const *const tallies, const int n_plans,
                                  const int64_t n_samples, const int base,
                                  tare_difference *const out, tare_interval *const own,
                                  tare_error *const err) {
  assert(base >= 0 && base < n_plans && n_samples > 0);
  bootstrap_tally *const all = tarei_calloc((size_t)n_samples * (size_t)n_plans, sizeof *all);
  for (int p = 0; all && p < n_plans; p++) {
    for (int64_t i = 0; i < n_samples; i++) {
      all[p * n_samples + i] =
          (bootstrap_tally){.part = tallies[p][i].signal, .whole = tallies[p][i].noise};
    }
  }
  bootstrap b = {
      .figure = sqnr_of, .tallies = all, .n_plans = n_plans, .base = base, .n = n_samples};
  const tare_status status = bootstrap_run(&b, out, own, err);
  free(all);
  return status;
}
