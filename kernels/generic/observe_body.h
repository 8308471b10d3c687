/* Extremes, bins and row magnitudes in one pass; instantiated once per vector ISA.
 *
 * Increments are the wall: a little more than a cycle each, while scatters with conflict detection
 * take two. So vectors find the bins and put them into a queue, without the most common one (zeros
 * behind a ReLU), which is counted by mask; and increments take them from the queue filled before,
 * because loads of what was just stored wait. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/generic/append16.h"
#include "kernels/generic/v16.h"
#include "kernels/kernels.h"

enum {
  OBSERVE_FULL = 256, /* a queue with so many bins is due */
  OBSERVE_ROOM = OBSERVE_FULL + 4 * TAREI_LANES,
  OBSERVE_COMMON = 4,   /* of sixteen samples */
  OBSERVE_AHEAD = 1024, /* elements; processors fetch ahead by themselves too late */
};

/* Bins of x < 0 lie TAREI_OBSERVE_BINS behind the others. */
typedef struct queues {
  uint16_t *filling, *end;         /* where the next bin goes */
  uint16_t *waiting, *next, *last; /* those to be counted, from `next` on */
  size_t n_counted;                /* of queues that were swapped */
} queues;

typedef struct watcher {
  v16 scale, last, limit;
  int32_t common; /* bin that may be left out of the queues, or -1 */
  v16 low, high;  /* seen so far */
  v16m inside;    /* lanes that were finite and below the limit all the time */
} watcher;

TAREI_INLINE v16i bins_of(const watcher *w, v16 v, v16 size) {
  const v16i bin = v_truncate(v_min(v_mul(size, w->scale), w->last));
  return i_select(v_less(v, v_set1(0.0f)), i_add(bin, i_set1(TAREI_OBSERVE_BINS)), bin);
}

/* The most frequent bin of some samples, where it is worth counting it apart; else -1. */
static int32_t common_bin(const watcher *w, const float *x, size_t n) {
  float samples[TAREI_LANES];
  uint16_t bins[TAREI_LANES];
  for (size_t i = 0; i < TAREI_LANES; i++) {
    samples[i] = x[(n - 1) * i / (TAREI_LANES - 1)];
  }
  const v16 v = v_load(samples);
  i_store_u16(bins, bins_of(w, v, v_abs(v)));
  for (int i = 0; i < TAREI_LANES - OBSERVE_COMMON; i++) {
    int n_equal = 0;
    for (int j = i; j < TAREI_LANES; j++) {
      n_equal += bins[j] == bins[i];
    }
    if (n_equal > OBSERVE_COMMON) {
      return bins[i];
    }
  }
  return -1;
}

static watcher watcher_for(const tarei_observe *o) {
  watcher w = {.scale = v_set1(ldexpf(1.0f, -o->exponent)),
               .last = v_set1((float)(o->bins - 1)),
               .limit = v_set1(ldexpf((float)o->bins, o->exponent)),
               .low = v_set1(INFINITY),
               .high = v_set1(-INFINITY),
               .inside = m_first(TAREI_LANES)};
  w.common = common_bin(&w, o->x, o->n_rows * o->n_columns);
  return w;
}

/* So many of those that wait, if there are. */
TAREI_INLINE void count_some(queues *q, int n, uint16_t *counts) {
  if (q->last - q->next >= n) {
#pragma GCC unroll 32
    for (int i = 0; i < n; i++) {
      counts[q->next[i]]++;
    }
    q->next += n;
  }
}

TAREI_INLINE v16i watch_lanes(watcher *w, const float *x, size_t n, v16 *row) {
  __builtin_prefetch(x + OBSERVE_AHEAD);
  const v16 v = v_load_n(x, n), size = v_abs(v);
  w->inside = m_and(w->inside, v_less(size, w->limit));
  w->low = v_min(w->low, n == TAREI_LANES ? v : v_select(m_first(n), v, w->low));
  w->high = v_max(w->high, n == TAREI_LANES ? v : v_select(m_first(n), v, w->high));
  *row = v_max(*row, size);
  return bins_of(w, v, size);
}

/* Queues the bins of up to sixteen elements but the common one, and counts as many that wait: so
 * vectors and increments, which need different parts of the core, overlap. */
TAREI_INLINE void queue_lanes(watcher *w, const float *x, size_t n, v16 *row, queues *q,
                              uint16_t *counts) {
  q->end += i_store_u16_but(q->end, watch_lanes(w, x, n, row), i_set1(w->common), n);
  count_some(q, TAREI_LANES, counts);
}

TAREI_INLINE void queue_pair(watcher *w, const float *x, v16 *row, queues *q, uint16_t *counts) {
  const v16i first = watch_lanes(w, x, TAREI_LANES, row);
  i_store_u16_pair(q->end, first, watch_lanes(w, x + TAREI_LANES, TAREI_LANES, row));
  q->end += 2 * TAREI_LANES;
  count_some(q, 2 * TAREI_LANES, counts);
}

