/* Sixteen double lanes, for sums of floats. Vectors of the compiler, as wide as registers are: it
 * is one source for every ISA, and each operation rounds once. */
#ifndef TAREI_KERNELS_GENERIC_W16_H
#define TAREI_KERNELS_GENERIC_W16_H

#include "kernels/generic/v16.h"

/* X(part, its first lane). The conversions are written out where compilers make more of them than
 * there need be. */
#if defined(__AVX512F__)
#define W16_BYTES 64
#define W16_PARTS(X) X(a, 0) X(b, 8)
#define W16_WIDEN(p) ((w16_part)_mm512_cvtps_pd(_mm256_loadu_ps(p)))
#define W16_NARROW(p, x) _mm256_storeu_ps(p, _mm512_cvtpd_ps((__m512d)(x)))
#elif defined(__AVX__)
#define W16_BYTES 32
#define W16_PARTS(X) X(a, 0) X(b, 4) X(c, 8) X(d, 12)
#define W16_WIDEN(p) ((w16_part)_mm256_cvtps_pd(_mm_loadu_ps(p)))
#define W16_NARROW(p, x) _mm_storeu_ps(p, _mm256_cvtpd_ps((__m256d)(x)))
#else
#define W16_BYTES 16
#define W16_PARTS(X) X(a, 0) X(b, 2) X(c, 4) X(d, 6) X(e, 8) X(f, 10) X(g, 12) X(h, 14)
#define W16_WIDEN(p) ((w16_part){(double)(p)[0], (double)(p)[1]})
#define W16_NARROW(p, x) ((p)[0] = (float)(x)[0], (p)[1] = (float)(x)[1])
#endif

typedef double w16_part __attribute__((vector_size(W16_BYTES)));
typedef double w16_memory __attribute__((vector_size(W16_BYTES), aligned(8), may_alias));
#define W16_FIELD(part, lane) w16_part part;
typedef struct {
  W16_PARTS(W16_FIELD)
} w16;
#undef W16_FIELD

#define W16_SET(part, lane) r.part = x - (w16_part){0};
TAREI_LANE w16 w_set1(double x) {
  w16 r;
  W16_PARTS(W16_SET)
  return r;
}
#undef W16_SET

#define W16_BINARY(name, sign)        \
  TAREI_LANE w16 name(w16 x, w16 y) { \
    w16 r;                            \
    W16_PARTS(sign)                   \
    return r;                         \
  }
#define W16_ADD(part, lane) r.part = x.part + y.part;
#define W16_SUB(part, lane) r.part = x.part - y.part;
#define W16_MUL(part, lane) r.part = x.part * y.part;
W16_BINARY(w_add, W16_ADD)
W16_BINARY(w_sub, W16_SUB)
W16_BINARY(w_mul, W16_MUL)
#undef W16_BINARY
#undef W16_ADD
#undef W16_SUB
#undef W16_MUL

typedef int64_t w16_bits __attribute__((vector_size(W16_BYTES)));
#define W16_ABS(part, lane) r.part = (w16_part)((w16_bits)x.part & (INT64_MAX - (w16_bits){0}));
TAREI_LANE w16 w_abs(w16 x) {
  w16 r;
  W16_PARTS(W16_ABS)
  return r;
}
#undef W16_ABS

#define W16_LOAD(part, lane) r.part = *(const w16_memory *)(p + (lane));
TAREI_INLINE w16 w_load(const double *p) {
  w16 r;
  W16_PARTS(W16_LOAD)
  return r;
}
#define W16_STORE(part, lane) *(w16_memory *)(p + (lane)) = v.part;
TAREI_INLINE void w_store(double *p, w16 v){W16_PARTS(W16_STORE)}
/* Floats as doubles, and rounded to floats. */
#define W16_WIDEN_PART(part, lane) r.part = W16_WIDEN(p + (lane));
TAREI_INLINE w16 w_widen(const float *p) {
  w16 r;
  W16_PARTS(W16_WIDEN_PART)
  return r;
}
#define W16_NARROW_PART(part, lane) W16_NARROW(p + (lane), v.part);
TAREI_INLINE void w_narrow(float *p, w16 v) {
  W16_PARTS(W16_NARROW_PART)
}
/* As lanes of floats, without a way through memory where compilers would take one. */
TAREI_INLINE v16 w_floats(w16 v) {
#if defined(__AVX__) && !defined(__AVX512F__)
  const __m128 a = _mm256_cvtpd_ps((__m256d)v.a), b = _mm256_cvtpd_ps((__m256d)v.b);
  const __m128 c = _mm256_cvtpd_ps((__m256d)v.c), d = _mm256_cvtpd_ps((__m256d)v.d);
  return (v16){_mm256_set_m128(b, a), _mm256_set_m128(d, c)};
#else
  float lane[TAREI_LANES];
  w_narrow(lane, v);
  return v_load(lane);
#endif
}
#undef W16_LOAD
#undef W16_STORE
#undef W16_WIDEN_PART
#undef W16_NARROW_PART

/* Halves of the lanes are added: 8, 4, 2, 1. */
TAREI_INLINE double w_sum(w16 v) {
  double lane[TAREI_LANES];
  w_store(lane, v);
  for (size_t half = TAREI_LANES / 2; half; half /= 2) {
    for (size_t l = 0; l < half; l++) {
      lane[l] += lane[l + half];
    }
  }
  return lane[0];
}

#endif
