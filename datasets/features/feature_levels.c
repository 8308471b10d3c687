#include <math.h>

#include "datasets/features/feature_stages.h"

static double none(const double x) {
  return x;
}
static double decibel(const double x) {
  return 10 * log10(x);
}

static double (*const LOGS[TAREI_LOG_COUNT])(double) = {
    [TAREI_LOG_NONE] = none,
    [TAREI_LOG_LN] = log,
    [TAREI_LOG_LOG10] = log10,
    [TAREI_LOG_DB] = decibel,
};

void tarei_feature_log(const tarei_feature_spec *const s, const double *const mels,
                       float *const out) {
  const bool guarded = s->log != TAREI_LOG_NONE;
  for (int64_t m = 0; m < s->mels; m++) {
    const double safe = !guarded                      ? mels[m]
                        : s->guard == TAREI_GUARD_ADD ? mels[m] + s->floor
                        : mels[m] < s->floor          ? s->floor
                                                      : mels[m];
    out[m] = (float)LOGS[s->log](safe);
  }
}

void tarei_feature_range(const tarei_feature_spec *const s, float *const values,
                         const int64_t n_frames) {
  if (s->range == 0) {
    return;
  }
  float most = -INFINITY;
  for (int64_t i = 0; i < n_frames * s->mels; i++) {
    most = fmaxf(most, values[i]);
  }
  const float least = (float)((double)most - s->range);
  for (int64_t i = 0; i < n_frames * s->mels; i++) {
    values[i] = fmaxf(values[i], least);
  }
}