/* What does not make sixteen moves to the other queue. */
TAREI_INLINE void swap_when_full(queues *q, uint16_t *counts) {
  if (q->end - q->filling < OBSERVE_FULL) {
    return;
  }
  while (q->last - q->next >= TAREI_LANES) {
    count_some(q, TAREI_LANES, counts);
  }
  memcpy(q->end, q->next, TAREI_LANES * sizeof *q->end);
  q->end += q->last - q->next;
  q->n_counted += (size_t)(q->next - q->waiting);
  uint16_t *const empty = q->waiting;
  q->waiting = q->next = q->filling;
  q->last = q->end;
  q->filling = q->end = empty;
}

static void count_row(uint32_t *rows, float amax) {
  uint32_t bits;
  memcpy(&bits, &amax, sizeof bits);
  rows[bits >> 23]++;
}

TAREI_INLINE void watch_rows(watcher *watch, queues *both, const tarei_observe *o, bool pairs,
                             uint32_t *rows) {
  watcher w = *watch;
  queues q = *both;
  for (size_t r = 0; r < o->n_rows; r++) {
    const float *const x = o->x + r * o->n_columns;
    v16 row = v_set1(0.0f);
    size_t i = 0;
    for (; pairs && i + 2 * TAREI_LANES <= o->n_columns; i += 2 * TAREI_LANES) {
      queue_pair(&w, x + i, &row, &q, o->counts);
      swap_when_full(&q, o->counts);
    }
    for (; i + TAREI_LANES <= o->n_columns; i += TAREI_LANES) {
      queue_lanes(&w, x + i, TAREI_LANES, &row, &q, o->counts);
      swap_when_full(&q, o->counts);
    }
    if (i < o->n_columns) {
      queue_lanes(&w, x + i, o->n_columns - i, &row, &q, o->counts);
      swap_when_full(&q, o->counts);
    }
    if (o->rows) {
      count_row(rows, v_reduce_max(row));
    }
  }
  *watch = w;
  *both = q;
}

static void count_rest(const uint16_t *bins, const uint16_t *end, tarei_observe *o) {
  for (; bins < end; bins++) {
    o->counts[*bins]++;
    o->pages[*bins / TAREI_OBSERVE_BINS] |= UINT64_C(1)
                                            << *bins % TAREI_OBSERVE_BINS / TAREI_OBSERVE_PAGE;
  }
}

/* Pages of the bins from 0 to that of `most`. */
static uint64_t pages_up_to(const tarei_observe *o, float most) {
  return most < 0 ? 0 : UINT64_MAX >> (63 - (int)ldexpf(most, -o->exponent) / TAREI_OBSERVE_PAGE);
}

/* Few elements all wait yet, and touch few pages. */
static void finish_bins(const watcher *w, const queues *q, tarei_observe *o, float low,
                        float high) {
  const size_t n_counted = q->n_counted + (size_t)(q->next - q->waiting);
  const size_t n_left = (size_t)(q->last - q->next + q->end - q->filling);
  const size_t n_skipped = o->n_rows * o->n_columns - n_counted - n_left;
  count_rest(q->next, q->last, o);
  count_rest(q->filling, q->end, o);
  if (n_skipped) {
    const uint16_t common = (uint16_t)w->common;
    count_rest(&common, &common + 1, o);
    o->counts[common] = (uint16_t)(o->counts[common] + n_skipped - 1);
  }
  if (n_counted) {
    o->pages[0] = pages_up_to(o, high);
    o->pages[1] = pages_up_to(o, low < 0 ? -low : -1);
  }
}

static void fold_rows(const uint32_t *rows, int64_t *out) {
  for (int i = 0; out && i < TAREI_OBSERVE_ROW_BINS; i++) {
    out[i] += rows[i];
  }
}

bool TAREI_K(tarei_k_observe_f32_16)(tarei_observe *o) {
  assert(o->n_rows * o->n_columns <= TAREI_OBSERVE_MOST && o->bins <= TAREI_OBSERVE_BINS);
  o->pages[0] = o->pages[1] = 0;
  if (o->n_rows * o->n_columns == 0) {
    return true;
  }
  uint32_t rows[TAREI_OBSERVE_ROW_BINS] = {0};
  _Alignas(64) uint16_t room[2][OBSERVE_ROOM];
  queues q = {
      .filling = room[0], .end = room[0], .waiting = room[1], .next = room[1], .last = room[1]};
  watcher w = watcher_for(o);
  if (w.common < 0) {
    watch_rows(&w, &q, o, true, rows);
  } else {
    watch_rows(&w, &q, o, false, rows);
  }
  if (m_count(w.inside) != TAREI_LANES) {
    return false;
  }
  const float low = v_reduce_min(w.low) + 0.0f, high = v_reduce_max(w.high) + 0.0f;
  finish_bins(&w, &q, o, low, high);
  fold_rows(rows, o->rows);
  o->min = fminf(o->min, low);
  o->max = fmaxf(o->max, high);
  return true;
}
