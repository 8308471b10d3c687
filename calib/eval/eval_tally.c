#include "calib/eval/eval_tally.h"

#include <math.h>
#include <string.h>

#include "calib/metrics/rows.h"
#include "shapes/number.h"

/* A row of one tensor, and what lies at the same place of the other. */
typedef struct row_pair {
  int64_t offset, length, other_offset, other_length;
} row_pair;

static row_pair pair_row(const tarei_rows *const rows, const int64_t offset,
                         const tarei_rows *const other) {
  row_pair pair = {.offset = offset, .length = rows->length, .other_length = other->length};
  for (int a = 0; a < rows->rank - 1; a++) {
    pair.other_offset += rows->index[a] * other->strides[a];
    pair.other_length = rows->index[a] < other->extents[a] ? pair.other_length : 0;
  }
  return pair;
}

/* --- values in blocks ------------------------------------------------------------------------- */

/* What gets the blocks. */
typedef struct tally_visitor {
  void (*take)(void *user, const tarei_measured *block);
  void *user;
} tally_visitor;

/* Elements [at, at + n) of a row; behind its end, and of no tensor, zeros. */
static void load_values(const tare_tensor *const t, const int64_t offset, const int64_t length,
                        const int64_t at, const int n, double *const out) {
  const int64_t left = t && at < length ? length - at : 0;
  const int inside = left < n ? (int)left : n;
  if (inside > 0 && t->dtype == TARE_F32) {
    const float *const x = (const float *)t->data + offset + at;
    for (int i = 0; i < inside; i++) {
      out[i] = (double)x[i];
    }
  } else {
    for (int i = 0; i < inside; i++) {
      out[i] = tarei_real_at(t, offset + at + i);
    }
  }
  for (int i = inside; i < n; i++) {
    out[i] = 0;
  }
}

/* A place of a row in a tensor. */
typedef struct tally_place {
  int64_t offset, length;
} tally_place;

static void visit_row(const tarei_output_pair *const pair, const tally_place *const got,
                      const tally_place *const want, const int64_t from, const int64_t to,
                      const tally_visitor *const visitor) {
  double g[TAREI_MEASURE_BLOCK], w[TAREI_MEASURE_BLOCK], m[TAREI_MEASURE_BLOCK];
  for (int64_t at = from; at < to; at += TAREI_MEASURE_BLOCK) {
    const int n = to - at < TAREI_MEASURE_BLOCK ? (int)(to - at) : TAREI_MEASURE_BLOCK;
    load_values(pair->got, got->offset, got->length, at, n, g);
    load_values(pair->want, want->offset, want->length, at, n, w);
    if (pair->muted) {
      load_values(pair->muted, want->offset, want->length, at, n, m);
    }
    const tarei_measured block = {.got = g, .want = w, .muted = pair->muted ? m : NULL, .n = n};
    visitor->take(visitor->user, &block);
  }
}

/* A row of the plan, beside what the reference has there. */
static void visit_own(const tarei_output_pair *const pair, const row_pair *const p,
                      const tally_visitor *const visitor) {
  const tally_place got = {p->offset, p->length}, want = {p->other_offset, p->other_length};
  visit_row(pair, &got, &want, 0, p->length, visitor);
}

/* What only the reference has of a row. */
static void visit_lacking(const tarei_output_pair *const pair, const row_pair *const p,
                          const tally_visitor *const visitor) {
  const tally_place got = {0, 0}, want = {p->offset, p->length};
  visit_row(pair, &got, &want, p->other_length, p->length, visitor);
}

/* --- sums ------------------------------------------------------------------------------------- */

typedef struct tally_sums {
  tare_error_tally *sums;
  double bound;
  double total; /* of the reference, in a row */
} tally_sums;

static void tally_block(void *const user, const tarei_measured *const block) {
  tally_sums *const s = user;
  s->total += tarei_measure_take(s->sums, block, s->bound);
}

/* By how much the reference prefers its own class; at most what the row allows. */
static double regret_of(const tarei_output_pair *const pair, const row_pair *const p,
                        const int64_t got, const int64_t want, const double energy) {
  const double most = 2 * energy;
  if (got >= p->other_length) {
    return most;
  }
  const double loss = tarei_real_at(pair->want, p->other_offset + want) -
                      tarei_real_at(pair->want, p->other_offset + got);
  return loss * loss < most ? loss * loss : most; /* not with NaN */
}

/* What a row of two values or more says beside its values. `energy`: of the reference without its
 * mean. */
