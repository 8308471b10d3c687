/* Stored numbers to the element type of an input, with a check of every value. */
#ifndef TAREI_DATASETS_CONVERT_H
#define TAREI_DATASETS_CONVERT_H

#include <tare/tensor.h>

#include "base/error.h"

/* How numbers lie in memory between the file and the tensor. All stored types widen into one of
 * these without loss. */
typedef enum tarei_number {
  TAREI_NUMBER_I64,
  TAREI_NUMBER_U64,
  TAREI_NUMBER_F64,
  TAREI_NUMBER_F32, /* of audio and its features */
} tarei_number;

/* Integers must lie inside the range of dtype; floats must be finite, inside the range, and whole
 * where dtype is an integer. Rounding to a narrower float is allowed. TARE_E_INPUT names the first
 * element that breaks a rule, its value and dtype. */
tare_status tarei_convert(tarei_number number, const void *values, int64_t count, tare_dtype dtype,
                          void *out, tare_error *err);

#endif
