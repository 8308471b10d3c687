/*
 * Log-mel features of one recording. The stages, each in its own file, are frames of windowed
 * samples, spectrum, mels, levels, and normalization.
 */
#ifndef TAREI_DATASETS_FEATURES_FEATURES_H
#define TAREI_DATASETS_FEATURES_FEATURES_H

#include "datasets/features/feature_spec.h"

/* Tables that all recordings use. They are read-only, so threads may share them. */
typedef struct tarei_features tarei_features;

tare_status tarei_features_new(const tarei_feature_spec *spec, tarei_features **out,
                               tare_error *err);
void tarei_features_free(tarei_features **features); /* NULL is fine; clears the handle */

const tarei_feature_spec *tarei_features_spec(const tarei_features *features);

/* Features of one recording. */
typedef struct tarei_feature_frames {
  float *values;  /* [n][mels]; free() it */
  int64_t n;      /* frames */
  int64_t n_full; /* number of valid frames, which is the length given to the model */
} tarei_feature_frames;

/* Computes only the number of frames for n > 0 samples; out->values is NULL. Fails like
 * tarei_features_compute. */
tare_status tarei_features_count(const tarei_features *features, int64_t n, int64_t max_elements,
                                 tarei_feature_frames *out, tare_error *err);

/* Computes features.
 * @param samples n > 0 samples at the rate of the spec, in [-1, 1]
 * @return TARE_OK, TARE_E_INPUT (too short for a frame, or more than max_elements values),
 *         TARE_E_MEMORY; out->values is set on success only */
tare_status tarei_features_compute(const tarei_features *features, const float *samples, int64_t n,
                                   int64_t max_elements, tarei_feature_frames *out,
                                   tare_error *err);

#endif
