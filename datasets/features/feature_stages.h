/* The stages of features, in their order. */
#ifndef TAREI_DATASETS_FEATURES_FEATURE_STAGES_H
#define TAREI_DATASETS_FEATURES_FEATURE_STAGES_H

#include "datasets/features/feature_spec.h"

/* Frames: windowed samples. */

/* spec->win values. */
void tarei_feature_window(const tarei_feature_spec *spec, double *out);

/* A recording as frames see it. */
typedef struct tarei_recording {
  const tarei_feature_spec *spec;
  const float *samples;
  int64_t n_real; /* of samples */
  int64_t n;      /* with zeros behind, or cut */
} tarei_recording;

tarei_recording tarei_recording_of(const tarei_feature_spec *spec, const float *samples, int64_t n);

/* Frames of a recording. TARE_E_INPUT when it is too short for one. */
tare_status tarei_recording_frames(const tarei_recording *recording, int64_t *out, tare_error *err);

/* Frame i, times the window: spec->win values. */
void tarei_recording_frame(const tarei_recording *recording, int64_t i, const double *window,
                           double *out);

/* Spectrum: magnitudes to the power of spec->power. */
typedef struct tarei_spectrum tarei_spectrum;
tare_status tarei_spectrum_new(const tarei_feature_spec *spec, tarei_spectrum **out,
                               tare_error *err);
void tarei_spectrum_free(tarei_spectrum **spectrum); /* NULL is fine */

/* n_fft / 2 + 1 values of a frame; not const: it has scratch memory. */
void tarei_spectrum_of(tarei_spectrum *spectrum, const double *frame, double *out);

/* Mels: weighted sums over bins of the spectrum, of which each mel has a run. */
typedef struct tarei_mel {
  int64_t first, n; /* bins */
  const double *weights;
} tarei_mel;
typedef struct tarei_mels {
  int64_t n;
  tarei_mel *mels;
  double *weights; /* of all */
} tarei_mels;
tare_status tarei_mels_init(const tarei_feature_spec *spec, tarei_mels *out, tare_error *err);
void tarei_mels_fini(tarei_mels *mels);
void tarei_mels_of(const tarei_mels *mels, const double *spectrum, double *out);

/* Levels: the log of a frame's mels, and the range of a whole recording. */
void tarei_feature_log(const tarei_feature_spec *spec, const double *mels, float *out);
void tarei_feature_range(const tarei_feature_spec *spec, float *values, int64_t n_frames);

/* Normalization over frames [0, n_full) of a whole recording. */
void tarei_feature_normalize(const tarei_feature_spec *spec, float *values, int64_t n_frames,
                             int64_t n_full);

#endif
