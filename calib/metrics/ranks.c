#include "calib/metrics/ranks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/metrics/pairs.h"

/* --- places ----------------------------------------------------------------------------------- */

typedef struct ranks_item {
  double value;
  int64_t at;
} ranks_item;

/* A NaN comes last. */
static int ranks_ascending(const void *const a, const void *const b) {
  const ranks_item *const x = a, *const y = b;
  return isnan(x->value) || isnan(y->value) ? isnan(x->value) - isnan(y->value)
                                            : (x->value > y->value) - (x->value < y->value);
}

static void order_side(tare_metric_states *const s, const int side, ranks_item *const items) {
  int64_t n = 0, place = 0;
  for (int64_t i = side; i < s->n_numbers; i += 2) {
    items[n++] = (ranks_item){s->numbers[i], i};
  }
  qsort(items, (size_t)n, sizeof *items, ranks_ascending);
  for (int64_t i = 0; i < n && !isnan(items[i].value); i++) {
    place += i > 0 && items[i].value != items[i - 1].value;
    s->numbers[items[i].at] = (double)place;
  }
}

tare_status tarei_ranks_order(tare_metric_states *const s, tare_error *const err) {
  ranks_item *const items = tarei_calloc((size_t)s->n_numbers / 2, sizeof *items);
  if (!items) {
    return tarei_fail_memory(err, "ranks", (size_t)s->n_numbers / 2 * sizeof *items);
  }
  order_side(s, TAREI_RANKS_GOT, items);
  order_side(s, TAREI_RANKS_WANT, items);
  free(items);
  return TARE_OK;
}

bool tarei_ranks_accept(const tare_metric_states *const s) {
  bool places = tarei_pairs_accept(s);
  for (int64_t i = 0; places && i < s->n_numbers; i++) {
    places =
        isnan(s->numbers[i]) || (s->numbers[i] >= 0 && s->numbers[i] < (double)(s->n_numbers / 2));
  }
  return places;
}

/* --- ranks ------------------------------------------------------------------------------------ */

static int64_t rank_place(const double number) {
  return isnan(number) ? 0 : (int64_t)number;
}

static void rank_side(const tarei_metric_choice *const choice, const int side, double *const counts,
                      double *const ranks) {
  const tare_metric_states *const s = choice->states;
  const int64_t most = s->n_numbers / 2;
  int64_t at = 0;
  int32_t times = 0;
  memset(counts, 0, (size_t)most * sizeof *counts);
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    for (int64_t i = row->at + side; i < row->at + row->n; i += 2) {
      counts[rank_place(s->numbers[i])] += times;
    }
  }
  double below = 0;
  for (int64_t i = 0; i < most; i++) {
    const double here = counts[i];
    counts[i] = below + (here + 1) / 2;
    below += here;
  }
  for (int64_t i = side; i < s->n_numbers; i += 2) {
    ranks[i] = isnan(s->numbers[i]) ? NAN : counts[rank_place(s->numbers[i])];
  }
}

void tarei_ranks_find(const tarei_metric_choice *const choice, double *const counts,
                      double *const ranks) {
  rank_side(choice, TAREI_RANKS_GOT, counts, ranks);
  rank_side(choice, TAREI_RANKS_WANT, counts, ranks);
}
