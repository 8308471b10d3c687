/* Instantiated once per ISA. */
#include "kernels/generic/act16.h"
#include "kernels/generic/epilogue.h"
#include "kernels/generic/quantize16.h"

/* A residual of bytes. */
TAREI_INLINE v16 epilogue_residual(const uint8_t *residual, size_t n, v16i zero, v16 scale) {
  return v_mul(i_to_float(i_sub(i_load_u8_n(residual, n), zero)), scale);
}

TAREI_INLINE void epilogue_put_bytes(const quantizer *q, const uint8_t *table, v16 f, size_t n,
                                     uint8_t *out) {
  i_store_u8_n(out, v_quantize(q, f), n);
  for (size_t k = 0; table && k < n; k++) {
    out[k] = table[out[k]];
  }
}

/* Sixteen columns or fewer, all rows. A missing multiplier is 1, which changes no float. The tests
 * in the loop do not depend on it: the compiler makes loops of their own for what matters. */
TAREI_INLINE void finish_stripe(const tarei_epilogue *e, const tarei_tile *t, size_t j, size_t n,
                                act16_fn *act) {
  const size_t col = t->n0 + j;
  const v16 mult = e->mult ? v_load_n(e->mult + col, n) : v_set1(1.0f);
  const v16 bias = e->bias ? v_load_n(e->bias + col, n) : v_set1(0.0f);
  const v16 a = v_set1(e->act_a);
  const v16 b = v_set1(e->act_b);
  const quantizer q = quantizer_for(e->inv_scale, e->zero_point);
  const float *values = t->values + j;
  const float *upper = e->upper ? e->upper + t->m0 * e->ld_upper + col : NULL;
  const float *const row_mult = e->row_mult ? e->row_mult + t->m0 : NULL;
  const float *residual = e->residual ? e->residual + t->m0 * e->ld_residual + col : NULL;
  const uint8_t *residual_u8 =
      e->residual_u8 ? e->residual_u8 + t->m0 * e->ld_residual + col : NULL;
  const v16i residual_zero = i_set1(e->residual_zero_point);
  const v16 residual_scale = v_set1(e->residual_scale);
  float *out_f32 = e->out_f32 ? e->out_f32 + t->m0 * e->ld_f32 + col : NULL;
  uint8_t *out_u8 = e->out_u8 ? e->out_u8 + t->m0 * e->ld_u8 + col : NULL;
  for (size_t i = 0; i < t->rows; i++) {
    v16 f = v_load(values);
    values += t->ld;
    if (upper) {
      f = v_fma(v_load_n(upper, n), v_set1(256.0f), f);
      upper += e->ld_upper;
    }
    f = v_mul(f, mult);
    if (row_mult) {
      f = v_mul(f, v_set1(row_mult[i]));
    }
    f = e->bias ? v_add(f, bias) : f;
    f = e->act_last ? f : act(f, a, b);
    if (residual) {
      f = v_add(f, v_load_n(residual, n));
      residual += e->ld_residual;
    }
    if (residual_u8) {
      f = v_add(f, epilogue_residual(residual_u8, n, residual_zero, residual_scale));
      residual_u8 += e->ld_residual;
    }
    f = e->act_last ? act(f, a, b) : f;
    if (out_f32) {
      v_store_n(out_f32, f, n);
      out_f32 += e->ld_f32;
    }
    if (out_u8) {
      epilogue_put_bytes(&q, e->table, f, n, out_u8);
      out_u8 += e->ld_u8;
    }
  }
}

/* Floats or bytes of sums with a bias at most, and nothing else: without the tests in each row. A
 * missing bias is -0, which changes no float. */
TAREI_INLINE bool are_alone(const tarei_epilogue *e) {
  return !e->out_f32 != !e->out_u8 && !e->upper && !e->mult && !e->row_mult && !e->residual &&
         !e->residual_u8 && !e->table;
}

TAREI_INLINE void finish_floats_alone(const tarei_epilogue *e, const tarei_tile *t, size_t j,
                                      size_t n, act16_fn *act) {
  const size_t col = t->n0 + j, ld = t->ld, ld_out = e->ld_f32, rows = t->rows;
  const v16 bias = e->bias ? v_load_n(e->bias + col, n) : v_set1(-0.0f);
  const v16 a = v_set1(e->act_a), b = v_set1(e->act_b);
  const float *const values = t->values + j;
  float *const out = e->out_f32 + t->m0 * ld_out + col;
  for (size_t i = 0; i < rows; i++) {
    v_store_n(out + i * ld_out, act(v_add(v_load(values + i * ld), bias), a, b), n);
  }
}

TAREI_INLINE void finish_bytes_alone(const tarei_epilogue *e, const tarei_tile *t, size_t j,
                                     size_t n, act16_fn *act) {
  const size_t col = t->n0 + j, ld = t->ld, ld_out = e->ld_u8, rows = t->rows;
  const v16 bias = e->bias ? v_load_n(e->bias + col, n) : v_set1(-0.0f);
  const v16 a = v_set1(e->act_a), b = v_set1(e->act_b);
  const quantizer q = quantizer_for(e->inv_scale, e->zero_point);
  const float *const values = t->values + j;
  uint8_t *const out = e->out_u8 + t->m0 * ld_out + col;
  for (size_t i = 0; i < rows; i++) {
    const v16 f = act(v_add(v_load(values + i * ld), bias), a, b);
    i_store_u8_n(out + i * ld_out, v_quantize(&q, f), n);
  }
}

TAREI_INLINE void finish_some(const tarei_epilogue *e, const tarei_tile *t, size_t j, size_t n,
                              act16_fn *act) {
  if (are_alone(e) && e->out_f32) {
    finish_floats_alone(e, t, j, n, act);
  } else if (are_alone(e)) {
    finish_bytes_alone(e, t, j, n, act);
  } else {
    finish_stripe(e, t, j, n, act);
  }
}

TAREI_INLINE void finish_tile(const tarei_epilogue *epilogue, const tarei_tile *tile,
                              act16_fn *act) {
  /* copies: stores through out_u8 must not make them be read again */
  const tarei_epilogue e = *epilogue;
  const tarei_tile t = *tile;
  size_t j = 0;
  for (; j + TAREI_LANES <= t.cols; j += TAREI_LANES) {
    finish_some(&e, &t, j, TAREI_LANES, act);
  }
  if (j < t.cols) {
    finish_some(&e, &t, j, t.cols - j, act);
  }
}

#define TAREI_ACTIVATION(id, expression)                                             \
  static void TAREI_K(epilogue_##id)(const tarei_epilogue *e, const tarei_tile *t) { \
    finish_tile(e, t, act16_##id);                                                   \
  }
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION

void TAREI_K(tarei_epilogue)(const tarei_epilogue *e, const tarei_tile *t) {
  static void (*const finish[TAREI_ACT_COUNT])(const tarei_epilogue *, const tarei_tile *) = {
#define TAREI_ACTIVATION(id, expression) TAREI_K(epilogue_##id),
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
  };
  finish[e->act](e, t);
}
