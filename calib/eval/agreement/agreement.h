/*
 * Agreement of a plan with its reference, in the terms of what outputs are: classes, sequences,
 * embeddings or integers. docs/metrics.md has the rules.
 */
#ifndef TAREI_CALIB_EVAL_AGREEMENT_AGREEMENT_H
#define TAREI_CALIB_EVAL_AGREEMENT_AGREEMENT_H

#include <tare/eval.h>

/* A kind of agreement: its figure, and how bad one is. */
typedef struct tarei_agreement_kind {
  const char *name;
  double (*figure)(const tare_error_tally *sums); /* NAN if nothing counted; NULL: there is none */
  double best;                                    /* that of equal outputs */
  double tolerated; /* an agreement so far from the best is as bad as one of another kind that is as
                       far as is tolerated of it */
  double low;       /* farther than that from the best it is low */
  int64_t least;    /* rows, tokens or values without which nothing is said */
  bool of_samples;  /* the figure of all samples is the mean of theirs, and it is low where a tenth
                       of them is */
  bool has_ties;    /* answers that the reference does not clearly prefer say little */
} tarei_agreement_kind;

/* NULL: of none. */
const tarei_agreement_kind *tarei_agreement_kind_at(tare_agreement kind);

/* What counted: rows, tokens or values. */
int64_t tarei_agreement_counted(tare_agreement kind, const tare_error_tally *sums);

/* How far a figure is from the best, in what is tolerated of its kind; NAN of NAN. */
double tarei_agreement_badness(tare_agreement kind, double figure);

/* Whether the answers that differ are ones that the reference prefers clearly. */
bool tarei_agreement_is_clear(const tare_error_tally *sums);

#endif
