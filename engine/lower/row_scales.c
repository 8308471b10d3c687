#include "engine/lower/row_scales.h"

#include "base/mem.h"
#include "engine/lower/fused.h"

#define BLOCK_ROWS 64 /* their bytes stay in the first caches until the product reads them */

static size_t row_bytes(const size_t k) {
  return tarei_round_up(k, TAREI_ALIGN);
}

static size_t thread_bytes(const size_t k) {
  return BLOCK_ROWS * row_bytes(k) + tarei_round_up(BLOCK_ROWS * sizeof(float), TAREI_ALIGN) +
         TAREI_ALIGN;
}

size_t tarei_row_scales_scratch(const size_t k, const int threads) {
  return thread_bytes(k) * (size_t)threads;
}

void tarei_row_scales_gemm(const tarei_i8_gemm *const product, const float *const x,
                           const size_t ldx, const size_t m, const tarei_kernels *const kernels,
                           void *const scratch, const int thread) {
  const size_t lda = row_bytes(product->k);
  uint8_t *const bytes =
      (uint8_t *)scratch + (size_t)thread * thread_bytes(product->k);
  float *const scales = (float *)(void *)(bytes + BLOCK_ROWS * lda);
  for (size_t first = 0; first < m; first += BLOCK_ROWS) {
    tarei_i8_gemm g = *product;
    g.m = m - first < BLOCK_ROWS ? m - first : BLOCK_ROWS;
    kernels->quantize_rows(x + first * ldx, ldx, g.m, product->k, bytes, lda, scales);
    g.a = bytes;
    g.lda = lda;
    g.epilogue = tarei_epilogue_at(&product->epilogue, first, 0);
    g.epilogue.row_mult = scales;
    kernels->i8_gemm(&g);
  }
}
