#include "engine/lower/products/row_scales.h"

#include "base/mem.h"
#include "engine/lower/fused.h"

/* Of a block: its bytes stay in L2 until the product reads them, and the weights are read anew for
 * each block. */
#define BLOCK_BYTES ((size_t)192 * 1024)
#define LEAST_ROWS 64
#define MOST_ROWS 1024

/* Short rows lie closer: what a step of a kernel reads beyond them does not matter. */
static size_t row_scales_bytes(const size_t k) {
  return tarei_round_up(k, k < TAREI_ALIGN ? TAREI_ALIGN / 4 : TAREI_ALIGN);
}

static size_t row_scales_block_rows(const size_t k) {
  const size_t rows = BLOCK_BYTES / row_scales_bytes(k) / LEAST_ROWS * LEAST_ROWS;
  return rows < LEAST_ROWS ? LEAST_ROWS : rows > MOST_ROWS ? MOST_ROWS : rows;
}

static size_t row_scales_thread_bytes(const size_t k) {
  const size_t rows = row_scales_block_rows(k);
  return rows * row_scales_bytes(k) + tarei_round_up(rows * sizeof(float), TAREI_ALIGN) +
         TAREI_ALIGN;
}

size_t tarei_row_scales_scratch(const size_t k, const int threads) {
  return tarei_times(row_scales_thread_bytes(k), (size_t)threads);
}

/* Blocks of nearly equal height. */
void tarei_row_scales_gemm(const tarei_i8_gemm *const product, const float *const x,
                           const size_t ldx, const size_t m, const tarei_kernels *const kernels,
                           void *const scratch, const int thread) {
  const size_t lda = row_scales_bytes(product->k), most = row_scales_block_rows(product->k);
  const size_t blocks = (m + most - 1) / most;
  uint8_t *const bytes = (uint8_t *)scratch + (size_t)thread * row_scales_thread_bytes(product->k);
  float *const scales = (float *)(void *)(bytes + most * lda);
  for (size_t i = 0; i < blocks; i++) {
    const size_t first = m * i / blocks;
    tarei_i8_gemm g = *product;
    g.m = m * (i + 1) / blocks - first;
    kernels->quantize_rows(x + first * ldx, ldx, g.m, product->k, bytes, lda, scales);
    g.a = bytes;
    g.lda = lda;
    g.epilogue = tarei_epilogue_at(&product->epilogue, first, 0);
    g.epilogue.row_mult = scales;
    kernels->i8_gemm(&g);
  }
}
