#include "calib/eval/eval_tally.h"

#include <math.h>

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

void tarei_tally_output(tarei_tally *const tally, const tare_tensor *const got,
                        const tare_tensor *const want, const int64_t *const extents) {
  tarei_rows rows;
  tarei_rows_begin(got, extents, &rows);
  tally->compared = true;
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset);) {
    for (int64_t i = offset; i < offset + rows.length; i++) {
      eval_tally_add_value(tally, tarei_real_at(got, i), tarei_real_at(want, i));
    }
    if (rows.length >= 2) {
      tally->rows++;
      tally->agreed +=
          tarei_argmax(got, offset, rows.length) == tarei_argmax(want, offset, rows.length);
    }
  }
}

void tarei_tally_add(tarei_tally *const into, const tarei_tally *const from) {
  into->samples += from->samples;
  into->compared = into->compared || from->compared;
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
  };
}
