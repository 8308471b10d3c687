#include "engine/lower/products/product_any.h"

#include <string.h>

#define PRODUCT(name, type)                                             \
  static void name(const tarei_product_any *const p) {                  \
    for (size_t i = 0; i < p->m; i++) {                                 \
      type *const out = (type *)p->out + i * p->n;                      \
      memset(out, 0, p->n * sizeof *out);                               \
      for (size_t k = 0; k < p->k; k++) {                               \
        const type a = ((const type *)p->a)[i * p->a_row + k * p->a_k]; \
        const type *const b = (const type *)p->b + k * p->b_k;          \
        for (size_t j = 0; j < p->n; j++) {                             \
          out[j] += a * b[j * p->b_column];                             \
        }                                                               \
      }                                                                 \
    }                                                                   \
  }
PRODUCT(product_f64, double)
PRODUCT(product_32, uint32_t) /* the low bits do not depend on the sign */
PRODUCT(product_64, uint64_t)

tarei_product_any_fn *tarei_product_any_of(const tare_dtype dtype) {
  return dtype == TARE_F64                        ? product_f64
         : dtype == TARE_I32 || dtype == TARE_U32 ? product_32
         : dtype == TARE_I64 || dtype == TARE_U64 ? product_64
                                                  : NULL;
}
