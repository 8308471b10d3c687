#include <math.h>

#include "datasets/features/feature_stages.h"

#define PI 3.14159265358979323846

typedef double (*window_fn)(double phase);

static double hann(const double phase) {
  return 0.5 - 0.5 * cos(phase);
}
static double hamming(const double phase) {
  return 0.54 - 0.46 * cos(phase);
}
static double blackman(const double phase) {
  return 0.42 - 0.5 * cos(phase) + 0.08 * cos(2 * phase);
}
static double povey(const double phase) {
  return pow(hann(phase), 0.85);
}
static double rectangular(const double phase) {
  (void)phase;
  return 1;
}

static const window_fn WINDOWS[TAREI_WINDOW_COUNT] = {
    [TAREI_WINDOW_HANN] = hann,
    [TAREI_WINDOW_HAMMING] = hamming,
    [TAREI_WINDOW_BLACKMAN] = blackman,
    [TAREI_WINDOW_POVEY] = povey,
    [TAREI_WINDOW_RECTANGULAR] = rectangular,
};

void tarei_feature_window(const tarei_feature_spec *const spec, double *const out) {
  const int64_t period = spec->periodic || spec->win == 1 ? spec->win : spec->win - 1;
  for (int64_t i = 0; i < spec->win; i++) {
    out[i] = WINDOWS[spec->window](2 * PI * (double)i / (double)period);
  }
}
