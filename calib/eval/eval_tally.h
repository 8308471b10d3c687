/* The sums of a score: doubles, added in the order of the samples so that results repeat exactly.
 */
#ifndef TAREI_CALIB_EVAL_EVAL_TALLY_H
#define TAREI_CALIB_EVAL_EVAL_TALLY_H

#include <tare/eval.h>

typedef struct tarei_tally {
  int64_t samples;
  bool compared;        /* a float output was compared with its reference */
  int64_t other_shapes; /* samples in which an output has another shape than its reference */
  double got2, want2, diff2, dot, max_abs;
  int64_t rows, agreed;
} tarei_tally;

/* Adds the valid parts of one output; got and want have the same rank and element type. Values that
 * one of them lacks count as zeros. Integers count as rows, which agree if they are equal. */
void tarei_tally_output(tarei_tally *tally, const tare_tensor *got, const int64_t *got_extents,
                        const tare_tensor *want, const int64_t *want_extents);

void tarei_tally_add(tarei_tally *into, const tarei_tally *from);
tare_eval_score tarei_tally_score(const tarei_tally *tally);

#endif
