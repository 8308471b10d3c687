/* Tiles of a matrix transposed by vectors of two lanes. */
#if !defined(__AVX2__)
#error "needs AVX2"
#endif
#include <immintrin.h>

#include "kernels/registry.h"

#define TAREI_ISA_SUFFIX avx2
#define TURN_LOW(bits) _mm256_unpacklo_epi##bits
#define TURN_HIGH(bits) _mm256_unpackhi_epi##bits
#define TURN_SHORTER tarei_k_transpose_any_16__scalar

typedef __m256i turn_vector;

TAREI_INLINE turn_vector TAREI_K(turn_load)(const char *p) {
  return _mm256_loadu_si256((const __m256i *)p);
}
TAREI_INLINE void TAREI_K(turn_store)(char *p, turn_vector v) {
  _mm256_storeu_si256((__m256i *)p, v);
}

/* Lane i of vector j becomes lane j of vector i. */
TAREI_INLINE void TAREI_K(turn_exchange)(turn_vector *v) {
  const turn_vector first = _mm256_permute2x128_si256(v[0], v[1], 0x20);
  v[1] = _mm256_permute2x128_si256(v[0], v[1], 0x31);
  v[0] = first;
}

#include "kernels/x86/transpose_body.h"
