/*
 * Elements of tensors as numbers, whatever their type. Everybody who looks at single elements
 * reads them here; loops over many have kernels or code of one type.
 */
#ifndef TAREI_SHAPES_NUMBER_H
#define TAREI_SHAPES_NUMBER_H

#include <stdbool.h>
#include <tare/tensor.h>

/* float32, float64, float16 or bfloat16. */
bool tarei_is_float(tare_dtype dtype);

/* Element i as an integer. Floats are cut toward zero, NaN is 0, and what lies beyond int64
 * saturates. */
int64_t tarei_integer_at(const tare_tensor *t, int64_t i);

/* Element i as a float64, into which 64-bit integers are rounded. */
double tarei_real_of_any(const tare_tensor *t, int64_t i);
static inline double tarei_real_at(const tare_tensor *const t, const int64_t i) {
  return t->dtype == TARE_F32   ? (double)((const float *)t->data)[i]
         : t->dtype == TARE_F64 ? ((const double *)t->data)[i]
                                : tarei_real_of_any(t, i);
}

/* Element i of a tensor of int64, int32 or bool, whose type was checked. */
static inline int64_t tarei_index_at(const tare_tensor *const t, const int64_t i) {
  return t->dtype == TARE_I64   ? ((const int64_t *)t->data)[i]
         : t->dtype == TARE_I32 ? ((const int32_t *)t->data)[i]
                                : ((const uint8_t *)t->data)[i];
}

#endif
