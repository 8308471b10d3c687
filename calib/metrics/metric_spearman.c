/* Spearman's rank correlation: Pearson's of the ranks, where equal values have the mean of theirs.
 * Ranks are those within the choice of samples. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/metrics/pairs.h"
#include "calib/metrics/ranks.h"

static tare_status metric_spearman_add(const tarei_metric_case *const c,
                                       tare_metric_states *const states, tare_error *const err) {
  return tarei_pairs_add("spearman", c, states, err);
}

/* --- value ------------------------------------------------------------------------------------ */

/* Room for the ranks of all numbers, and two numbers for each pair behind them. */
static tare_status spearman_room(const tare_metric_states *const states, double **const ranks,
                                 tare_error *const err) {
  const size_t n = (size_t)states->n_numbers;
  *ranks = tarei_calloc(2 * n, sizeof **ranks);
  return *ranks ? TARE_OK : tarei_fail_memory(err, "ranks", 2 * n * sizeof **ranks);
}

static tare_status spearman_rank(const tarei_metric_choice *const choice, double *const out,
                                 tare_error *const err) {
  double *ranks;
  TAREI_TRY(spearman_room(choice->states, &ranks, err));
  tarei_ranks_find(choice, ranks + choice->states->n_numbers, ranks);
  *out = tarei_pairs_correlation(choice, ranks);
  free(ranks);
  return TARE_OK;
}

/* A few of many rows are ordered anew, so that their ranks do not take as long as those of all. */
static tare_status spearman_rank_part(const tarei_metric_choice *const choice, double *const out,
                                      tare_error *const err) {
  tare_metric_states *part = NULL;
  TAREI_TRY(tarei_metric_choice_copy(choice, &part, err));
  const tarei_metric_choice all = {.states = part, .profile = -1, .level = -1};
  tare_status status = tarei_ranks_order(part, err);
  if (status == TARE_OK) {
    status = spearman_rank(&all, out, err);
  }
  tarei_metric_states_free(&part);
  return status;
}

static tare_status metric_spearman_value(const tarei_metric_choice *const choice, double *const out,
                                         tare_error *const err) {
  return choice->end ? spearman_rank_part(choice, out, err) : spearman_rank(choice, out, err);
}

/* --- value in draws --------------------------------------------------------------------------- */

/*
 * With u and v, the ranks as shares of all pairs, the means of uv, uu and vv are functions of how
 * much each pair weighs, by itself and by the ranks of others. Their derivatives by the weights of
 * all pairs of a row add up, so that a draw need not be ranked: the functions are taken to first
 * order around the whole choice, and the correlation follows from them (Efron, "The Jackknife, the
 * Bootstrap and Other Resampling Plans", 1982: the infinitesimal jackknife). All are homogeneous of
 * degree 3, hence twice the mean is taken away.
 */
enum { SPEARMAN_N, SPEARMAN_XX, SPEARMAN_YY, SPEARMAN_XY, N_SPEARMAN };

static double spearman_of_sums(const double *const sums) {
  static const double mean = 0.5; /* of ranks, as shares */
  const double n = sums[SPEARMAN_N];
  return tarei_pairs_correlate(sums[SPEARMAN_XX] / n - mean * mean,
                               sums[SPEARMAN_YY] / n - mean * mean,
                               sums[SPEARMAN_XY] / n - mean * mean);
}

/* What pairs move by the ranks of others, of one side. */
static void spearman_add_others(const tarei_metric_choice *const choice, const int side,
                                const double *const shares, double *const own, double *const other,
                                const double n, double *const sums) {
  const tare_metric_states *const s = choice->states;
  int64_t at = 0;
  int32_t times = 0;
  tarei_ranks_behind(choice, side, shares, side, own);
  tarei_ranks_behind(choice, side, shares, !side, other);
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    double *const sum = &sums[N_SPEARMAN * (row - s->rows)];
    for (int64_t i = row->at + side; i < row->at + row->n; i += 2) {
      const int64_t place = (int64_t)s->numbers[i];
      sum[side == TAREI_RANKS_GOT ? SPEARMAN_XX : SPEARMAN_YY] += 2 * own[place] / n;
      sum[SPEARMAN_XY] += other[place] / n;
    }
  }
}

