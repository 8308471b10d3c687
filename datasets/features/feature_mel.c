#include <math.h>

#include "base/mem.h"
#include "datasets/features/feature_stages.h"

/* A scale of pitch: Hz to mel and back. */
typedef struct scale {
  double (*to_mel)(double hz);
  double (*to_hz)(double mel);
} scale;

static double htk_to_mel(const double hz) {
  return 1127 * log1p(hz / 700);
}
static double htk_to_hz(const double mel) {
  return 700 * expm1(mel / 1127);
}

/* Slaney's Auditory Toolbox: straight up to 1000 Hz at 15 mel, then 27 mel for a factor of 6.4. */
#define SLANEY_HZ (200.0 / 3)
#define SLANEY_KNEE 1000.0
#define SLANEY_KNEE_MEL (SLANEY_KNEE / SLANEY_HZ)
#define SLANEY_STEPS 27.0
#define SLANEY_FACTOR 6.4

static double slaney_to_mel(const double hz) {
  return hz < SLANEY_KNEE
             ? hz / SLANEY_HZ
             : SLANEY_KNEE_MEL + log(hz / SLANEY_KNEE) * (SLANEY_STEPS / log(SLANEY_FACTOR));
}
static double slaney_to_hz(const double mel) {
  return mel < SLANEY_KNEE_MEL
             ? mel * SLANEY_HZ
             : SLANEY_KNEE * exp((mel - SLANEY_KNEE_MEL) * (log(SLANEY_FACTOR) / SLANEY_STEPS));
}

static const scale SCALES[TAREI_SCALE_COUNT] = {
    [TAREI_SCALE_HTK] = {htk_to_mel, htk_to_hz},
    [TAREI_SCALE_SLANEY] = {slaney_to_mel, slaney_to_hz},
};

static double highest(const tarei_feature_spec *const s) {
  return s->fmax > 0 ? s->fmax : (double)s->rate / 2 + s->fmax;
}

/* A triangle: its feet and top in the unit its sides are straight over, and its height. */
typedef struct triangle {
  double left, top, right, height;
} triangle;

static triangle triangle_of(const tarei_feature_spec *const s, const int64_t m) {
  const scale *const by = &SCALES[s->scale];
  const double low = by->to_mel(s->fmin), high = by->to_mel(highest(s));
  const double step = (high - low) / (double)(s->mels + 1);
  const double mel[] = {low + (double)m * step, low + (double)(m + 1) * step,
                        low + (double)(m + 2) * step};
  const double left = by->to_hz(mel[0]), right = by->to_hz(mel[2]);
  const double height = s->norm == TAREI_NORM_SLANEY ? 2 / (right - left) : 1;
  return s->triangles == TAREI_TRIANGLES_MEL ? (triangle){mel[0], mel[1], mel[2], height}
                                             : (triangle){left, by->to_hz(mel[1]), right, height};
}

static double weight(const tarei_feature_spec *const s, const triangle *const t,
                     const int64_t bin) {
  const double hz = (double)bin * (double)s->rate / (double)s->n_fft;
  const double at = s->triangles == TAREI_TRIANGLES_MEL ? SCALES[s->scale].to_mel(hz) : hz;
  const double up = (at - t->left) / (t->top - t->left);
  const double down = (t->right - at) / (t->right - t->top);
  return t->height * fmax(0, fmin(up, down));
}

tare_status tarei_mels_init(const tarei_feature_spec *const s, tarei_mels *const out,
                            tare_error *const err) {
  /* A bin lies under two triangles at most. */
  const int64_t n_bins = s->n_fft / 2 + 1;
  *out = (tarei_mels){.n = s->mels,
                      .mels = tarei_calloc((size_t)s->mels, sizeof *out->mels),
                      .weights = tarei_calloc(2 * (size_t)n_bins, sizeof *out->weights)};
  if (!out->mels || !out->weights) {
    return tarei_fail_memory(err, "mels", (size_t)n_bins * 2 * sizeof *out->weights);
  }
  double *to = out->weights;
  for (int64_t m = 0; m < s->mels; m++) {
    const triangle t = triangle_of(s, m);
    tarei_mel *const mel = &out->mels[m];
    mel->weights = to;
    for (int64_t bin = 0; bin < n_bins; bin++) {
      const double w = weight(s, &t, bin);
      if (w > 0) {
        mel->first = mel->n ? mel->first : bin;
        mel->n = bin - mel->first + 1;
        *to++ = w;
      }
    }
  }
  return TARE_OK;
}

void tarei_mels_fini(tarei_mels *const mels) {
  free(mels->mels);
  free(mels->weights);
  *mels = (tarei_mels){0};
}

void tarei_mels_of(const tarei_mels *const mels, const double *const spectrum, double *const out) {
  for (int64_t m = 0; m < mels->n; m++) {
    const tarei_mel *const mel = &mels->mels[m];
    double sum = 0;
    for (int64_t i = 0; i < mel->n; i++) {
      sum += mel->weights[i] * spectrum[mel->first + i];
    }
    out[m] = sum;
  }
}
