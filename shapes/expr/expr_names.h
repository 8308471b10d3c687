/* Names inside expressions. */
#ifndef TAREI_SHAPES_EXPR_EXPR_NAMES_H
#define TAREI_SHAPES_EXPR_EXPR_NAMES_H

#include "shapes/expr/expr_pool.h"

/* Marks (one for each name) of what an expression needs, which the caller frees; NULL if memory
 * runs out. */
bool *tarei_expr_names(const tarei_exprs *pool, tarei_expr e);

#endif
