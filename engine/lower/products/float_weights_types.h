/* What is packed of the constant weights of a float layer (float_weights.h). */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_TYPES_H
#define TAREI_ENGINE_LOWER_PRODUCTS_FLOAT_WEIGHTS_TYPES_H

#include "engine/step.h"

typedef struct tarei_float_weights {
  bool bf16;       /* products in bf16 */
  tare_dtype type; /* of what is packed: TARE_F32, TARE_F16, TARE_BF16 or TARE_I8 */
  size_t k, n;     /* of each group */
  size_t groups;
  const void *packed;  /* those of a group follow those of the one before */
  const float *scales; /* of bytes, else NULL */
} tarei_float_weights;

#endif
