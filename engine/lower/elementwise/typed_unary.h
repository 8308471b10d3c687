/* Functions of one number of any type but float32, whose functions are kernels (pointwise.h). */
#ifndef TAREI_ENGINE_LOWER_ELEMENTWISE_TYPED_UNARY_H
#define TAREI_ENGINE_LOWER_ELEMENTWISE_TYPED_UNARY_H

#include "engine/lower/elementwise/pointwise.h"

/* What a function needs beside its argument. */
typedef struct tarei_typed_parameters {
  tarei_pointwise f;      /* of the operator, where it has attributes */
  const void *low, *high; /* bounds of Clip as elements, or NULL */
} tarei_typed_parameters;

/* `out` may be x. */
typedef void tarei_typed_unary_fn(const tarei_typed_parameters *p, const void *x, size_t n,
                                  void *out);

/* The function of the operator with this ONNX name; NULL where it has none of this type. */
tarei_typed_unary_fn *tarei_typed_unary_of(const char *name, tare_dtype dtype);

#endif
