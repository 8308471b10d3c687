/* Paired bootstrap: how far a difference of two metrics, or of two SQNR, is from chance. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <tare/eval.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/measure.h"
#include "calib/metrics/states.h"

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

/* The comparison while it is made. A figure is a function of how often each sample counts. */
typedef struct bootstrap bootstrap;
struct bootstrap {
  tare_status (*figure)(const bootstrap *b, int plan, double *out, tare_error *err);
  bool (*differs)(const bootstrap *b, int plan, int64_t sample); /* from the base */
  const void *data;                                              /* of these two */
  int n_plans, base;
  const int64_t *drawn; /* samples to draw from */
  int64_t n, n_samples; /* of them, and of all */
  int32_t *times;       /* how often each sample counts in a draw */
  double *values;       /* per plan, the figure in each draw */
  double *whole;        /* per plan, the figure of all samples */
  double *draws;        /* of one plan, sorted */
};

static tare_status bootstrap_figures(const bootstrap *const b, double *const out,
                                     const int64_t stride, tare_error *const err) {
  for (int p = 0; p < b->n_plans; p++) {
    TAREI_TRY(b->figure(b, p, &out[p * stride], err));
  }
  return TARE_OK;
}

static tare_status bootstrap_draw(const bootstrap *const b, const int round, uint64_t *const state,
                                  tare_error *const err) {
  memset(b->times, 0, (size_t)b->n_samples * sizeof *b->times);
  for (int64_t i = 0; i < b->n; i++) {
    b->times[b->drawn[bootstrap_roll(state) % (uint64_t)b->n]]++;
  }
  return bootstrap_figures(b, &b->values[round], DRAWS, err);
}

