/*
 * The features that feed a model: log-mel spectra as defined by the programs with which models are
 * trained. A preset (presets.inc) sets everything, options (options.inc) change single settings.
 */
#ifndef TAREI_DATASETS_FEATURES_FEATURE_SPEC_H
#define TAREI_DATASETS_FEATURES_FEATURE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* The values of options that are names: choices.inc. */
#define TAREI_CHOICES(list) enum { TAREI_##list##_UNSET = -1,
#define TAREI_CHOICE(list, id, name) TAREI_##list##_##id,
#define TAREI_CHOICES_END(list) \
  TAREI_##list##_COUNT          \
  }                             \
  ;
#include "datasets/features/choices.inc"
#undef TAREI_CHOICES
#undef TAREI_CHOICE
#undef TAREI_CHOICES_END

typedef struct tarei_feature_spec {
  const char *name; /* of the preset */
  /* the recording */
  int64_t rate; /* Hz */
  double gain;  /* factor on samples in [-1, 1] */
  int64_t pad;  /* samples to which a recording is padded or cut; 0: unchanged */
  double preemph;
  int64_t preemph_frames; /* on each frame; otherwise on the recording */
  /* frames */
  int64_t n_fft, win, hop; /* samples; win <= n_fft, the rest is zeros */
  int64_t edges;
  int64_t window, periodic; /* of period win, else win - 1 */
  int64_t remove_dc;        /* subtract the mean of each frame */
  int64_t drop_last;        /* omit the last frame */
  /* mels */
  double power; /* of the magnitude */
  int64_t mels;
  double fmin, fmax; /* Hz; fmax <= 0 is relative to half the rate */
  int64_t scale, triangles, norm;
  /* levels */
  int64_t log, guard;
  double floor;
  double range; /* maximum distance below the largest value, in units of the log; 0: no limit */
  int64_t normalize;
  /* the tensor */
  int64_t mask_last; /* frames that begin with less than a full hop are zeros, and do not count */
  int64_t pad_to;    /* zero frames are added up to a multiple; 0: none */
  int64_t layout;
  bool layout_given; /* by an option, not by the preset */
} tarei_feature_spec;

/* "PRESET[,KEY=VALUE...]". TARE_E_USAGE names what is unknown, out of range or inconsistent.
 * The text is not kept. */
tare_status tarei_feature_spec_parse(const char *text, tarei_feature_spec *out, tare_error *err);

#endif
