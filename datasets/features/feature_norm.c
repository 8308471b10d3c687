#include <math.h>

#include "datasets/features/feature_stages.h"

static const double DEVIATION_GUARD = 1e-5; /* NeMo's: added to each deviation */

/* Values that are normalized together: n rows of `width`, a stride apart. */
typedef struct feature_norm_group {
  float *values;
  int64_t n, width, stride;
} feature_norm_group;

static void feature_norm_move(const feature_norm_group *const g, const double mean,
                              const double factor) {
  for (int64_t i = 0; i < g->n; i++) {
    for (int64_t k = 0; k < g->width; k++) {
      float *const x = &g->values[i * g->stride + k];
      *x = (float)(((double)*x - mean) * factor);
    }
  }
}

static double feature_norm_mean_of(const feature_norm_group *const g) {
  double sum = 0;
  for (int64_t i = 0; i < g->n; i++) {
    for (int64_t k = 0; k < g->width; k++) {
      sum += (double)g->values[i * g->stride + k];
    }
  }
  return sum / (double)(g->n * g->width);
}

/* Without bias; 0 for a single value. */
static double deviation_of(const feature_norm_group *const g, const double mean) {
  double sum = 0;
  for (int64_t i = 0; i < g->n; i++) {
    for (int64_t k = 0; k < g->width; k++) {
      const double d = (double)g->values[i * g->stride + k] - mean;
      sum += d * d;
    }
  }
  const int64_t n = g->n * g->width;
  return n > 1 ? sqrt(sum / (double)(n - 1)) : 0;
}

static void subtract_mean(const feature_norm_group *const g) {
  feature_norm_move(g, feature_norm_mean_of(g), 1);
}

static void standardize(const feature_norm_group *const g) {
  const double mean = feature_norm_mean_of(g);
  feature_norm_move(g, mean, 1 / (deviation_of(g, mean) + DEVIATION_GUARD));
}

static void as_whisper(const feature_norm_group *const g) {
  feature_norm_move(g, -4, 0.25);
}

static const struct {
  void (*normalize)(const feature_norm_group *g); /* NULL: nothing */
  bool by_mel;                                    /* each mel is a group, else all of them */
} NORMALIZATIONS[TAREI_NORMALIZE_COUNT] = {
    [TAREI_NORMALIZE_NONE] = {NULL, false},
    [TAREI_NORMALIZE_WHISPER] = {as_whisper, false},
    [TAREI_NORMALIZE_MEAN] = {subtract_mean, true},
    [TAREI_NORMALIZE_PER_FEATURE] = {standardize, true},
    [TAREI_NORMALIZE_ALL_FEATURES] = {standardize, false},
};

void tarei_feature_normalize(const tarei_feature_spec *const s, float *const values,
                             const int64_t n_frames, const int64_t n_full) {
  void (*const normalize)(const feature_norm_group *) = NORMALIZATIONS[s->normalize].normalize;
  const bool by_mel = NORMALIZATIONS[s->normalize].by_mel;
  for (int64_t m = 0; normalize && n_full > 0 && m < (by_mel ? s->mels : 1); m++) {
    normalize(&(feature_norm_group){values + m, n_full, by_mel ? 1 : s->mels, s->mels});
  }
  for (int64_t i = n_full * s->mels; i < n_frames * s->mels; i++) {
    values[i] = 0;
  }
}
