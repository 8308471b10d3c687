/* What becomes of the sums of an int8 product on AVX-512. */
#ifndef TAREI_KERNELS_X86_I8_FINISH_H
#define TAREI_KERNELS_X86_I8_FINISH_H

#include "kernels/registry.h"

/* Finishes rows [m0, m0 + rows) of a panel of 32 columns: sums[row * 32 + column], with g->add in
 * them. */
typedef void tarei_i8_finish_fn(const tarei_i8_gemm *g, const int32_t *sums, size_t m0, size_t rows,
                                size_t panel);
tarei_i8_finish_fn tarei_i8_finish__avx512;
tarei_i8_finish_fn tarei_i8_finish__avx512vbmi;

#endif
