/* Reductions of axes, and where extremes lie. */
#ifndef TAREI_KERNELS_FAMILIES_REDUCTIONS_H
#define TAREI_KERNELS_FAMILIES_REDUCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tare/tensor.h>

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
  size_t count;                   /* elements of one output */
  size_t outputs;
} tarei_reduction;

static inline size_t tarei_reduction_offset(const tarei_reduction_axes *axes, size_t index) {
  size_t offset = 0;
  for (int a = axes->n - 1; a >= 0; a--) {
    offset += index % axes->size[a] * axes->stride[a];
    index /= axes->size[a];
  }
  return offset;
}
/* Where row i of the elements of one output begins, in elements from its first. */
static inline size_t tarei_reduction_row(const tarei_reduction *r, size_t i) {
  return tarei_reduction_offset(&r->cut, i);
}

typedef enum tarei_reduce_kind {
  TAREI_REDUCE_L1, TAREI_REDUCE_L2, TAREI_REDUCE_LOG_SUM, TAREI_REDUCE_LOG_SUM_EXP,
  TAREI_REDUCE_MAX, TAREI_REDUCE_MEAN, TAREI_REDUCE_MIN, TAREI_REDUCE_PROD, TAREI_REDUCE_SUM,
  TAREI_REDUCE_SUM_SQUARE, TAREI_REDUCE_COUNT
} tarei_reduce_kind;

/* Several threads share one output by parts: FIRST gives the result so far of a block, LAST joins n
 * of these, `step` apart. Max and Min have results so far of the type of the elements, others of 64
 * bits; LOG_SUM_EXP has none, and takes no float32 (engine/lower/reduce/log_sum_exp.h). */
typedef enum tarei_reduce_part {
  TAREI_REDUCE_WHOLE, TAREI_REDUCE_FIRST, TAREI_REDUCE_LAST
} tarei_reduce_part;

/* Computes `lanes` outputs whose first elements lie `step` elements apart from x on: at most
 * TAREI_REDUCTION_LANES with step 1, or TAREI_REDUCTION_ROWS. Max and Min take any type, others
 * floats and integers of 32 and 64 bits. Floats are summed up in double: in the order in which they
 * lie; but at least 32 that lie side by side as blocks of TAREI_REDUCE_BLOCK in their order, with
 * sixteen sums each, of every sixteenth element, whose halves are added 8, 4, 2, 1. */
#define TAREI_REDUCE_BLOCK ((size_t)1 << 15)
typedef void tarei_reduce_fn(tarei_reduce_kind kind, tare_dtype dtype, tarei_reduce_part part,
                             const tarei_reduction *r, const void *x, size_t lanes, size_t step,
                             void *out);

/* Where the extreme of n >= 1 floats lies, the largest or with `least` the smallest: the first of equal
 * ones, or with `last` the last. A NaN is more extreme than any number. */
typedef size_t tarei_arg_row_fn(const float *x, size_t n, bool least, bool last);
/* The same for each of many columns, which lie side by side. */
typedef struct tarei_arg_columns {
  const float *x;    /* [n][columns], rows `stride` elements apart */
  size_t n, stride, columns;
  bool least, last;
  int64_t *out;      /* [columns] */
} tarei_arg_columns;
typedef void tarei_arg_columns_fn(const tarei_arg_columns *c);
/* The first of elements [first, n) that is larger than a bound, or with `least` smaller; n if there is
 * none. A NaN counts, and any element where the bound is NaN or infinite. */
typedef size_t tarei_arg_beyond_fn(const float *x, size_t first, size_t n, float bound, bool least);

#endif
