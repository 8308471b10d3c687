#include "calib/eval/eval_tally.h"

#include <math.h>
#include <string.h>

#include "calib/eval/error_sums.h"
#include "calib/metrics/rows.h"
#include "shapes/number.h"

/* Equal values count as equal even where their difference is not a number (both infinite). */
static bool same(const double a, const double b) {
  return a == b || (isnan(a) && isnan(b));
}

static void eval_tally_add_value(tarei_tally *const t, const double got, const double want) {
  const bool finite = isfinite(got) && isfinite(want);
  if (!finite && same(got, want)) {
    return;
  }
  if (!finite) {
    t->diff2 = INFINITY;
    t->max_abs = INFINITY;
    return;
  }
  const double diff = got - want;
  t->got2 += got * got;
  t->want2 += want * want;
  t->dot += got * want;
  t->diff2 += diff * diff;
  t->max_abs = fmax(t->max_abs, fabs(diff));
}

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

static void tally_row(tarei_tally *const t, const tare_tensor *const got,
                      const tare_tensor *const want, const row_pair *const p) {
  for (int64_t i = 0; i < p->length; i++) {
    const double wanted = i < p->other_length ? tarei_real_at(want, p->other_offset + i) : 0;
    eval_tally_add_value(t, tarei_real_at(got, p->offset + i), wanted);
  }
  if (p->length >= 2) {
    t->rows++;
    t->agreed += p->other_length > 0 && tarei_argmax(got, p->offset, p->length) ==
                                            tarei_argmax(want, p->other_offset, p->other_length);
  }
}

/* Integers are answers: each is the same or not. */
static void tally_integers(tarei_tally *const t, const tare_tensor *const got,
                           const tare_tensor *const want, const row_pair *const p) {
  const size_t size = tare_dtype_size(got->dtype);
  const char *const ours = (const char *)got->data + (size_t)p->offset * size;
  const char *const theirs = (const char *)want->data + (size_t)p->other_offset * size;
  for (int64_t i = 0; i < p->length; i++) {
    const size_t at = (size_t)i * size;
    t->agreed += i < p->other_length && memcmp(ours + at, theirs + at, size) == 0;
  }
  t->rows += p->length;
}

/* What only the reference has. */
static void tally_lacking(tarei_tally *const t, const tare_tensor *const want,
                          const row_pair *const p) {
  if (!tarei_is_float(want->dtype)) {
    t->rows += p->length > p->other_length ? p->length - p->other_length : 0;
    return;
  }
  for (int64_t i = p->other_length; i < p->length; i++) {
    eval_tally_add_value(t, 0, tarei_real_at(want, p->offset + i));
  }
  t->rows += p->length >= 2 && p->other_length == 0;
}

/* Whether a tensor has a value wherever the other has one. */
static bool covers(const tarei_rows *const rows, const tarei_rows *const other) {
  bool all = true;
  for (int a = 0; a < rows->rank; a++) {
    all = all && other->extents[a] <= rows->extents[a];
  }
  return all;
}

void tarei_tally_output(tarei_tally *const tally, const tare_tensor *const got,
                        const int64_t *const got_extents, const tare_tensor *const want,
                        const int64_t *const want_extents) {
  tarei_rows ours, theirs;
  tarei_rows_begin(got, got_extents, &ours);
  tarei_rows_begin(want, want_extents, &theirs);
  const tarei_rows first_of_ours = ours, first_of_theirs = theirs;
  const bool real = tarei_is_float(got->dtype);
  tally->compared = tally->compared || real;
  for (int64_t offset = 0; tarei_rows_next(&ours, &offset);) {
    const row_pair pair = pair_row(&ours, offset, &first_of_theirs);
    (real ? tally_row : tally_integers)(tally, got, want, &pair);
  }
  const bool lacking = !covers(&first_of_ours, &first_of_theirs);
  for (int64_t offset = 0; lacking && tarei_rows_next(&theirs, &offset);) {
    const row_pair pair = pair_row(&theirs, offset, &first_of_ours);
    tally_lacking(tally, want, &pair);
  }
}

void tarei_tally_add(tarei_tally *const into, const tarei_tally *const from) {
  into->samples += from->samples;
  into->compared = into->compared || from->compared;
  into->other_shapes += from->other_shapes;
  into->got2 += from->got2;
  into->want2 += from->want2;
  into->diff2 += from->diff2;
  into->dot += from->dot;
  into->max_abs = fmax(into->max_abs, from->max_abs);
  into->rows += from->rows;
  into->agreed += from->agreed;
}

static double eval_tally_share(const int64_t part, const int64_t whole) {
  return whole > 0 ? (double)part / (double)whole : NAN;
}

static double cosine(const tarei_tally *const t) {
  if (t->diff2 == 0) {
    return 1;
  }
  const double norms = sqrt(t->got2) * sqrt(t->want2);
  return norms > 0 ? t->dot / norms : 0;
}

tare_eval_score tarei_tally_score(const tarei_tally *const tally) {
  return (tare_eval_score){
      .samples = tally->samples,
      .sqnr_db = tally->compared ? tarei_sqnr_db(tally->want2, tally->diff2) : NAN,
      .cosine = tally->compared ? cosine(tally) : NAN,
      .max_abs_error = tally->compared ? tally->max_abs : NAN,
      .top1_agreement = eval_tally_share(tally->agreed, tally->rows),
      .metric = NAN,
      .reference = NAN,
      .other_shapes = tally->other_shapes,
  };
}
