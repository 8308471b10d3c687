/*
 * What 8 bits cost the rows of a tensor, predicted from its statistics (docs/numerics.md,
 * "Predicted loss"). A loss is the mean, over the rows that are not zero, of min(1, noise /
 * energy): quiet rows count as much as loud ones, because normalizations, logarithms and gates make
 * them so.
 */
#ifndef TAREI_CALIB_ROW_LOSS_H
#define TAREI_CALIB_ROW_LOSS_H

#include "calib/accumulator.h"

typedef struct tarei_row_loss {
  double fixed;   /* with one static scale, 0..1 */
  double rows;    /* with a scale for each row, 0..1 */
  double rms;     /* root of the mean square of the elements */
} tarei_row_loss; /* all NAN if all rows are zero or not finite */

/* The static scale is that of the threshold, which is greater than 0; it may be above the amax. */
tarei_row_loss tarei_row_loss_predict(const tarei_accumulator *a, double threshold);

#endif
