#include "calib/eval/agreement/agreement.h"

#include <math.h>

/* Rows that differ are clear if the reference prefers its classes by more than this share of the
 * spread of a row: a network that is not trained has 0.1 at 25 dB. */
#define CLEAR 0.25

static double agreement_ratio(const int64_t part, const int64_t all) {
  return all > 0 ? (double)part / (double)all : NAN;
}

static double figure_rows(const tare_error_tally *const s) {
  return agreement_ratio(s->agreed, s->rows);
}

static double figure_edits(const tare_error_tally *const s) {
  return agreement_ratio(s->edits, s->tokens);
}

static double figure_cosine(const tare_error_tally *const s) {
  return s->vectors > 0 ? s->cosines / (double)s->vectors : NAN;
}

static const tarei_agreement_kind KINDS[TARE_AGREEMENT_COUNT] = {
    [TARE_AGREEMENT_AUTO] = {.name = "auto"},
    [TARE_AGREEMENT_NONE] = {.name = "none"},
    [TARE_AGREEMENT_TOP1] = {.name = "top1",
                             .figure = figure_rows,
                             .best = 1,
                             .tolerated = 0.1,
                             .low = 0.1,
                             .least = 100,
                             .has_ties = true},
    [TARE_AGREEMENT_EDITS] = {.name = "edits",
                              .figure = figure_edits,
                              .best = 0,
                              .tolerated = 0.1,
                              .low = 0.1,
                              .least = 50,
                              .has_ties = true},
    [TARE_AGREEMENT_COSINE] = {.name = "cosine",
                               .figure = figure_cosine,
                               .best = 1,
                               .tolerated = 0.05,
                               .low = 0.05,
                               .least = 1,
                               .of_samples = true},
    [TARE_AGREEMENT_EQUAL] = {.name = "equal",
                              .figure = figure_rows,
                              .best = 1,
                              .tolerated = 0.2,
                              .low = 0.2,
                              .least = 100}};

static bool is_kind(const tare_agreement kind) {
  return (int)kind >= 0 && kind < TARE_AGREEMENT_COUNT;
}

const char *tare_agreement_name(const tare_agreement kind) {
  return is_kind(kind) ? KINDS[kind].name : NULL;
}

const tarei_agreement_kind *tarei_agreement_kind_at(const tare_agreement kind) {
  return is_kind(kind) && KINDS[kind].figure ? &KINDS[kind] : NULL;
}

int64_t tarei_agreement_counted(const tare_agreement kind, const tare_error_tally *const sums) {
  return kind == TARE_AGREEMENT_EDITS    ? sums->tokens
         : kind == TARE_AGREEMENT_COSINE ? sums->vectors
                                         : sums->rows;
}

double tarei_agreement_badness(const tare_agreement kind, const double figure) {
  const tarei_agreement_kind *const k = tarei_agreement_kind_at(kind);
  return k ? fabs(figure - k->best) / k->tolerated : NAN;
}

bool tarei_agreement_is_clear(const tare_error_tally *const sums) {
  const int64_t differ = sums->rows - sums->agreed;
  return differ > 0 && sums->rows > 0 &&
         sums->regret / (double)differ > CLEAR * CLEAR * sums->spread / (double)sums->rows;
}
