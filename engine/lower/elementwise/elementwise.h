/* What elementwise operators share: chunks of a flat tensor, and numpy broadcasting by rows. */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_ELEMENTWISE_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_ELEMENTWISE_H

#include "engine/step.h"

/* Called for elements [first, first + n) from several threads. */
typedef void (*tarei_chunk_fn)(const void *user, size_t first, size_t n);
void tarei_chunks(const tarei_run *run, size_t total, tarei_chunk_fn chunk, const void *user);

/* Computes elements [at, at + n) into `out`. */
typedef void (*tarei_values_fn)(const void *user, size_t at, size_t n, float *out);
/* Writes elements [at, at + n) of the outputs that an epilogue names: floats, bytes or both. */
void tarei_write_values(const tarei_epilogue *to, const tarei_kernels *kernels, size_t at, size_t n,
                        tarei_values_fn values, const void *user);

/* Whether an input has the type and dims of output 0, so that each element can be written over the
 * one that it is made of (tarei_lowering.overwrites). */
bool tarei_overwrites_alike(const tarei_step *step, int input);

#define TAREI_MAX_BROADCAST 3

/* Operands broadcast to one output shape: rows of n elements, of which each operand is read with
 * step 0 or 1; offsets of a row follow from the outer dims. Neighbouring axes that all operands
 * treat alike are merged first. */
typedef struct tarei_broadcast {
  int n_operands, n_outer;
  size_t rows, n;
  size_t step[TAREI_MAX_BROADCAST];                  /* along a row: 0 or 1 */
  size_t outer[TARE_MAX_RANK];                       /* sizes, outermost first */
  size_t stride[TAREI_MAX_BROADCAST][TARE_MAX_RANK]; /* elements, per outer axis */
} tarei_broadcast;

/* TARE_E_SHAPE when an operand does not broadcast to the output. */
tare_status tarei_broadcast_check(const tare_tensor *operand, const tare_tensor *out,
                                  tare_error *err);
/* Likewise. */
tare_status tarei_broadcast_read(const tare_tensor *const *operands, int n_operands,
                                 const tare_tensor *out, tarei_broadcast *b, tare_error *err);

/* Called for every row, or for parts of long ones, from several threads, with b->n elements each:
 * offset[i] is where operand i begins, in elements, `at` where the output does. */
typedef void (*tarei_broadcast_fn)(const void *user, const tarei_broadcast *b, size_t at,
                                   const size_t *offset);
void tarei_broadcast_run(const tarei_broadcast *b, const tarei_run *run, tarei_broadcast_fn row_fn,
                         const void *user);

#endif
