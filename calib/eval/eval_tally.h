/* Outputs beside those of the reference: what their valid parts add to sums. */
#ifndef TAREI_CALIB_EVAL_EVAL_TALLY_H
#define TAREI_CALIB_EVAL_EVAL_TALLY_H

#include "calib/eval/measure.h"

/* An output of both sides, of the same rank and element type, with their valid extents; and of a
 * muted run of the reference, with the dims of `want`, or NULL. */
typedef struct tarei_output_pair {
  const tare_tensor *got, *want, *muted;
  const int64_t *got_extents, *want_extents;
} tarei_output_pair;

/* Adds the sizes of the values of a float output. */
void tarei_pair_see(const tarei_output_pair *pair, tarei_sizes_seen *seen);

/* Adds the valid parts of one output. Values that one of them lacks count as zeros. Integers count
 * as rows, which agree if they are equal; rows of floats count where a value does. `bound`: of
 * constants (tarei_sizes_bound). */
void tarei_tally_output(tare_error_tally *sums, const tarei_output_pair *pair, double bound);

#endif
