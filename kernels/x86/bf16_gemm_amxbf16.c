/* Pairs of bf16 by AMX tiles, 32 k at a time: the instruction that defines the order of the sums.
 */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) ||  \
    !defined(__AVX512DQ__) || !(defined(__AMX_TILE__) || defined(__AMXTILE__)) || \
    !(defined(__AMX_BF16__) || defined(__AMXBF16__))
#error "needs AVX-512 F, BW, VL, DQ and AMX"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"

#define GEMM tarei_bf16_gemm
#define AMX_DOT(sums, a, b) _tile_dpbf16ps(sums, a, b)
typedef float amx_sum;

TAREI_INLINE void bf16_tiles_begin(const tarei_bf16_gemm *g, size_t panel, const bool both) {
  (void)g;
  (void)panel;
  _tile_zero(0);
  _tile_zero(1);
  if (both) {
    _tile_zero(2);
    _tile_zero(3);
  }
}

TAREI_INLINE void bf16_tiles_finish(const tarei_bf16_gemm *g, const float *sums, size_t m0,
                                    size_t rows, size_t panel) {
  const tarei_tile done = gemm_tile(sums, m0, rows, g->n, panel);
  tarei_epilogue__avx512(&g->epilogue, &done);
}

#define AMX_BEGIN bf16_tiles_begin
#define AMX_FINISH bf16_tiles_finish
#include "kernels/x86/amx_tiles.h"

void tarei_k_bf16_gemm_bf16_32x32__amxbf16(const tarei_bf16_gemm *g) {
  amx_multiply(g);
}
