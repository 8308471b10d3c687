/* What becomes of the sums of int8 kernels. */
#ifndef TAREI_KERNELS_X86_I8_FINISH_H
#define TAREI_KERNELS_X86_I8_FINISH_H

#include "kernels/registry.h"
#include "kernels/x86/byte_bounds.h"

/* --- products on AVX-512 ---------------------------------------------------------------------- */
/* Finishes rows [m0, m0 + rows) of a panel of 32 columns: sums[row * 32 + column], with g->add in
 * them. */
typedef void tarei_i8_finish_fn(const tarei_i8_gemm *g, const int32_t *sums, size_t m0, size_t rows,
                                size_t panel);
tarei_i8_finish_fn tarei_i8_finish__avx512;
tarei_i8_finish_fn tarei_i8_finish__avx512vbmi;

/* --- 256 bits --------------------------------------------------------------------------------- */
enum { HALF_MOST_ROWS = 32 }; /* of a tile */

typedef enum half_form {
  HALF_ANY, /* by the epilogue of floats */
  HALF_BYTES,
  HALF_BYTES_AND_RESIDUAL,
  HALF_FLOATS,
  HALF_FLOATS_AND_RESIDUAL,
} half_form;

/* What there is to finish: m rows of n columns, each the sum of k products and of what is added. */
typedef struct half_source {
  const tarei_epilogue *epilogue;
  size_t m, n, k;
  const int32_t *add;
} half_source;

typedef struct half_product {
  const tarei_epilogue *epilogue;
  size_t n;
  half_form form;
  byte_bounds bounds;
} half_product;

/* Rows of a panel of so many columns. */
typedef struct half_tile {
  const half_product *product;
  const int32_t *sums; /* [row][TAREI_I8_PANEL], with what is added in them; 32-byte aligned */
  size_t m0, n0, rows, columns;
} half_tile;

half_product tarei_half_product__avx2(const half_source *source);
void tarei_half_finish__avx2(const half_tile *tile);

#endif
