/* Tiles of a matrix transposed by vectors of four lanes. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__)
#error "needs AVX-512 F and BW"
#endif
#include <immintrin.h>

#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx512
#define TURN_LOW(bits) _mm512_unpacklo_epi##bits
#define TURN_HIGH(bits) _mm512_unpackhi_epi##bits
#define TURN_SHORTER tarei_k_transpose_any_16__avx2

typedef __m512i turn_vector;

TAREI_INLINE turn_vector TAREI_K(turn_load)(const char *p) {
  return _mm512_loadu_si512(p);
}
TAREI_INLINE void TAREI_K(turn_store)(char *p, turn_vector v) {
  _mm512_storeu_si512(p, v);
}

/* Lane i of vector j becomes lane j of vector i. */
TAREI_INLINE void TAREI_K(turn_exchange)(turn_vector *v) {
  const turn_vector even = _mm512_shuffle_i32x4(v[0], v[1], 0x88);
  const turn_vector odd = _mm512_shuffle_i32x4(v[0], v[1], 0xdd);
  const turn_vector next_even = _mm512_shuffle_i32x4(v[2], v[3], 0x88);
  const turn_vector next_odd = _mm512_shuffle_i32x4(v[2], v[3], 0xdd);
  v[0] = _mm512_shuffle_i32x4(even, next_even, 0x88);
  v[1] = _mm512_shuffle_i32x4(odd, next_odd, 0x88);
  v[2] = _mm512_shuffle_i32x4(even, next_even, 0xdd);
  v[3] = _mm512_shuffle_i32x4(odd, next_odd, 0xdd);
}

#include "kernels/x86/transpose_body.h"
