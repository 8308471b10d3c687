/*
 * What the features in front of a model are: log-mel spectra by the definitions of the programs that
 * models were trained with. A preset (presets.inc) says all of it, options (options.inc) change
 * single things.
 */
#ifndef TAREI_DATASETS_FEATURE_SPEC_H
#define TAREI_DATASETS_FEATURE_SPEC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/* What an option takes that takes names: choices.inc. */
#define TAREI_CHOICES(list) enum { TAREI_##list##_UNSET = -1,
#define TAREI_CHOICE(list, id, name) TAREI_##list##_##id,
#define TAREI_CHOICES_END(list) TAREI_##list##_COUNT };
#include "datasets/features/choices.inc"
#undef TAREI_CHOICES
#undef TAREI_CHOICE
#undef TAREI_CHOICES_END

typedef struct tarei_feature_spec {
  const char *name; /* of the preset */
  /* the recording */
  int64_t rate; /* Hz */
  double gain;  /* factor on samples in [-1, 1] */
  int64_t pad;  /* samples that a recording is padded with zeros or cut to; 0: as it is */
  double preemph;
  int64_t preemph_frames; /* each frame by itself, else the recording */
  /* frames */
  int64_t n_fft, win, hop; /* samples; win <= n_fft, the rest is zeros */
  int64_t edges;
  int64_t window, periodic; /* of period win, else win - 1 */
  int64_t remove_dc;        /* take the mean of each frame away */
  int64_t drop_last;        /* leave the last frame out */
  /* mels */
  double power; /* of the magnitude */
  int64_t mels;
  double fmin, fmax; /* Hz; fmax <= 0 counts from half the rate */
  int64_t scale, triangles, norm;
  /* levels */
  int64_t log, guard;
  double floor;
  double range; /* in units of the log: nothing lies further below the largest value; 0: no limit */
  int64_t normalize;
  /* the tensor */
  int64_t mask_last; /* zeros in frames that begin with no full hop, which do not count either */
  int64_t pad_to;    /* zero frames up to a multiple; 0: none */
  int64_t layout;
  bool layout_given; /* by an option, not by the preset */
} tarei_feature_spec;

/* "PRESET[,KEY=VALUE...]". TARE_E_USAGE names what is unknown, out of range or inconsistent.
 * Nothing is kept of the text. */
tare_status tarei_feature_spec_parse(const char *text, tarei_feature_spec *out, tare_error *err);

#endif
