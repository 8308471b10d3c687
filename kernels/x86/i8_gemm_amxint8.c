/* u8 x s8 by AMX tiles, 64 k at a time. */
#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512VL__) ||  \
    !defined(__AVX512DQ__) || !(defined(__AMX_TILE__) || defined(__AMXTILE__)) || \
    !(defined(__AMX_INT8__) || defined(__AMXINT8__))
#error "needs AVX-512 F, BW, VL, DQ and AMX"
#endif
#include <immintrin.h>

#include "kernels/generic/gemm_walk.h"
#include "kernels/x86/i8_finish.h"

enum {
  FEWEST_ROWS = 8, /* below, loading the tiles takes longer than multiplying by vectors */
  FEWEST_K = 28,   /* likewise: tiles are 64 deep whatever k is */
};

#define GEMM tarei_i8_gemm
#define AMX_DOT(sums, a, b) _tile_dpbusd(sums, a, b)
typedef int32_t amx_sum;

TAREI_INLINE void i8_tiles_begin(const tarei_i8_gemm *g, size_t panel, const bool both) {
  const int32_t *const add = g->add + panel * GEMM_PANEL;
  _tile_loadd(0, add, 0); /* one row for all rows */
  _tile_loadd(1, add + GEMM_PANEL / 2, 0);
  if (both) {
    _tile_loadd(2, add, 0);
    _tile_loadd(3, add + GEMM_PANEL / 2, 0);
  }
}

TAREI_INLINE void i8_tiles_finish(const tarei_i8_gemm *g, const int32_t *sums, size_t m0,
                                  size_t rows, size_t panel) {
  tarei_i8_finish__avx512vbmi(g, sums, m0, rows, panel);
}

#define AMX_BEGIN i8_tiles_begin
#define AMX_FINISH i8_tiles_finish
#include "kernels/x86/amx_tiles.h"

void tarei_k_i8_gemm_u8s8_32x32__amxint8(const tarei_i8_gemm *g) {
  if (g->m < FEWEST_ROWS || g->k < FEWEST_K) {
    tarei_k_i8_gemm_u8s8_14x32__avx512vnni(g);
  } else {
    amx_multiply(g);
  }
}
