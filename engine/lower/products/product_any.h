/* Matrix products of the element types that have no kernel: float64 and whole numbers of 32 and 64
 * bits, which wrap around. */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_PRODUCT_ANY_H
#define TAREI_ENGINE_LOWER_PRODUCTS_PRODUCT_ANY_H

#include "engine/step.h"

typedef struct tarei_product_any {
  const void *a, *b;
  size_t a_row, a_k, b_k, b_column; /* elements between neighbours along an axis */
  size_t m, k, n;
  void *out; /* [m][n], dense */
} tarei_product_any;

/* Takes k ascending; b_column of 1 is fast. */
typedef void tarei_product_any_fn(const tarei_product_any *p);

/* NULL where there is none. */
tarei_product_any_fn *tarei_product_any_of(tare_dtype dtype);

#endif
