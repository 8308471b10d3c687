#include <math.h>
#include <string.h>

#include "kernels/registry.h"

static bool all_inside(const tarei_observe *o) {
  const float limit = ldexpf((float)o->bins, o->exponent);
  for (size_t i = 0; i < o->n_rows * o->n_columns; i++) {
    if (!(fabsf(o->x[i]) < limit)) {
      return false;
    }
  }
  return true;
}

static void observe_row(tarei_observe *o, const float *x) {
  float amax = 0;
  for (size_t i = 0; i < o->n_columns; i++) {
    const float v = x[i] + 0.0f; /* no negative zero: the order would show */
    const int bin = (int)ldexpf(fabsf(v), -o->exponent);
    o->counts[(v < 0) * TAREI_OBSERVE_BINS + bin]++;
    o->pages[v < 0] |= UINT64_C(1) << bin / TAREI_OBSERVE_PAGE;
    o->min = v < o->min ? v : o->min;
    o->max = v > o->max ? v : o->max;
    amax = fmaxf(amax, fabsf(v));
  }
  if (o->rows) {
    uint32_t bits;
    memcpy(&bits, &amax, sizeof bits);
    o->rows[bits >> 23]++;
  }
}

bool tarei_k_observe_f32_1__scalar(tarei_observe *o) {
  o->pages[0] = o->pages[1] = 0;
  if (!all_inside(o)) {
    return false;
  }
  for (size_t r = 0; r < o->n_rows && o->n_columns; r++) {
    observe_row(o, o->x + r * o->n_columns);
  }
  return true;
}
