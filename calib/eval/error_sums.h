/* Sums of the errors of one tensor: added in the order of the samples, so that results repeat
 * exactly. */
#ifndef TAREI_CALIB_EVAL_ERROR_SUMS_H
#define TAREI_CALIB_EVAL_ERROR_SUMS_H

#include <tare/comparison.h>

#include "calib/eval/measure.h"

/* Bin 0 counts values without error; each bin of TARE_ERROR_BINS is divided into equal parts. */
enum { TAREI_ERROR_PARTS = 32, TAREI_ERROR_FINE = 1 + (TARE_ERROR_BINS - 1) * TAREI_ERROR_PARTS };

typedef struct tarei_error_sums {
  tare_error_tally tally;
  int64_t exceeding, nans;
  double abs;
  int64_t bins[TAREI_ERROR_FINE]; /* of all values that are finite in the reference */
} tarei_error_sums;

typedef struct tarei_error_bounds {
  bool set; /* count what exceeds the bounds */
  double atol, rtol;
} tarei_error_bounds;

/* Adds values beside those of the reference, with `constants` as the bound of constants
 * (calib/eval/measure.h), which have errors, but are not part of the SQNR. */
void tarei_error_sums_take(tarei_error_sums *sums, const tarei_error_bounds *bounds,
                           const tarei_measured *block, double constants);

void tarei_error_sums_add(tarei_error_sums *into, const tarei_error_sums *from);

/* Counts by powers of two. */
void tarei_error_sums_histogram(const tarei_error_sums *sums, int64_t bins[TARE_ERROR_BINS]);

/* Fills the figures that follow from the sums. */
void tarei_error_sums_conclude(const tarei_error_sums *sums, tare_tensor_error *out);

#endif
