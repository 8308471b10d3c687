/* Functions of two numbers of any type, a row of them at a time. Floats of Add to PRelu have
 * kernels instead (tarei_binary). */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_TYPED_BINARY_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_TYPED_BINARY_H

#include "engine/step.h"

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
typedef void tarei_pair_fn(const void *a, size_t a_step, const void *b, size_t b_step, size_t n,
                           void *out);

/* NULL where the function has no such operands. */
tarei_pair_fn *tarei_pair_of(tarei_pair pair, tare_dtype dtype);

/* TARE_E_INPUT where integers are divided by a divisor (input i of the run) that holds a 0. */
tare_status tarei_want_divisor(const tarei_step *step, const tarei_run *run, int i,
                               tare_error *err);

#endif
