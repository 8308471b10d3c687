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

/* Room for the ranks of all numbers, and a count for each pair behind them. */
static tare_status spearman_room(const tare_metric_states *const states, double **const ranks,
                                 tare_error *const err) {
  const size_t n = (size_t)(states->n_numbers + states->n_numbers / 2);
  *ranks = tarei_calloc(n, sizeof **ranks);
  return *ranks ? TARE_OK : tarei_fail_memory(err, "ranks", n * sizeof **ranks);
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
 * Each side is divided into bins by the ranks of the whole choice, as shares of all pairs. In a
 * draw all shares of a bin are taken to move by as much as its middle does. The means of products
 * of shares then follow from sums of each row. Only where both sides have moved does it matter how
 * many pairs are in two bins at once, which is taken from the whole choice.
 */
enum { BINS = 64, SIDES = 2 };

/* Sums over the pairs of a row, or of a draw: of products, and of bins of each side. */
typedef struct spearman_sums {
  double n, xy;
  double square[SIDES];
  double count[SIDES][BINS];
  double own[SIDES][BINS];   /* shares of the side */
  double other[SIDES][BINS]; /* shares of the other one */
} spearman_sums;

enum { N_SUMS = sizeof(spearman_sums) / sizeof(double) };

/* Of the whole choice. */
typedef struct spearman_whole {
  double middle[SIDES][BINS];
  double joint[BINS][BINS]; /* share of the pairs that are in two bins */
} spearman_whole;

/* The share of all pairs that are below the middle of each bin. */
static void find_middles(const double *const count, const double n, double *const middle) {
  double below = 0;
  for (int b = 0; b < BINS; b++) {
    middle[b] = (below + count[b] / 2) / n;
    below += count[b];
  }
}

/* The variance of the shares of a side that have moved. */
static double moved_variance(const spearman_sums *const sums, const int side,
                             const double *const moved) {
  double sum = sums->square[side];
  for (int b = 0; b < BINS; b++) {
    sum += moved[b] * (2 * sums->own[side][b] + moved[b] * sums->count[side][b]);
  }
  return sum / sums->n - 0.25; /* the mean is a half */
}

static double moved_covariance(const spearman_sums *const sums, const spearman_whole *const whole,
                               double moved[SIDES][BINS]) {
  double sum = sums->xy, both = 0;
  for (int b = 0; b < BINS; b++) {
    sum += moved[TAREI_RANKS_GOT][b] * sums->other[TAREI_RANKS_GOT][b] +
           moved[TAREI_RANKS_WANT][b] * sums->other[TAREI_RANKS_WANT][b];
    for (int c = 0; c < BINS; c++) {
      both += moved[TAREI_RANKS_GOT][b] * moved[TAREI_RANKS_WANT][c] * whole->joint[b][c];
    }
  }
  return sum / sums->n + both - 0.25;
}

static void add_sums(const double *const numbers, const double times, spearman_sums *const to) {
  double *const sums = (double *)to;
  for (int i = 0; i < N_SUMS; i++) {
    sums[i] += times * numbers[i];
  }
}

static tare_status spearman_of_bins(const tarei_metric_choice *const choice, double *const out,
                                    tare_error *const err) {
  const spearman_whole *const whole = choice->states->own;
  spearman_sums sums = {0};
  double moved[SIDES][BINS];
  int64_t at = 0;
  int32_t times = 0;
  (void)err;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    add_sums(choice->states->numbers + row->at, times, &sums);
  }
  for (int s = 0; s < SIDES; s++) {
    find_middles(sums.count[s], sums.n, moved[s]);
    for (int b = 0; b < BINS; b++) {
      moved[s][b] -= whole->middle[s][b];
    }
  }
  *out = tarei_pairs_correlate(moved_variance(&sums, TAREI_RANKS_GOT, moved[TAREI_RANKS_GOT]),
                               moved_variance(&sums, TAREI_RANKS_WANT, moved[TAREI_RANKS_WANT]),
                               moved_covariance(&sums, whole, moved));
  return TARE_OK;
}

static int bin_of_share(const double share) {
  const int bin = (int)(share * BINS);
  return bin < BINS ? bin : BINS - 1;
}

/* Shares of got and want by turns. */
static void add_row(const double *const shares, const int64_t n, spearman_sums *const sums,
                    spearman_whole *const whole) {
  for (int64_t i = 0; i < n; i += SIDES) {
    int bins[SIDES];
    for (int s = 0; s < SIDES; s++) {
      const double own = shares[i + s], other = shares[i + !s];
      bins[s] = bin_of_share(own);
      sums->square[s] += own * own;
      sums->count[s][bins[s]]++;
      sums->own[s][bins[s]] += own;
      sums->other[s][bins[s]] += other;
    }
    sums->n++;
    sums->xy += shares[i] * shares[i + 1];
    whole->joint[bins[TAREI_RANKS_GOT]][bins[TAREI_RANKS_WANT]]++;
  }
}

/* `rows` and `whole` are 0, and stay so where the choice has no value: nor has any draw then. */
static void fill_rows_of_bins(const tarei_metric_choice *const choice, double *const ranks,
                              spearman_sums *const rows, spearman_whole *const whole) {
  const tare_metric_states *const s = choice->states;
  spearman_sums all = {0};
  int64_t at = 0;
  int32_t times = 0;
  tarei_ranks_find(choice, ranks + s->n_numbers, ranks);
  if (isnan(tarei_pairs_correlation(choice, ranks))) {
    return;
  }
  const double n = (double)tarei_pairs_chosen(choice);
  for (int64_t i = 0; i < s->n_numbers; i++) {
    ranks[i] = (ranks[i] - 0.5) / n;
  }
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    spearman_sums *const sums = &rows[row - s->rows];
    add_row(ranks + row->at, row->n, sums, whole);
    add_sums((const double *)sums, 1, &all);
  }
  for (int side = 0; side < SIDES; side++) {
    find_middles(all.count[side], all.n, whole->middle[side]);
  }
  for (int b = 0; b < BINS * BINS; b++) {
    whole->joint[b / BINS][b % BINS] /= all.n;
  }
}

/* For a choice that has each sample once. */
static tare_status metric_spearman_brief(const tarei_metric_choice *const choice,
                                         tare_metric_states **const out, tare_error *const err) {
  static const tarei_metric binned = {.value = spearman_of_bins};
  const tare_metric_states *const s = choice->states;
  double *ranks;
  if (tarei_pairs_chosen(choice) <= TAREI_MANY_PAIRS) {
    return TARE_OK;
  }
  TAREI_TRY(spearman_room(s, &ranks, err));
  spearman_sums *const rows = tarei_calloc((size_t)s->n_rows, sizeof *rows);
  spearman_whole *const whole = tarei_calloc(1, sizeof *whole);
  tare_status status = TARE_E_MEMORY;
  if (rows && whole) {
    fill_rows_of_bins(choice, ranks, rows, whole);
    status = tarei_metric_states_of_rows(s, &binned, N_SUMS, (const double *)rows, out, err);
  } else {
    (void)tarei_fail_memory(err, "ranks of each sample", (size_t)s->n_rows * sizeof *rows);
  }
  if (status == TARE_OK) {
    (*out)->own = whole;
  } else {
    free(whole);
  }
  free(rows);
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
