/*
 * Constant weights of float layers: packed as float, or where the node says so as bfloat16. The
 * rows of a product with bf16 weights are rounded when it runs.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_H

#include "engine/step.h"

typedef struct tarei_float_weights {
  bool bf16;
  size_t k, n;
  const void *packed;
} tarei_float_weights;

/* Reads TAREI_ATTR_COMPUTE. */
tare_status tarei_float_weights_read(const tarei_step *step, bool *bf16, tare_error *err);

/* Bytes of the first n columns; those of whole panels where others follow. */
size_t tarei_float_weights_size(const tarei_float_weights *w, size_t n);
/* Packs values[k][n] (row stride ld; `transposed`: values[n][k]) into `to`. */
void tarei_float_weights_pack(const tarei_float_weights *w, const float *values, size_t ld,
                              bool transposed, const tarei_kernels *kernels, void *to);

/* Elements between the rows that bf16 products read. */
size_t tarei_bf16_row(size_t k);
/* Rounds m rows of k floats on all threads of the run. */
void tarei_bf16_rows(const tarei_run *run, const float *x, size_t m, size_t k, uint16_t *to);

/* The product of rows as floats, `g`, whose `b` is ignored. With bf16 weights blocks of the rows
 * are rounded in the thread's part of scratch. */
void tarei_float_weights_gemm(const tarei_float_weights *w, const tarei_f32_gemm *g,
                              const tarei_kernels *kernels, void *scratch, int thread);
size_t tarei_float_weights_scratch(const tarei_float_weights *w, int threads);

/* Name of the kernel. */
const char *tarei_float_weights_kernel(const tarei_float_weights *w, const tarei_kernels *kernels);

#endif
