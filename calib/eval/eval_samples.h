/* Facts about the samples of an evaluation: which they were, and how long. */
#ifndef TAREI_CALIB_EVAL_EVAL_SAMPLES_H
#define TAREI_CALIB_EVAL_EVAL_SAMPLES_H

#include <tare/eval.h>

#include "shapes/fit.h"

typedef struct tarei_eval_samples {
  const tare_profiles *profiles;
  const tare_streaming *streaming; /* if it cuts samples into chunks; NULL: they run whole */
  int n_lengths;                   /* kept of each sample: one for each symbol, or for its chunks */
  struct tarei_eval_samples_item {
    size_t name; /* place in `names` */
    int profile;
  } * items;
  int64_t *lengths; /* [n][n_lengths] */
  char *names;      /* each with a zero behind it */
  int64_t n;
  size_t cap, name_bytes, cap_names;
} tarei_eval_samples;

/* `streaming` may be NULL. Zero-initialize `samples` first, and free it with _fini. */
void tarei_eval_samples_init(tarei_eval_samples *samples, const tare_profiles *profiles,
                             const tare_streaming *streaming);
void tarei_eval_samples_fini(tarei_eval_samples *samples);

/* Notes a sample, which counts when it is kept; otherwise the next one takes its place. n_chunks is
 * 1 for a sample that ran whole. */
tare_status tarei_eval_samples_note(tarei_eval_samples *samples, const char *name,
                                    const tarei_fitted *fitted, int64_t n_chunks, tare_error *err);
void tarei_eval_samples_keep(tarei_eval_samples *samples);

/* Moves the facts into a result. */
tare_status tarei_eval_samples_conclude(tarei_eval_samples *samples, tare_eval_result *result,
                                        tare_error *err);

#endif
