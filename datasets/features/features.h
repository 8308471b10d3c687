/*
 * Log-mel features of one recording. The stages, each in its file: frames of windowed samples,
 * spectrum, mels, levels, normalization.
 */
#ifndef TAREI_DATASETS_FEATURES_H
#define TAREI_DATASETS_FEATURES_H

#include "datasets/features/feature_spec.h"

/* Tables that all recordings share; not changed by their use, so that threads may share them too. */
typedef struct tarei_features tarei_features;

tare_status tarei_features_new(const tarei_feature_spec *spec, tarei_features **out,
                               tare_error *err);
void tarei_features_free(tarei_features **features); /* NULL is fine; clears the handle */

const tarei_feature_spec *tarei_features_spec(const tarei_features *features);

/* Features of one recording. */
typedef struct tarei_feature_frames {
  float *values;  /* [n][mels]; free() it */
  int64_t n;      /* frames */
  int64_t n_full; /* of these, frames that count: the length that a model is told */
} tarei_feature_frames;

/* How many frames n > 0 samples give, without computing any: out->values is NULL. Fails like
 * tarei_features_compute. */
tare_status tarei_features_count(const tarei_features *features, int64_t n, int64_t max_elements,
                                 tarei_feature_frames *out, tare_error *err);

/* @param samples n > 0 of them at the rate of the spec, in [-1, 1]
 * @return TARE_OK, TARE_E_INPUT (too short for a frame, or more than max_elements values),
 *         TARE_E_MEMORY; out->values is set on success only */
tare_status tarei_features_compute(const tarei_features *features, const float *samples, int64_t n,
                                   int64_t max_elements, tarei_feature_frames *out,
                                   tare_error *err);

#endif
