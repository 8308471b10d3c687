/* Constants in the outputs of a run: values that no layer decides (calib/eval/measure.h). */
#ifndef TAREI_CALIB_EVAL_EVAL_CONSTANTS_H
#define TAREI_CALIB_EVAL_EVAL_CONSTANTS_H

#include "calib/eval/eval_side.h"
#include "calib/eval/eval_tally.h"
#include "calib/eval/kept_tensor.h"

typedef struct tarei_valid_extents {
  int64_t of[TARE_MAX_RANK];
} tarei_valid_extents;

/* All arrays are by side and output, or by output. */
typedef struct tarei_eval_constants {
  int n_outputs;
  tarei_valid_extents *extents; /* of the outputs of each side */
  double *bounds;               /* tarei_sizes_bound, for each side beside the reference */
  bool *plain;                  /* no value is a constant */
  tare_tensor *muted;      /* outputs of a muted run, views into the context; data NULL: none */
  tarei_kept_tensor *kept; /* outputs of the reference before it */
  bool *suspect;           /* values of the output may be constants */
  tarei_sizes_seen *seen;
  bool is_mutable; /* the reference is */
} tarei_eval_constants;

/* For n_sides sides, of which `reference` is one. Zero-initialize `constants` first, and free it
 * with _fini. */
tare_status tarei_eval_constants_init(tarei_eval_constants *constants, const tare_plan *reference,
                                      int n_sides, int n_outputs, tare_error *err);
void tarei_eval_constants_fini(tarei_eval_constants *constants);

/* The sides of an evaluation after a run of the same sample. */
typedef struct tarei_eval_runs {
  tarei_eval_side *sides;
  int n_sides, reference;     /* below 0: none */
  const tarei_fitted *fitted; /* what they ran; NULL: each its own */
} tarei_eval_runs;

/* Finds extents, and beside a reference what are constants. If that takes a muted run, the outputs
 * of the reference are copies from then on. */
tare_status tarei_eval_constants_find(tarei_eval_constants *constants, const tarei_eval_runs *runs,
                                      tare_error *err);

/* Output o of side s beside that of the reference, with muted values where some are constants. */
tarei_output_pair tarei_eval_constants_pair(const tarei_eval_constants *constants,
                                            const tarei_eval_runs *runs, int s, int o);

#endif
