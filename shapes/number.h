/*
 * Elements of tensors of any type as numbers. All code that accesses single elements reads and
 * writes them here; loops over many elements have kernels, or code for one type.
 */
#ifndef TAREI_SHAPES_NUMBER_H
#define TAREI_SHAPES_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <tare/tensor.h>

/* float32, float64, float16 or bfloat16. */
bool tarei_is_float(tare_dtype dtype);

/* Element i as an integer. Floats are truncated toward zero, NaN is 0, and values beyond int64
 * saturate.
 */
int64_t tarei_integer_at(const tare_tensor *t, int64_t i);

/* Element i as a float64; 64-bit integers are rounded. */
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

/* Range of a type. For 64-bit integers, `greatest` is the largest float64 below 2^63 or 2^64. */
typedef struct tarei_number_range {
  double least, greatest;
  bool integer;
} tarei_number_range;
tarei_number_range tarei_number_range_of(tare_dtype dtype);

/* Writes one element, or `count` equal ones. For integers, the value is truncated toward zero and
 * saturates, and NaN is the smallest number; floats are rounded; a bool is whether the value is not
 * 0. `out` need not be aligned. */
void tarei_write_number(tare_dtype dtype, double value, void *out);
void tarei_fill_number(tare_dtype dtype, double value, void *out, size_t count);

#endif
