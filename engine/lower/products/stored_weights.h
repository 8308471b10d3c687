/*
 * Float weights in fewer bits, which each thread widens as it multiplies: to panels of floats or,
 * bytes where that is faster, to tiles of bf16 (split_products.h).
 * Bytes have a scale for each output channel and each TAREI_WEIGHT_BLOCK elements that it sums
 * over, or the scales that the model states.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_STORED_WEIGHTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_STORED_WEIGHTS_H

#include "engine/lower/products/float_weights_types.h"

#define TAREI_WEIGHT_BLOCK 64

/* Number of scales of bytes, columns rounded up to panels. */
size_t tarei_stored_scales(const tarei_float_weights *w);

/* The scales one block of the sums after the other, without those of panels' ends; `out` may be
 * NULL. Returns their number. */
size_t tarei_stored_list_scales(const tarei_float_weights *w, float *out);

/* Fills the panels and, where they are bytes, the scales; `values` as tarei_float_weights_take has
 * it. */
tare_status tarei_stored_pack(const tarei_float_weights *w, const tarei_step *step,
                              const float *values, bool transposed, void *panels, float *scales,
                              tare_error *err);

/* As tarei_float_weights_gemm; scratch is that of the thread. */
void tarei_stored_gemm(const tarei_float_weights *w, size_t group, size_t column,
                       const tarei_f32_gemm *g, const tarei_kernels *kernels, void *scratch);
size_t tarei_stored_scratch(const tarei_float_weights *w); /* bytes of one thread */
const char *tarei_stored_kernel(const tarei_float_weights *w, const tarei_kernels *kernels);

#endif
