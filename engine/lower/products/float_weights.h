/*
 * Constant weights of float layers. Products are in float, with weights that are packed as floats
 * or in fewer bits (stored_weights.h), or where the node says so in bf16: the rows of the other
 * factor are then rounded when it runs.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_H

#include "engine/lower/products/float_weights_types.h"

/* Reads TAREI_ATTR_COMPUTE and TAREI_ATTR_WEIGHT_TYPE. */
tare_status tarei_float_weights_read(const tarei_step *step, tarei_float_weights *out,
                                     tare_error *err);

/* Takes the blobs; all but `packed` and `scales` is set. `w` has [groups][k][n] elements, or with
 * `transposed` [groups][n][k]. */
tare_status tarei_float_weights_take(tarei_float_weights *out, const tarei_step *step,
                                     tarei_blobs *blobs, const float *w, bool transposed,
                                     tare_error *err);

/* What is packed for the columns of a group from one on, which is a multiple of 32. */
const void *tarei_float_weights_at(const tarei_float_weights *w, size_t group, size_t column);

/* The product of rows as floats, `g`, whose `b` is ignored, with g->n columns of a group from
 * `column` on. Rows for bf16 and weights in fewer bits are converted in the thread's part of
 * scratch, block by block. */
void tarei_float_weights_gemm(const tarei_float_weights *w, size_t group, size_t column,
                              const tarei_f32_gemm *g, const tarei_kernels *kernels, void *scratch,
                              int thread);
size_t tarei_float_weights_scratch(const tarei_float_weights *w, int threads);
/* As floats, which multiply rows of several parts too. */
bool tarei_float_weights_are_plain(const tarei_float_weights *w);

/* Scales of weights stored as bytes, for tarei_lowering.weight_scales. */
size_t tarei_float_weights_scales(const tarei_float_weights *w, int input, float *out);

/* Name of the kernel. */
const char *tarei_float_weights_kernel(const tarei_float_weights *w, const tarei_kernels *kernels);

#endif