/* What they move by themselves. */
static void spearman_add_own(const tarei_metric_choice *const choice, const double *const shares,
                             double *const sums) {
  double all[N_SPEARMAN] = {0};
  int64_t at = 0;
  int32_t times = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    double *const sum = &sums[N_SPEARMAN * (row - choice->states->rows)];
    for (int64_t i = row->at; i < row->at + row->n; i += 2) {
      const double x = shares[i], y = shares[i + 1];
      const double terms[N_SPEARMAN] = {1, x * x, y * y, x * y};
      for (int t = 0; t < N_SPEARMAN; t++) {
        sum[t] += terms[t];
        all[t] += times * terms[t];
      }
    }
  }
  at = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    double *const sum = &sums[N_SPEARMAN * (row - choice->states->rows)];
    for (int t = SPEARMAN_XX; t < N_SPEARMAN; t++) {
      sum[t] -= 2 * sum[SPEARMAN_N] * all[t] / all[SPEARMAN_N];
    }
  }
}

/* Sums of each row, which has `sums` of 0; they stay so, and have no value, where the choice has
 * none. */
static void spearman_fill(const tarei_metric_choice *const choice, double *const ranks,
                          double *const sums) {
  const tare_metric_states *const s = choice->states;
  double *const own = ranks + s->n_numbers, *const other = own + s->n_numbers / 2;
  int64_t at = 0, n = 0;
  int32_t times = 0;
  tarei_ranks_find(choice, own, ranks);
  if (isnan(tarei_pairs_correlation(choice, ranks))) {
    return;
  }
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    n += times * row->n / 2;
  }
  for (int64_t i = 0; i < s->n_numbers; i++) {
    ranks[i] = (ranks[i] - 0.5) / (double)n;
  }
  spearman_add_own(choice, ranks, sums);
  spearman_add_others(choice, TAREI_RANKS_GOT, ranks, own, other, (double)n, sums);
  spearman_add_others(choice, TAREI_RANKS_WANT, ranks, own, other, (double)n, sums);
}

/* To first order only where draws of many samples are near the whole. */
static bool spearman_is_near(const tarei_metric_choice *const choice) {
  enum { MANY_SAMPLES = 30 };
  int64_t at = 0, last = -1;
  int32_t times = 0;
  int n = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    n += row->sample != last;
    last = row->sample;
  }
  return n >= MANY_SAMPLES;
}

static tare_status metric_spearman_brief(const tarei_metric_choice *const choice,
                                         tare_metric_states **const out, tare_error *const err) {
  static const tarei_metric near_whole = {.n_sums = N_SPEARMAN, .of_sums = spearman_of_sums};
  const tare_metric_states *const s = choice->states;
  double *ranks;
  if (!tarei_pairs_are_many(choice) || !spearman_is_near(choice)) {
    return TARE_OK;
  }
  TAREI_TRY(spearman_room(s, &ranks, err));
  double *const sums = tarei_calloc((size_t)s->n_rows * N_SPEARMAN, sizeof *sums);
  tare_status status = sums ? TARE_OK
                            : tarei_fail_memory(err, "ranks of each sample",
                                                (size_t)s->n_rows * N_SPEARMAN * sizeof *sums);
  if (status == TARE_OK) {
    spearman_fill(choice, ranks, sums);
    status = tarei_metric_states_of_sums(s, &near_whole, sums, out, err);
  }
  free(sums);
  free(ranks);
  return status;
}

const tarei_metric tarei_metric_spearman = {.name = "spearman",
                                            .summary = "Spearman's rank correlation",
                                            .unit = TAREI_PLAIN,
                                            .truth = TARE_TRUTH_EITHER,
                                            .add = metric_spearman_add,
                                            .finish = tarei_ranks_order,
                                            .value = metric_spearman_value,
                                            .brief = metric_spearman_brief,
                                            .accepts = tarei_ranks_accept};
