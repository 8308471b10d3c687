/* Conversion of stored numbers to the element type of an input, with a check of every value. */
#ifndef TAREI_DATASETS_CONVERT_H
#define TAREI_DATASETS_CONVERT_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/error.h"

/* The types of numbers between the file and the tensor. Each stored type widens to one of these
 * without loss. */
typedef enum tarei_number {
  TAREI_NUMBER_I64,
  TAREI_NUMBER_U64,
  TAREI_NUMBER_F64,
  TAREI_NUMBER_F32,
} tarei_number;

/* Bytes of one number. */
size_t tarei_number_size(tarei_number number);

/* Whether numbers of this type are elements of dtype: they can be read directly to the tensor, and
 * are converted in place, which only checks them. */
bool tarei_number_is(tarei_number number, tare_dtype dtype);

/* The element type of labels stored as such numbers: TARE_I64, or that of the floats. */
tare_dtype tarei_number_label(tarei_number number);

/* Converts numbers. Integers must be in the range of dtype; floats must be finite, in range, and
 * whole numbers if dtype is an integer. Rounding to a narrower float is allowed. `out` must not
 * overlap the values; if tarei_number_is, it may be the values themselves. TARE_E_INPUT names the
 * first element that breaks a rule, with its value and dtype. */
tare_status tarei_convert(tarei_number number, const void *values, int64_t count, tare_dtype dtype,
                          void *out, tare_error *err);

#endif
