#include "shapes/number.h"

#include <assert.h>
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/half.h"

#define TO_F16(x) tarei_float_to_f16((float)(x))
#define TO_BF16(x) tarei_float_to_bf16((float)(x))

/* X(dtype, C type of the bytes, as a float64, from a float64, greatest). */
#define NUMBER_FLOATS(X)                                        \
  X(F32, float, (double), (float), FLT_MAX)                     \
  X(F64, double, , , DBL_MAX)                                   \
  X(F16, uint16_t, (double)tarei_f16_to_float, TO_F16, 65504.0) \
  X(BF16, uint16_t, (double)tarei_bf16_to_float, TO_BF16, 0x1.fep127)
/* X(dtype, C type, least, greatest), of integers that int64 holds. */
#define NUMBER_INTEGERS(X)              \
  X(I8, int8_t, INT8_MIN, INT8_MAX)     \
  X(I16, int16_t, INT16_MIN, INT16_MAX) \
  X(I32, int32_t, INT32_MIN, INT32_MAX) \
  X(I64, int64_t, INT64_MIN, INT64_MAX) \
  X(U8, uint8_t, 0, UINT8_MAX)          \
  X(U16, uint16_t, 0, UINT16_MAX)       \
  X(U32, uint32_t, 0, UINT32_MAX)
#define NUMBER_U64(X) X(U64, uint64_t, 0, UINT64_MAX)

bool tarei_is_float(const tare_dtype dtype) {
  return dtype == TARE_F32 || dtype == TARE_F64 || dtype == TARE_F16 || dtype == TARE_BF16;
}

double tarei_real_of_any(const tare_tensor *const t, const int64_t i) {
  switch (t->dtype) {
#define NUMBER_REAL(name, type, real, from, greatest) \
  case TARE_##name:                                   \
    return real(((const type *)t->data)[i]);
#define NUMBER_REAL_OF(name, type, least, greatest) \
  case TARE_##name:                                 \
    return (double)((const type *)t->data)[i];
    NUMBER_FLOATS(NUMBER_REAL)
    NUMBER_INTEGERS(NUMBER_REAL_OF)
    NUMBER_U64(NUMBER_REAL_OF)
#undef NUMBER_REAL
#undef NUMBER_REAL_OF
    case TARE_BOOL:
      return (double)((const uint8_t *)t->data)[i];
    case TARE_DTYPE_NONE:
      break;
  }
  assert(!"an element has a type");
  return 0;
}

static int64_t number_cut(const double x) {
  return isnan(x)                 ? 0
         : x >= (double)INT64_MAX ? INT64_MAX
         : x <= (double)INT64_MIN ? INT64_MIN
                                  : (int64_t)x;
}

static int64_t number_saturated(const uint64_t x) {
  return x > INT64_MAX ? INT64_MAX : (int64_t)x;
}

int64_t tarei_integer_at(const tare_tensor *const t, const int64_t i) {
  switch (t->dtype) {
#define NUMBER_INTEGER(name, type, least, greatest) \
  case TARE_##name:                                 \
    return ((const type *)t->data)[i];
#define NUMBER_CUT(name, type, real, from, greatest) \
  case TARE_##name:                                  \
    return number_cut(real(((const type *)t->data)[i]));
    NUMBER_FLOATS(NUMBER_CUT)
    NUMBER_INTEGERS(NUMBER_INTEGER)
    case TARE_BOOL:
      return ((const uint8_t *)t->data)[i];
    case TARE_U64:
      return number_saturated(((const uint64_t *)t->data)[i]);
#undef NUMBER_INTEGER
#undef NUMBER_CUT
    case TARE_DTYPE_NONE:
      break;
  }
  assert(!"an element has a type");
  return 0;
}

/* The last float64 that is not above an integer type's greatest. */
#define NUMBER_LAST(greatest) \
  ((double)(greatest) > 0x1p53 ? (double)(greatest) * (1 - 0x1p-53) : (double)(greatest))

tarei_number_range tarei_number_range_of(const tare_dtype dtype) {
  switch (dtype) {
#define NUMBER_FLOAT_RANGE(name, type, real, from, greatest) \
  case TARE_##name:                                          \
    return (tarei_number_range){-(greatest), greatest, false};
#define NUMBER_RANGE(name, type, least, greatest) \
  case TARE_##name:                               \
    return (tarei_number_range){(double)(least), NUMBER_LAST(greatest), true};
    NUMBER_FLOATS(NUMBER_FLOAT_RANGE)
    NUMBER_INTEGERS(NUMBER_RANGE)
    NUMBER_U64(NUMBER_RANGE)
#undef NUMBER_FLOAT_RANGE
#undef NUMBER_RANGE
    case TARE_BOOL:
      return (tarei_number_range){0, 1, true};
    case TARE_DTYPE_NONE:
      break;
  }
  assert(!"an element has a type");
  return (tarei_number_range){0};
}

#define NUMBER_PUT(type, number)         \
  do {                                   \
    const type stored = (type)(number);  \
    memcpy(out, &stored, sizeof stored); \
  } while (0)

void tarei_write_number(const tare_dtype dtype, const double value, void *const out) {
  switch (dtype) {
#define NUMBER_WRITE_FLOAT(name, type, real, from, greatest) \
  case TARE_##name:                                          \
    NUMBER_PUT(type, from(value));                           \
    break;
#define NUMBER_WRITE(name, type, least, greatest)                       \
  case TARE_##name:                                                     \
    NUMBER_PUT(type, !(value > (double)(least))      ? (type)(least)    \
                     : value > NUMBER_LAST(greatest) ? (type)(greatest) \
                                                     : (type)value);    \
    break;
    NUMBER_FLOATS(NUMBER_WRITE_FLOAT)
    NUMBER_INTEGERS(NUMBER_WRITE)
    NUMBER_U64(NUMBER_WRITE)
#undef NUMBER_WRITE_FLOAT
#undef NUMBER_WRITE
    case TARE_BOOL:
      NUMBER_PUT(uint8_t, value != 0);
      break;
    case TARE_DTYPE_NONE:
      assert(!"an element has a type");
      break;
  }
}

void tarei_fill_number(const tare_dtype dtype, const double value, void *const out,
                       const size_t count) {
  const size_t size = tare_dtype_size(dtype), bytes = count * size;
  if (count > 0) {
    tarei_write_number(dtype, value, out);
  }
  for (size_t done = size; done < bytes; done *= 2) {
    memcpy((char *)out + done, out, done < bytes - done ? done : bytes - done);
  }
}
