/* Expressions that are sums of multiples of symbols. */
#ifndef TAREI_SHAPES_EXPR_LINEAR_H
#define TAREI_SHAPES_EXPR_LINEAR_H

#include "shapes/expr.h"

#define TAREI_LINEAR_TERMS 16

/* constant + the sum of factor * symbol, each symbol once and no factor 0. */
typedef struct tarei_linear_sum {
  int n;
  int64_t constant;
  struct {
    int symbol;
    int64_t factor;
  } terms[TAREI_LINEAR_TERMS];
} tarei_linear_sum;

/* False where the expression is none of these, or has more terms. */
bool tarei_expr_linear(const tarei_exprs *pool, tarei_expr e, tarei_linear_sum *out);

#endif
