/* What the kernels of rows have in common. */
#ifndef TAREI_KERNELS_GENERIC_ROW_SINK_H
#define TAREI_KERNELS_GENERIC_ROW_SINK_H

#include "kernels/generic/quantize16.h"

/* Where a finished row goes; either pointer may be NULL. */
typedef struct row_sink {
  float *out_f32;
  uint8_t *out_u8;
  quantizer q;
} row_sink;

TAREI_INLINE void row_put(const row_sink *s, size_t i, v16 v, size_t n) {
  if (s->out_f32) {
    v_store_n(s->out_f32 + i, v, n);
  }
  if (s->out_u8) {
    i_store_u8_n(s->out_u8 + i, v_quantize(&s->q, v), n);
  }
}

/* Lanes beyond n take `fill`. */
TAREI_INLINE v16 v_fill(v16 v, size_t n, float fill) {
  return n == TAREI_LANES ? v : v_select(m_first(n), v, v_set1(fill));
}

/* Several chains hide the latency of their operation. */
enum { CHAINS = 4, CHAINED = CHAINS * TAREI_LANES };

#endif
