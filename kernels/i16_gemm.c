/* Products of 16-bit activations by those of int8: the upper bytes, then the lower ones. A part of
 * the result is small enough for the sums of its upper bytes to stay in the second cache. */
#include "kernels/kernels.h"

static const int32_t nothing_added[TAREI_I16_COLUMNS];

/* One part, whose rows begin at `row` of `a` and `lower`. */
static void multiply_part(const tarei_kernels *kernels, const tarei_i8_gemm *part,
                          const uint8_t *lower, float *sums) {
  tarei_i8_gemm g = *part;
  g.epilogue = (tarei_epilogue){.out_f32 = sums, .ld_f32 = part->n};
  kernels->i8_gemm(&g);
  g.a = lower;
  g.add = nothing_added;
  g.epilogue = part->epilogue;
  g.epilogue.upper = sums;
  g.epilogue.ld_upper = part->n;
  kernels->i8_gemm(&g);
}

void tarei_i16_gemm(const tarei_kernels *kernels, const tarei_i8_gemm *g, const uint8_t *lower,
                    float *sums) {
  const size_t blocks = (g->m + TAREI_I16_ROWS - 1) / TAREI_I16_ROWS;
  for (size_t n0 = 0; n0 < g->n; n0 += TAREI_I16_COLUMNS) {
    for (size_t i = 0; i < blocks; i++) {
      const size_t m0 = g->m * i / blocks;
      tarei_i8_gemm part = *g;
      part.m = g->m * (i + 1) / blocks - m0;
      part.n = g->n - n0 < TAREI_I16_COLUMNS ? g->n - n0 : TAREI_I16_COLUMNS;
      part.a = g->a + m0 * g->lda;
      part.b = g->b + tarei_i8_packed_size(g->k, n0);
      part.add = g->add + n0;
      part.epilogue = tarei_epilogue_at(&g->epilogue, m0, n0);
      multiply_part(kernels, &part, lower + m0 * g->lda, sums);
    }
  }
}
