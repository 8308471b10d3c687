/* Instantiated once per ISA. */
#include "kernels/generic/act16.h"
#include "kernels/generic/epilogue.h"
#include "kernels/generic/quantize16.h"

typedef v16 act16_fn(v16 x, v16 a, v16 b);

/* Sixteen columns or fewer, all rows. A missing multiplier is 1 and a missing bias is -0, which
 * change no float: that keeps branches out of the loop. */
TAREI_INLINE void finish_stripe(const tarei_epilogue *e, const tarei_tile *t, size_t j, size_t n,
                                act16_fn *act) {
  const size_t col = t->n0 + j;
  const v16 mult = e->mult ? v_load_n(e->mult + col, n) : v_set1(1.0f);
  const v16 bias = e->bias ? v_load_n(e->bias + col, n) : v_set1(-0.0f);
  const v16 a = v_set1(e->act_a);
  const v16 b = v_set1(e->act_b);
  const quantizer q = quantizer_for(e->inv_scale, e->zero_point);
  for (size_t i = 0; i < t->rows; i++) {
    const size_t m = t->m0 + i;
    v16 f = v_mul(v_load(t->values + i * t->ld + j), mult);
    if (e->row_mult) {
      f = v_mul(f, v_set1(e->row_mult[m]));
    }
    f = act(v_add(f, bias), a, b);
    if (e->residual) {
      f = v_add(f, v_load_n(e->residual + m * e->ld_residual + col, n));
    }
    if (e->out_f32) {
      v_store_n(e->out_f32 + m * e->ld_f32 + col, f, n);
    }
    if (e->out_u8) {
      i_store_u8_n(e->out_u8 + m * e->ld_u8 + col, v_quantize(&q, f), n);
    }
  }
}

TAREI_INLINE void finish_tile(const tarei_epilogue *e, const tarei_tile *t, act16_fn *act) {
  const tarei_epilogue local = *e; /* stores through out_u8 must not make it be read again */
  size_t j = 0;
  for (; j + TAREI_LANES <= t->cols; j += TAREI_LANES) {
    finish_stripe(&local, t, j, TAREI_LANES, act);
  }
  if (j < t->cols) {
    finish_stripe(&local, t, j, t->cols - j, act);
  }
}

#define DEFINE_FINISH(name, value, expression)                               \
  static void finish_##name(const tarei_epilogue *e, const tarei_tile *t) {  \
    finish_tile(e, t, act16_##name);                                         \
  }
ACTIVATIONS(DEFINE_FINISH)
#undef DEFINE_FINISH

void TAREI_K(tarei_epilogue)(const tarei_epilogue *e, const tarei_tile *t) {
#define FINISH_OF(name, value, expression) [value] = finish_##name,
  static void (*const finish[TAREI_ACT_COUNT])(const tarei_epilogue *, const tarei_tile *) = {
      ACTIVATIONS(FINISH_OF)};
#undef FINISH_OF
  finish[e->act](e, t);
}
