/* An activation that only bounds its values, done on bytes: rounding keeps the order. */
#ifndef TAREI_KERNELS_X86_BYTE_BOUNDS_H
#define TAREI_KERNELS_X86_BYTE_BOUNDS_H

#include <math.h>
#include <stdbool.h>

#include "kernels/kernels.h"
#include "kernels/requant.h"

/* min(max(x, low), high) */
typedef struct byte_bounds {
  uint8_t low, high;
} byte_bounds;

static inline bool has_byte_bounds(const tarei_epilogue *e) {
  return e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu ||
         (e->act == TAREI_ACT_clip && !isnan(e->act_a) && !isnan(e->act_b));
}

static inline byte_bounds byte_bounds_of(const tarei_epilogue *e) {
  byte_bounds b = {0, 255};
  if (e->act == TAREI_ACT_relu) {
    b.low = (uint8_t)e->zero_point;
  } else if (e->act == TAREI_ACT_clip) {
    b.low = tarei_requant_u8(e->act_a, e->inv_scale, e->zero_point);
    b.high = tarei_requant_u8(e->act_b, e->inv_scale, e->zero_point);
  }
  return b;
}

#endif
