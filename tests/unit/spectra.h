/* Weights of convolutions that compute spectra, in the forms that exporters have. */
#ifndef TAREI_TESTS_UNIT_SPECTRA_H
#define TAREI_TESTS_UNIT_SPECTRA_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef enum spectrum_form {
  SPECTRUM_BOTH,  /* all cosines, then all sines */
  SPECTRUM_TURNS, /* a cosine and a sine in turn, from the last bin to the first */
  SPECTRUM_COSINES,
  SPECTRUM_SINES,
  SPECTRUM_UPPER,    /* both, without bin 0 and the last bin */
  SPECTRUM_SCALED,   /* both, each output by a factor of its own */
  SPECTRUM_CENTERED, /* both, the phase counted from the middle, which lies between samples */
  SPECTRUM_FORMS
} spectrum_form;

static inline int64_t spectrum_outputs(const spectrum_form form, const int64_t n) {
  const int64_t bins = n / 2 + 1;
  return form == SPECTRUM_COSINES || form == SPECTRUM_SINES ? bins
         : form == SPECTRUM_UPPER                           ? 2 * (bins - 2)
                                                            : 2 * bins;
}

/* The cosine or sine of output o at sample t, without window. */
static inline double spectrum_wave(const spectrum_form form, const int64_t n, const int64_t taps,
                                   const int64_t o, const int64_t t) {
  const int64_t bins = form == SPECTRUM_UPPER ? n / 2 - 1 : n / 2 + 1;
  const int64_t bin =
      form == SPECTRUM_TURNS ? bins - 1 - o / 2 : o % bins + (form == SPECTRUM_UPPER);
  const int sine = form == SPECTRUM_SINES || (form == SPECTRUM_TURNS ? o % 2 : o >= bins);
  const double from = form == SPECTRUM_CENTERED ? (double)(taps - 1) / 2 : 0;
  const double angle = 2 * M_PI * (double)bin * ((double)t - from) / (double)n;
  const double factor = form == SPECTRUM_SCALED ? 0.01 + 0.3 * (double)(o % 7) : 1;
  return factor * (sine ? -sin(angle) : cos(angle));
}

/* [outputs][taps], under a window of Hann or, with `plain`, none. The caller frees it. */
static inline float *spectrum_weights(const spectrum_form form, const int64_t n, const int64_t taps,
                                      const int plain) {
  const int64_t outputs = spectrum_outputs(form, n);
  float *const w = malloc((size_t)(outputs * taps) * sizeof *w);
  for (int64_t i = 0; w && i < outputs * taps; i++) {
    const int64_t t = i % taps;
    const double window = plain ? 1 : 0.5 - 0.5 * cos(2 * M_PI * (double)t / (double)taps);
    w[i] = (float)(window * spectrum_wave(form, n, taps, i / taps, t));
  }
  return w;
}

#endif
