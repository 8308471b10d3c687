/*
 * Products of floats with weights stored as bytes where tiles of bf16 are fast: rows are split into
 * three pieces, block by block, in scratch of the thread. Rows that do not qualify for it
 * (tarei_split_rows_fn) are multiplied as floats.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_SPLIT_PRODUCTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_SPLIT_PRODUCTS_H

#include "engine/step.h"

/* For any number of rows: the bits of a row do not depend on those beside it. */
bool tarei_split_is_fast(const tarei_kernels *kernels);

/* The product that thin_i8 makes of `g`. Scratch is that of the thread. */
void tarei_split_multiply(const tarei_thin_gemm *g, const tarei_kernels *kernels, void *scratch);
size_t tarei_split_scratch(size_t k);

#endif
