/* What builders of expressions have in common. */
#ifndef TAREI_SHAPES_EXPR_EXPR_BUILD_H
#define TAREI_SHAPES_EXPR_EXPR_BUILD_H

#include "shapes/expr/expr_pool.h"

typedef tarei_expr (*tarei_expr_builder)(tarei_exprs *pool, tarei_expr a, tarei_expr b);

/* What `build` makes of a and b, or where a limit stops it, of names for them; a name for what is
 * long. NONE if an operand is. */
tarei_expr tarei_exprs_build(tarei_exprs *pool, tarei_expr_builder build, tarei_expr a,
                             tarei_expr b);

#endif
