/*
 * Products of floats with weights stored as bytes or in bf16 where tiles of bf16 are fast: rows are
 * split into three pieces, block by block, in scratch of the thread. Rows that do not qualify for
 * it (tarei_split_rows_fn) are multiplied as floats.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_SPLIT_PRODUCTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_SPLIT_PRODUCTS_H

#include "engine/step.h"

/* The kernel for weights of this type, or NULL where other kernels are faster. It serves any number
 * of rows: the bits of a row do not depend on those beside it. */
tarei_split_gemm_fn *tarei_split_kernel(tare_dtype type, const tarei_kernels *kernels);

typedef struct tarei_split_product {
  tarei_split_gemm_fn *multiply;
  const void *b; /* with scale, ld_scale and block as in tarei_split_gemm */
  const float *scale;
  size_t ld_scale, block;
  void (*others)(const void *user, const tarei_f32_gemm *g); /* all of scratch is free for it */
  const void *user;
} tarei_split_product;

/* The product of rows as floats, `g`, whose `b` is ignored. Scratch is that of the thread. */
void tarei_split_multiply(const tarei_split_product *p, const tarei_f32_gemm *g,
                          const tarei_kernels *kernels, void *scratch);
size_t tarei_split_scratch(size_t k);

#endif
