/* Spearman's rank correlation: Pearson's of the ranks, where equal values have the mean of theirs.
 * Ranks are those within the choice of samples. */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/metrics/pairs.h"

static tare_status metric_spearman_add(const tarei_metric_case *const c,
                                       tare_metric_states *const states, tare_error *const err) {
  return tarei_pairs_add("spearman", c, states, err);
}

/* --- order ------------------------------------------------------------------------------------ */

typedef struct spearman_item {
  double value;
  int64_t at;
} spearman_item;

/* A NaN comes last. */
static int spearman_ascending(const void *const a, const void *const b) {
  const spearman_item *const x = a, *const y = b;
  return isnan(x->value) || isnan(y->value) ? isnan(x->value) - isnan(y->value)
                                            : (x->value > y->value) - (x->value < y->value);
}

/* Replaces every second number from `first` on by its place among the different values, so that
 * ranks need no sorting any more. A NaN stays. */
static void spearman_order(tare_metric_states *const s, const int64_t first,
                           spearman_item *const items) {
  int64_t n = 0, place = 0;
  for (int64_t i = first; i < s->n_numbers; i += 2) {
    items[n++] = (spearman_item){s->numbers[i], i};
  }
  qsort(items, (size_t)n, sizeof *items, spearman_ascending);
  for (int64_t i = 0; i < n && !isnan(items[i].value); i++) {
    place += i > 0 && items[i].value != items[i - 1].value;
    s->numbers[items[i].at] = (double)place;
  }
}

static tare_status metric_spearman_finish(tare_metric_states *const s, tare_error *const err) {
  spearman_item *const items = tarei_calloc((size_t)s->n_numbers / 2, sizeof *items);
  if (!items) {
    return tarei_fail_memory(err, "ranks", (size_t)s->n_numbers / 2 * sizeof *items);
  }
  spearman_order(s, 0, items);
  spearman_order(s, 1, items);
  free(items);
  return TARE_OK;
}

/* --- ranks ------------------------------------------------------------------------------------ */

/* Ranks of every second number from `first` on; counts holds one number for each pair. */
static void spearman_rank(const tarei_metric_choice *const choice, const int64_t first,
                          double *const counts, double *const ranks) {
  const tare_metric_states *const s = choice->states;
  const int64_t most = s->n_numbers / 2;
  int64_t at = 0;
  int32_t times = 0;
  for (int64_t i = 0; i < most; i++) {
    counts[i] = 0;
  }
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    for (int64_t i = row->at + first; i < row->at + row->n; i += 2) {
      counts[isnan(s->numbers[i]) ? 0 : (int64_t)s->numbers[i]] += times;
    }
  }
  double below = 0;
  for (int64_t i = 0; i < most; i++) {
    const double here = counts[i];
    counts[i] = below + (here + 1) / 2;
    below += here;
  }
  for (int64_t i = first; i < s->n_numbers; i += 2) {
    ranks[i] = isnan(s->numbers[i]) ? NAN : counts[(int64_t)s->numbers[i]];
  }
}

static tare_status metric_spearman_value(const tarei_metric_choice *const choice, double *const out,
                                         tare_error *const err) {
  const size_t n = (size_t)choice->states->n_numbers;
  double *const ranks = tarei_calloc(n, sizeof *ranks);
  double *const counts = tarei_calloc(n / 2, sizeof *counts);
  const bool good = ranks && counts;
  if (good) {
    spearman_rank(choice, 0, counts, ranks);
    spearman_rank(choice, 1, counts, ranks);
    *out = tarei_pairs_correlation(choice, ranks);
  }
  free(ranks);
  free(counts);
  return good ? TARE_OK : tarei_fail_memory(err, "ranks", n * sizeof *ranks);
}

/* Places are numbers of counts. */
static bool metric_spearman_accepts(const tare_metric_states *const s) {
  bool places = tarei_pairs_accept(s);
  for (int64_t i = 0; places && i < s->n_numbers; i++) {
    places =
        isnan(s->numbers[i]) || (s->numbers[i] >= 0 && s->numbers[i] < (double)(s->n_numbers / 2));
  }
  return places;
}

const tarei_metric tarei_metric_spearman = {.name = "spearman",
                                            .summary = "Spearman's rank correlation",
                                            .unit = TAREI_PLAIN,
                                            .truth = TARE_TRUTH_EITHER,
                                            .add = metric_spearman_add,
                                            .finish = metric_spearman_finish,
                                            .value = metric_spearman_value,
                                            .accepts = metric_spearman_accepts};
