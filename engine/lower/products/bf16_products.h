/*
 * Products in bf16 whose rows are floats when a step runs: they are rounded block by block, in
 * scratch of the thread, or all at once.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_BF16_PRODUCTS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_BF16_PRODUCTS_H

#include "engine/step.h"

/* Whether the node computes in bf16. Reads TAREI_ATTR_COMPUTE. */
tare_status tarei_bf16_read(const tarei_node *node, bool *bf16, tare_error *err);

/* Elements between rounded rows of k. */
size_t tarei_bf16_row(size_t k);
/* Rounds m rows of k floats on all threads of the run. */
void tarei_bf16_rows(const tarei_run *run, const float *x, size_t m, size_t k, uint16_t *to);

/* The product of rows as floats, `g`, whose `b` is ignored, with what is packed. Scratch is that of
 * the thread. */
void tarei_bf16_multiply(const tarei_f32_gemm *g, const uint16_t *packed,
                         const tarei_kernels *kernels, void *scratch);
size_t tarei_bf16_scratch(size_t k); /* more k never need less */

#endif
