/* Functions of each element by itself, and what moves elements: transposes and places. */
#ifndef TAREI_KERNELS_FAMILIES_ELEMENTWISE_H
#define TAREI_KERNELS_FAMILIES_ELEMENTWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <tare/tensor.h>

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
/* Element i of a row that indices along an axis pick: `beside` elements behind that of element i - 1,
 * were their indices the same. */
typedef struct tarei_placing {
  int64_t size, stride; /* of the axis, and elements between its neighbours */
  int64_t beside;
} tarei_placing;
/* The places of n elements whose indices are int64 or int32; those below 0 count from the end of the
 * axis. False if one is out of range: no place is to be used then. */
typedef bool tarei_places_fn(tare_dtype dtype, const void *indices, size_t n,
                             const tarei_placing *placing, int64_t *places);
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

/* Functions of two numbers of any type; floats of Add to PRelu are functions of tarei_binary. */
typedef enum tarei_pair {
  TAREI_PAIR_ADD,
  TAREI_PAIR_SUB,
  TAREI_PAIR_MUL,
  TAREI_PAIR_DIV, /* toward zero; the divisor is not 0 where the type is an integer */
  TAREI_PAIR_MIN, /* NaN where one operand is NaN */
  TAREI_PAIR_MAX,
  TAREI_PAIR_PRELU,
  TAREI_PAIR_MOD,  /* with the sign of the divisor, which is not 0; integers only */
  TAREI_PAIR_FMOD, /* with the sign of the dividend */
  TAREI_PAIR_EQUAL,
  TAREI_PAIR_LESS,
  TAREI_PAIR_LESS_OR_EQUAL,
  TAREI_PAIR_GREATER,
  TAREI_PAIR_GREATER_OR_EQUAL,
  TAREI_PAIR_AND,
  TAREI_PAIR_OR,
  TAREI_PAIR_XOR,
  TAREI_PAIR_BITWISE_AND,
  TAREI_PAIR_BITWISE_OR,
  TAREI_PAIR_BITWISE_XOR,
  TAREI_PAIR_SHIFT_LEFT, /* by the width or more: 0 */
  TAREI_PAIR_SHIFT_RIGHT,
  TAREI_PAIR_COUNT
} tarei_pair;
/* Steps are 0 (one number for the whole row) or 1; comparisons and logic write bools. `out` may be
 * an operand that has its type. */
typedef void tarei_pair_row_fn(const void *a, size_t a_step, const void *b, size_t b_step, size_t n,
                               void *out);
/* NULL where the function has no such operands. */
typedef tarei_pair_row_fn *tarei_pair_fn(tarei_pair pair, tare_dtype dtype);

#endif
