/* A transform in single precision, as the programs have it that models were trained with. */
#include <kiss_fftr.h>
#include <math.h>

#include "base/mem.h"
#include "datasets/features/feature_stages.h"

struct tarei_spectrum {
  const tarei_feature_spec *spec;
  kiss_fftr_cfg fft;
  float *in; /* n_fft; zeros behind the window */
  kiss_fft_cpx *out;
};

tare_status tarei_spectrum_new(const tarei_feature_spec *const spec, tarei_spectrum **const out,
                               tare_error *const err) {
  const size_t n = (size_t)spec->n_fft;
  tarei_spectrum *s = tarei_calloc(1, sizeof *s);
  if (s) {
    s->spec = spec;
    s->fft = kiss_fftr_alloc((int)n, 0 /* forward */, NULL, NULL);
    s->in = tarei_calloc(n, sizeof *s->in);
    s->out = tarei_calloc(n / 2 + 1, sizeof *s->out);
  }
  if (!s || !s->fft || !s->in || !s->out) {
    tarei_spectrum_free(&s);
    return tarei_fail_memory(err, "a spectrum", n * sizeof(float));
  }
  *out = s;
  return TARE_OK;
}

void tarei_spectrum_free(tarei_spectrum **const spectrum) {
  tarei_spectrum *const s = *spectrum;
  if (s) {
    kiss_fftr_free(s->fft);
    free(s->in);
    free(s->out);
    free(s);
  }
  *spectrum = NULL;
}

void tarei_spectrum_of(tarei_spectrum *const s, const double *const frame, double *const out) {
  for (int64_t i = 0; i < s->spec->win; i++) {
    s->in[i] = (float)frame[i];
  }
  kiss_fftr(s->fft, s->in, s->out);
  for (int64_t i = 0; i <= s->spec->n_fft / 2; i++) {
    const double re = (double)s->out[i].r, im = (double)s->out[i].i;
    const double square = re * re + im * im;
    out[i] = s->spec->power == 2 ? square : pow(square, s->spec->power / 2);
  }
}