static void tally_answer(const tarei_output_pair *const pair, const row_pair *const p,
                         const double energy, tare_error_tally *const row) {
  const int64_t got = tarei_argmax(pair->got, p->offset, p->length);
  const int64_t want = tarei_argmax(pair->want, p->other_offset, p->other_length);
  row->rows = 1;
  row->agreed = p->other_length > 0 && got == want;
  row->spread = energy / (double)row->values;
  row->regret = row->agreed ? 0 : regret_of(pair, p, got, want, energy);
  row->vectors = row->signal > 0;
  row->cosines = row->signal > 0 && row->broken == 0 ? tarei_measure_cosine(row) : 0;
}

static void tally_row(const tarei_output_pair *const pair, const row_pair *const p,
                      tally_sums *const s) {
  tare_error_tally own = {0}, *const all = s->sums;
  const tally_visitor visitor = {tally_block, s};
  if (p->length < 2) {
    visit_own(pair, p, &visitor);
    return;
  }
  s->sums = &own;
  s->total = 0;
  visit_own(pair, p, &visitor);
  s->sums = all;
  if (own.values > 0) {
    const double mean = s->total / (double)own.values;
    tally_answer(pair, p, fmax(0, own.signal - mean * s->total), &own);
  }
  tarei_measure_add(all, &own);
}

/* Integers are answers: each is the same or not. */
static void tally_integers(const tarei_output_pair *const pair, const row_pair *const p,
                           tare_error_tally *const sums) {
  const size_t size = tare_dtype_size(pair->got->dtype);
  const char *const ours = (const char *)pair->got->data + (size_t)p->offset * size;
  const char *const theirs = (const char *)pair->want->data + (size_t)p->other_offset * size;
  for (int64_t i = 0; i < p->length; i++) {
    const size_t at = (size_t)i * size;
    sums->agreed += i < p->other_length && memcmp(ours + at, theirs + at, size) == 0;
  }
  sums->rows += p->length;
}

static void tally_lacking(const tarei_output_pair *const pair, const row_pair *const p,
                          tally_sums *const s) {
  tare_error_tally *const sums = s->sums;
  const tally_visitor visitor = {tally_block, s};
  if (!tarei_is_float(pair->want->dtype)) {
    sums->rows += p->length > p->other_length ? p->length - p->other_length : 0;
    return;
  }
  const int64_t before = sums->values;
  visit_lacking(pair, p, &visitor);
  if (p->length >= 2 && p->other_length == 0 && sums->values > before) {
    sums->rows++;
    sums->vectors++;
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* Whether a tensor has a value wherever the other has one. */
static bool covers(const tarei_rows *const rows, const tarei_rows *const other) {
  bool all = true;
  for (int a = 0; a < rows->rank; a++) {
    all = all && other->extents[a] <= rows->extents[a];
  }
  return all;
}

/* Gives all values to a visitor, or adds them to sums, of which one is NULL. */
static void tally_walk(const tarei_output_pair *const pair, const tally_visitor *const visitor,
                       tally_sums *const sums) {
  tarei_rows ours, theirs;
  tarei_rows_begin(pair->got, pair->got_extents, &ours);
  tarei_rows_begin(pair->want, pair->want_extents, &theirs);
  const tarei_rows first_of_ours = ours, first_of_theirs = theirs;
  const bool real = tarei_is_float(pair->got->dtype);
  for (int64_t offset = 0; tarei_rows_next(&ours, &offset);) {
    const row_pair row = pair_row(&ours, offset, &first_of_theirs);
    if (visitor) {
      visit_own(pair, &row, visitor);
    } else if (real) {
      tally_row(pair, &row, sums);
    } else {
      tally_integers(pair, &row, sums->sums);
    }
  }
  const bool lacking = sums && !covers(&first_of_ours, &first_of_theirs);
  for (int64_t offset = 0; lacking && tarei_rows_next(&theirs, &offset);) {
    const row_pair row = pair_row(&theirs, offset, &first_of_ours);
    tally_lacking(pair, &row, sums);
  }
}

static void see_block(void *const user, const tarei_measured *const block) {
  tarei_sizes_see(user, block);
}

void tarei_pair_see(const tarei_output_pair *const pair, tarei_sizes_seen *const seen) {
  const tally_visitor visitor = {see_block, seen};
  tally_walk(pair, &visitor, NULL);
}

void tarei_tally_output(tare_error_tally *const sums, const tarei_output_pair *const pair,
                        const double bound) {
  tally_sums of_blocks = {sums, bound, 0};
  tally_walk(pair, NULL, &of_blocks);
}
