/*
 * Activations with one scale per row, taken at run time: a row (a token, a convolution's window) is
 * quantized symmetrically by its own largest magnitude, so that quiet rows keep their bits beside
 * loud ones. The product's epilogue multiplies each row by its scale.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_ROW_SCALES_H
#define TAREI_ENGINE_LOWER_PRODUCTS_ROW_SCALES_H

#include "engine/step.h"

#define TAREI_ROW_SCALES_ZERO_POINT 128

/* Scratch bytes of all threads for rows of k elements. */
size_t tarei_row_scales_scratch(size_t k, int threads);

/* Runs an int8 product on m rows of float, ldx elements apart, by blocks: a, lda, m and row_mult of
 * each block are set here, everything else of `product` stands, its epilogue for the first row.
 * scratch is that of all threads, of which `thread` takes its part. */
void tarei_row_scales_gemm(const tarei_i8_gemm *product, const float *x, size_t ldx, size_t m,
                           const tarei_kernels *kernels, void *scratch, int thread);

#endif
