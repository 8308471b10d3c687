#include "tools/profiles/latency_curve.h"

#include <math.h>

int64_t latency_curve_ns(const latency_curve *const c, const int64_t length) {
  int i = 0;
  while (i + 2 < c->n && c->lengths[i + 1] < length) {
    i++;
  }
  const double from = (double)c->lengths[i], ms = c->ms[i];
  if (c->n == 1) {
    return llround(1e6 * ms);
  }
  const double slope = (c->ms[i + 1] - ms) / ((double)c->lengths[i + 1] - from);
  return llround(1e6 * (ms + slope * ((double)length - from)));
}
