#ifndef TAREI_KERNELS_FAMILIES_ELEMENTWISE_H
#define TAREI_KERNELS_FAMILIES_ELEMENTWISE_H

#include <stddef.h>

#include "kernels/families/epilogue.h"

/* to[i * to_step + j] = from[j * from_step + i] for i < rows, j < columns, of elements of 1, 2, 4 or
 * 8 bytes, for `count` matrices. Steps are in elements. What is read and written does not overlap. */
typedef struct tarei_turn {
  size_t element;
  const void *from;
  void *to;
  size_t from_step, to_step, rows, columns;
  size_t count, from_next, to_next; /* steps from matrix to matrix */
} tarei_turn;
typedef void tarei_turn_fn(const tarei_turn *t);
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
