#include "calib/evidence/origins.h"

#include <math.h>

/* Ends of the slices in units of 1/256 of all hashes: halves, and between them three quarters. */
static const int slice_ends[TAREI_SLICES] = {1,  2,  3,  4,  6,  8,   12,  16,
                                             24, 32, 48, 64, 96, 128, 192, 256};

void tarei_origins_init(tarei_origins *const origins) {
  *origins = (tarei_origins){0};
  for (int i = 0; i < TAREI_SLICES; i++) {
    origins->slice_min[i] = INFINITY;
    origins->slice_max[i] = -INFINITY;
  }
}

int tarei_slice_of(const tarei_sample_hash sample) {
  const int top = (int)(sample.high >> 56);
  int slice = 0;
  while (top >= slice_ends[slice]) {
    slice++;
  }
  return slice;
}

static float origins_lowest(const tarei_origins *const o) {
  float low = INFINITY;
  for (int i = 0; i < TAREI_SLICES; i++) {
    low = fminf(low, o->slice_min[i]);
  }
  return low;
}

static float origins_highest(const tarei_origins *const o) {
  float high = -INFINITY;
  for (int i = 0; i < TAREI_SLICES; i++) {
    high = fmaxf(high, o->slice_max[i]);
  }
  return high;
}

/* Whether a sample takes the place of another one. */
static bool origins_goes_before(const float extreme, const tarei_sample_hash sample,
                                const float held, const tarei_sample_hash holder) {
  return extreme < held || (extreme == held && tarei_sample_hash_order(&sample, &holder) < 0);
}

void tarei_origins_note(tarei_origins *const o, const tarei_sample_hash sample, const float min,
                        const float max) {
  if (!(min <= max)) {
    return;
  }
  const int slice = tarei_slice_of(sample);
  o->min = origins_goes_before(min, sample, origins_lowest(o), o->min) ? sample : o->min;
  o->max = origins_goes_before(-max, sample, -origins_highest(o), o->max) ? sample : o->max;
  o->slice_min[slice] = fminf(o->slice_min[slice], min);
  o->slice_max[slice] = fmaxf(o->slice_max[slice], max);
}

void tarei_origins_merge(tarei_origins *const o, const tarei_origins *const other) {
  const float low = origins_lowest(other), high = origins_highest(other);
  if (!(low <= high)) {
    return;
  }
  o->min = origins_goes_before(low, other->min, origins_lowest(o), o->min) ? other->min : o->min;
  o->max =
      origins_goes_before(-high, other->max, -origins_highest(o), o->max) ? other->max : o->max;
  for (int i = 0; i < TAREI_SLICES; i++) {
    o->slice_min[i] = fminf(o->slice_min[i], other->slice_min[i]);
    o->slice_max[i] = fmaxf(o->slice_max[i], other->slice_max[i]);
  }
}

bool tarei_origins_are_sound(const tarei_origins *const o, const float min, const float max) {
  const tarei_sample_hash none = {0};
  for (int i = 0; i < TAREI_SLICES; i++) {
    const bool empty = o->slice_min[i] == INFINITY && o->slice_max[i] == -INFINITY;
    const bool ranged = isfinite(o->slice_min[i]) && isfinite(o->slice_max[i]) &&
                        o->slice_min[i] <= o->slice_max[i];
    if (!empty && !ranged) {
      return false;
    }
  }
  if (origins_lowest(o) != min || origins_highest(o) != max) {
    return false;
  }
  return min <= max ? o->slice_min[tarei_slice_of(o->min)] == min &&
                          o->slice_max[tarei_slice_of(o->max)] == max
                    : tarei_sample_hash_order(&o->min, &none) == 0 &&
                          tarei_sample_hash_order(&o->max, &none) == 0;
}
