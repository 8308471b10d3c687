/* Where one row of a recurrent layer's state goes; either pointer may be NULL. */
#ifndef TAREI_KERNELS_GENERIC_RECURRENT_STATE_SINK_H
#define TAREI_KERNELS_GENERIC_RECURRENT_STATE_SINK_H

#include "kernels/generic/quantize16.h"

typedef struct state_sink {
  float *f32;
  uint8_t *u8;
  quantizer q;
} state_sink;

TAREI_INLINE state_sink state_sink_of(const tarei_state_out *out, size_t m) {
  return (state_sink){out->f32 ? out->f32 + m * out->ld_f32 : NULL,
                      out->u8 ? out->u8 + m * out->ld_u8 : NULL,
                      quantizer_for(out->inv_scale, out->zero_point)};
}

TAREI_INLINE void state_put(const state_sink *s, size_t i, v16 v, size_t n) {
  if (s->f32) {
    v_store_n(s->f32 + i, v, n);
  }
  if (s->u8) {
    i_store_u8_n(s->u8 + i, v_quantize(&s->q, v), n);
  }
}

/* to -limit..limit; NaN goes through */
TAREI_INLINE v16 v_clip(v16 v, v16 limit) { return v_min(limit, v_max(v_neg(limit), v)); }

#endif