static int bootstrap_ascending(const void *const a, const void *const b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static int64_t count_differing(const bootstrap *const b, const int plan) {
  int64_t n = 0;
  for (int64_t i = 0; i < b->n; i++) {
    n += b->differs(b, plan, b->drawn[i]);
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

/* Moves the draws that have a value to the front, and returns how many have none. */
static int bootstrap_without(double *const draws) {
  int kept = 0;
  for (int r = 0; r < DRAWS; r++) {
    if (!isnan(draws[r])) {
      draws[kept++] = draws[r];
    }
  }
  return DRAWS - kept;
}

/* A draw without a value counts as beyond either end. */
static tare_interval bootstrap_middle(const bootstrap *const b) {
  const int without = bootstrap_without(b->draws), n = DRAWS - without;
  const int tail = bootstrap_tail(b->n) - without;
  if (tail < 1) {
    return (tare_interval){NAN, NAN};
  }
  qsort(b->draws, (size_t)n, sizeof *b->draws, bootstrap_ascending);
  return (tare_interval){.low = b->draws[tail - 1], .high = b->draws[n - tail]};
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
  tare_difference d = {.value = bootstrap_minus(b->whole[plan], b->whole[b->base]),
                       .low = middle.low,
                       .high = middle.high,
                       .samples = b->n,
                       .differing = count_differing(b, plan)};
  d.distinct = (d.low > 0 || d.high < 0) && d.differing >= DIFFERING_AT_LEAST;
  return d;
}

static void draw_each_once(const bootstrap *const b, int32_t *const times) {
  memset(times, 0, (size_t)b->n_samples * sizeof *times);
  for (int64_t i = 0; i < b->n; i++) {
    times[b->drawn[i]] = 1;
  }
}

static tare_status compare_all(const bootstrap *const b, tare_difference *const out,
                               tare_interval *const own, tare_error *const err) {
  uint64_t state = SEED;
  for (int r = 0; r < DRAWS; r++) {
    TAREI_TRY(bootstrap_draw(b, r, &state, err));
  }
  draw_each_once(b, b->times);
  TAREI_TRY(bootstrap_figures(b, b->whole, 1, err));
  for (int p = 0; p < b->n_plans; p++) {
    out[p] = bootstrap_conclude(b, p);
    if (own) {
      own[p] = bootstrap_own(b, p);
    }
  }
  return TARE_OK;
}

static tare_status bootstrap_run(bootstrap *const b, tare_difference *const out,
                                 tare_interval *const own, tare_error *const err) {
  const size_t plans = (size_t)b->n_plans;
  b->times = tarei_calloc((size_t)b->n_samples, sizeof *b->times);
  b->whole = tarei_calloc(plans, sizeof *b->whole);
  b->values = tarei_calloc(plans * DRAWS, sizeof *b->values);
  b->draws = tarei_calloc(DRAWS, sizeof *b->draws);
  const bool good = b->times && b->whole && b->values && b->draws;
  const tare_status status =
      good ? compare_all(b, out, own, err)
           : tarei_fail_memory(err, "bootstrap", plans * DRAWS * sizeof *b->values);
  free(b->times);
  free(b->whole);
  free(b->values);
  free(b->draws);
  return status;
}

/* --- metrics ---------------------------------------------------------------------------------- */

/* Of each plan; and what draws take in their place, or NULL. */
typedef struct bootstrap_metrics {
  const tare_metric_states *const *states;
  tare_metric_states **briefs;
} bootstrap_metrics;

static const tare_metric_states *bootstrap_states(const bootstrap *const b, const int plan) {
  return ((const bootstrap_metrics *)b->data)->states[plan];
}

static tare_status metric_of(const bootstrap *const b, const int plan, double *const out,
                             tare_error *const err) {
  const tare_metric_states *const brief = ((const bootstrap_metrics *)b->data)->briefs[plan];
  return tare_metric_states_value(brief ? brief : bootstrap_states(b, plan), b->times, out, err);
}

static bool metric_differs(const bootstrap *const b, const int plan, const int64_t sample) {
  return tarei_metric_states_differ(bootstrap_states(b, plan), bootstrap_states(b, b->base),
                                    sample);
}

/* Without numbers of samples to draw: the difference of the values, where there are any. */
static tare_status bootstrap_values(const tare_metric_states *const *const states,
                                    const int n_plans, const int base, tare_difference *const out,
                                    tare_error *const err) {
  double own, other;
  TAREI_TRY(tare_metric_states_value(states[base], NULL, &other, err));
  for (int p = 0; p < n_plans; p++) {
    TAREI_TRY(tare_metric_states_value(states[p], NULL, &own, err));
    out[p] = (tare_difference){.value = bootstrap_minus(own, other), .low = NAN, .high = NAN};
  }
  return TARE_OK;
}

static void bootstrap_none(tare_difference *const out, const int n_plans) {
  for (int p = 0; p < n_plans; p++) {
    out[p] = (tare_difference){.value = NAN, .low = NAN, .high = NAN};
  }
}

/* Of the labelled samples, keeps those that are among n others. */
static tare_status bootstrap_choose(const int64_t *const samples, const int64_t n,
                                    const int64_t n_samples, int64_t *const labelled,
                                    int64_t *const n_labelled, tare_error *const err) {
  bool *const chosen = tarei_calloc((size_t)n_samples, sizeof *chosen);
  if (!chosen) {
    return tarei_fail_memory(err, "bootstrap", (size_t)n_samples * sizeof *chosen);
  }
  for (int64_t i = 0; i < n; i++) {
    if (!tarei_has_number(samples[i], n_samples)) {
      free(chosen);
      return tarei_check_number("sample", samples[i], n_samples, err);
    }
    chosen[samples[i]] = true;
  }
  int64_t kept = 0;
  for (int64_t i = 0; i < *n_labelled; i++) {
    if (chosen[labelled[i]]) {
      labelled[kept++] = labelled[i];
    }
  }
  *n_labelled = kept;
  free(chosen);
  return TARE_OK;
}

/* For draws from the samples of the bootstrap. */
static tare_status bootstrap_brief(const bootstrap *const b, tare_error *const err) {
  const bootstrap_metrics *const m = b->data;
  int32_t *const times = tarei_calloc((size_t)b->n_samples, sizeof *times);
  if (!times) {
    return tarei_fail_memory(err, "bootstrap", (size_t)b->n_samples * sizeof *times);
  }
  draw_each_once(b, times);
  tare_status status = TARE_OK;
  for (int p = 0; status == TARE_OK && p < b->n_plans; p++) {
    const tarei_metric_choice drawn = {
        .states = m->states[p], .times = times, .profile = -1, .level = -1};
    status = tarei_metric_choice_brief(&drawn, &m->briefs[p], err);
  }
  free(times);
  return status;
}

static tare_status bootstrap_metric(bootstrap *const b,
                                    const tare_metric_states *const *const states,
                                    tare_difference *const out, tare_error *const err) {
  tare_metric_states **const briefs = tarei_calloc((size_t)b->n_plans, sizeof(*briefs));
  if (!briefs) {
    return tarei_fail_memory(err, "bootstrap", (size_t)b->n_plans * sizeof(*briefs));
  }
  const bootstrap_metrics metrics = {states, briefs};
  b->data = &metrics;
  tare_status status = bootstrap_brief(b, err);
  if (status == TARE_OK) {
    status = bootstrap_run(b, out, NULL, err);
  }
  for (int p = 0; p < b->n_plans; p++) {
    tarei_metric_states_free(&briefs[p]);
  }
  free(briefs);
  return status;
}

tare_status tare_metric_differences(const tare_metric_states *const *const states,
                                    const int n_plans, const int base, const int64_t *const samples,
                                    const int64_t n, tare_difference *const out,
                                    tare_error *const err) {
  TAREI_TRY(tarei_check_number("plan", base, n_plans, err));
  const int64_t n_samples = tare_metric_states_count(states[base]);
  int64_t *const labelled = tarei_calloc((size_t)n_samples, sizeof *labelled);
  if (!labelled) {
    return tarei_fail_memory(err, "bootstrap", (size_t)n_samples * sizeof *labelled);
  }
  bootstrap b = {.figure = metric_of,
                 .differs = metric_differs,
                 .n_plans = n_plans,
                 .base = base,
                 .drawn = labelled,
                 .n = tarei_metric_states_labelled(states[base], labelled),
                 .n_samples = n_samples};
  tare_status status =
      samples ? bootstrap_choose(samples, n, n_samples, labelled, &b.n, err) : TARE_OK;
  if (status == TARE_OK && b.n == 0 && samples) {
    bootstrap_none(out, n_plans);
  } else if (status == TARE_OK && b.n == 0) {
    status = bootstrap_values(states, n_plans, base, out, err);
  } else if (status == TARE_OK) {
    status = bootstrap_metric(&b, states, out, err);
  }
  free(labelled);
  return status;
}

/* --- SQNR ------------------------------------------------------------------------------------- */

/* Errors in columns, which each have their own SQNR. */
typedef struct bootstrap_tallies {
  const tare_error_tally *const *plans;
  int n_columns;
  double *sqnr_db; /* [plan][column][n_samples] of single samples */
  int64_t *order;  /* likewise: samples by these, ascending, and those without one at the end */
} bootstrap_tallies;

static const tare_error_tally *bootstrap_errors(const bootstrap *const b, const int plan,
                                                const int64_t sample) {
  const bootstrap_tallies *const t = b->data;
  return &t->plans[plan][sample * t->n_columns];
}

static int64_t bootstrap_column(const bootstrap *const b, const int plan, const int column) {
  const bootstrap_tallies *const t = b->data;
  return ((int64_t)plan * t->n_columns + column) * b->n_samples;
}

/* As tarei_measure_tenth has it of samples that count several times. */
static double tenth_of_draw(const bootstrap *const b, const int plan, const int column) {
  const bootstrap_tallies *const t = b->data;
  const int64_t at = bootstrap_column(b, plan, column);
  const int64_t *const order = t->order + at;
  int64_t n = 0, taken = 0;
  for (int64_t i = 0; i < b->n_samples; i++) {
    n += isnan(t->sqnr_db[at + i]) ? 0 : b->times[i];
  }
  for (int64_t i = 0; n > 0 && i < b->n_samples; i++) {
    taken += b->times[order[i]];
    if (taken > n / 10) {
      return t->sqnr_db[at + order[i]];
    }
  }
  return NAN;
}

static double sqnr_of_column(const bootstrap *const b, const int plan, const int column) {
  tare_error_tally sums = {0};
  for (int64_t i = 0; i < b->n_samples; i++) {
    if (b->times[i]) { /* infinite noise times 0 would have no value */
      const tare_error_tally *const e = &bootstrap_errors(b, plan, i)[column];
      sums.signal += b->times[i] * e->signal;
      sums.noise += b->times[i] * e->noise;
      sums.values += e->values;
      sums.constant += e->constant;
      sums.broken += e->broken;
    }
  }
  return tarei_measure_judge(tarei_measure_sqnr(&sums), tenth_of_draw(b, plan, column));
}

static tare_status sqnr_of(const bootstrap *const b, const int plan, double *const out,
                           tare_error *const err) {
  const bootstrap_tallies *const t = b->data;
  (void)err;
  *out = sqnr_of_column(b, plan, 0);
  for (int c = 1; c < t->n_columns; c++) {
    *out = fmin(*out, sqnr_of_column(b, plan, c));
  }
  return TARE_OK;
}

static bool sqnr_differs(const bootstrap *const b, const int plan, const int64_t sample) {
  const tare_error_tally *const x = bootstrap_errors(b, plan, sample);
  const tare_error_tally *const y = bootstrap_errors(b, b->base, sample);
  bool differs = false;
  for (int c = 0; c < ((const bootstrap_tallies *)b->data)->n_columns; c++) {
    differs = differs || x[c].signal != y[c].signal || x[c].noise != y[c].noise;
  }
  return differs;
}

static int by_value_of(const void *const a, const void *const b, void *const values) {
  const double x = ((const double *)values)[*(const int64_t *)a];
  const double y = ((const double *)values)[*(const int64_t *)b];
  return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static void order_samples(const bootstrap *const b, const bootstrap_tallies *const t) {
  for (int p = 0; p < b->n_plans; p++) {
    for (int c = 0; c < t->n_columns; c++) {
      const int64_t at = bootstrap_column(b, p, c);
      for (int64_t i = 0; i < b->n_samples; i++) {
        t->sqnr_db[at + i] = tarei_measure_sqnr(&bootstrap_errors(b, p, i)[c]);
        t->order[at + i] = i;
      }
      qsort_r(t->order + at, (size_t)b->n_samples, sizeof *t->order, by_value_of, t->sqnr_db + at);
    }
  }
}

static tare_status bootstrap_sqnr(bootstrap *const b, bootstrap_tallies *const t,
                                  int64_t *const all, tare_difference *const out,
                                  tare_interval *const own, tare_error *const err) {
  const size_t columns = (size_t)b->n_plans * (size_t)t->n_columns;
  const size_t n = tarei_times(columns, (size_t)b->n_samples);
  t->sqnr_db = tarei_calloc(n, sizeof *t->sqnr_db);
  t->order = tarei_calloc(n, sizeof *t->order);
  if (!all || !t->sqnr_db || !t->order) {
    return tarei_fail_memory(err, "bootstrap", tarei_times(n, sizeof *t->sqnr_db));
  }
  for (int64_t i = 0; i < b->n_samples; i++) {
    all[i] = i;
  }
  b->drawn = all;
  order_samples(b, t);
  return bootstrap_run(b, out, own, err);
}

tare_status tare_sqnr_differences(const tare_error_tally *const *const tallies, const int n_plans,
                                  const int64_t n_samples, const int n_columns, const int base,
                                  tare_difference *const out, tare_interval *const own,
                                  tare_error *const err) {
  TAREI_TRY(tarei_check_number("plan", base, n_plans, err));
  if (n_samples < 1 || n_columns < 1) {
    return tarei_fail(err, TARE_E_USAGE, "%lld samples in %d columns: expected 1 or more",
                      (long long)n_samples, n_columns);
  }
  bootstrap_tallies data = {.plans = tallies, .n_columns = n_columns};
  bootstrap b = {.figure = sqnr_of,
                 .differs = sqnr_differs,
                 .data = &data,
                 .n_plans = n_plans,
                 .base = base,
                 .n = n_samples,
                 .n_samples = n_samples};
  int64_t *const all = tarei_calloc((size_t)n_samples, sizeof *all);
  const tare_status status = bootstrap_sqnr(&b, &data, all, out, own, err);
  free(all);
  free(data.sqnr_db);
  free(data.order);
  return status;
}
