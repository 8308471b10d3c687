/*
 * Reductions of a dense tensor over some of its axes. Every output sums its elements in the order
 * in which they lie, in double (integers in 64 bits), so that neither threads nor shapes change the
 * result.
 */
#ifndef TAREI_ENGINE_LOWER_REDUCE_REDUCTION_H
#define TAREI_ENGINE_LOWER_REDUCE_REDUCTION_H

#include "engine/step.h"

/* Neighbouring outputs that are computed together: so many where their elements lie side by side,
 * or so many rows that each have their own chain of sums. */
#define TAREI_REDUCTION_LANES 512
#define TAREI_REDUCTION_ROWS 8

/* Axes, outermost first, with neighbours of a kind merged. */
typedef struct tarei_reduction_axes {
  int n;
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK]; /* strides in elements */
} tarei_reduction_axes;

typedef struct tarei_reduction {
  tarei_reduction_axes kept, cut; /* cut: without the innermost of its axes */
  size_t n, stride;               /* the innermost axis that is cut */
  size_t rows;                    /* of n elements for one output */
  size_t outputs;
} tarei_reduction;

/* cut[d] says that axis d of x goes away. */
tarei_reduction tarei_reduction_read(const tare_tensor *x, const bool *cut);

/* Computes `lanes` outputs whose first elements lie `step` elements apart from x on: at most
 * TAREI_REDUCTION_LANES with step 1, or TAREI_REDUCTION_ROWS. */
typedef void (*tarei_reduction_fn)(const tarei_reduction *r, const void *x, size_t lanes,
                                   size_t step, void *out);

/* x and out have elements of so many bytes. */
void tarei_reduction_run(const tarei_reduction *r, const tarei_run *run, const void *x,
                         size_t x_element, void *out, size_t out_element, tarei_reduction_fn fn);

/* Where row i of the elements of one output begins, in elements from its first. */
size_t tarei_reduction_row(const tarei_reduction *r, size_t i);

#endif
