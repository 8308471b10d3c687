/* Stored numbers to the element type of an input, with a check of every value. */
#ifndef TAREI_DATASETS_CONVERT_H
#define TAREI_DATASETS_CONVERT_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"

/* How numbers lie in memory between the file and the tensor. All stored types widen into one of
 * these without loss. */
typedef enum tarei_number {
  TAREI_NUMBER_I64,
  TAREI_NUMBER_U64,
  TAREI_NUMBER_F64,
  TAREI_NUMBER_F32,
} tarei_number;

/* Bytes of one number. */
size_t tarei_number_size(tarei_number number);

/* True when numbers are elements of dtype as they lie: they may be read to the tensor, and are
 * converted (checked, that is) in place. */
bool tarei_number_is(tarei_number number, tare_dtype dtype);

/* Integers must lie inside the range of dtype; floats must be finite, inside the range, and whole
 * where dtype is an integer. Rounding to a narrower float is allowed. `out` is either apart from
 * the values or, where tarei_number_is, the values themselves. TARE_E_INPUT names the first element
 * that breaks a rule, its value and dtype. */
tare_status tarei_convert(tarei_number number, const void *values, int64_t count, tare_dtype dtype,
                          void *out, tare_error *err);

#endif
