#ifndef TAREI_KERNELS_FAMILIES_ELEMENTWISE_H
#define TAREI_KERNELS_FAMILIES_ELEMENTWISE_H

#include <stddef.h>

#include "kernels/families/epilogue.h"

/* out[i * to_step + j] = x[j * from_step + i] for i < rows, j < columns, of elements of 1, 2, 4 or 8
 * bytes; steps in elements. The two do not overlap. */
typedef void tarei_turn_fn(size_t element, const void *from, size_t from_step, void *to,
                           size_t to_step, size_t rows, size_t columns);
typedef void tarei_act_fn(tarei_act act, float a, float b, const float *x, size_t n, float *out);

typedef enum tarei_unary {
#define TAREI_UNARY(id, expression) TAREI_UNARY_##id,
#include "kernels/unary.inc"
#undef TAREI_UNARY
  TAREI_UNARY_COUNT
} tarei_unary;
/* a and b are the operator's parameters: alpha; alpha and beta of HardSigmoid, alpha and gamma of Selu,
 * lambd and bias of Shrink. */
typedef void tarei_unary_fn(tarei_unary op, float a, float b, const float *x, size_t n,
                            float *out);
typedef enum tarei_binary {
  TAREI_BINARY_ADD, TAREI_BINARY_SUB, TAREI_BINARY_MUL, TAREI_BINARY_DIV, TAREI_BINARY_MIN,
  TAREI_BINARY_MAX, TAREI_BINARY_POW, TAREI_BINARY_PRELU, TAREI_BINARY_COUNT
} tarei_binary;
/* step 1: element by element; step 0: that operand is one scalar for the whole row */
typedef void tarei_binary_fn(tarei_binary op, const float *a, size_t a_step, const float *b,
                             size_t b_step, size_t n, float *out);

#endif
