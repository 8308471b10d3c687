#include "shapes/number.h"

#include <assert.h>
#include <math.h>

#include "base/half.h"

/* X(dtype, C type of the bytes, as a float64), of floats and of integers that int64 holds. */
#define NUMBER_FLOATS(X)                       \
  X(F32, float, (double))                      \
  X(F64, double, )                             \
  X(F16, uint16_t, (double)tarei_f16_to_float) \
  X(BF16, uint16_t, (double)tarei_bf16_to_float)
#define NUMBER_INTEGERS(X)   \
  X(I8, int8_t, (double))    \
  X(I16, int16_t, (double))  \
  X(I32, int32_t, (double))  \
  X(I64, int64_t, (double))  \
  X(U8, uint8_t, (double))   \
  X(U16, uint16_t, (double)) \
  X(U32, uint32_t, (double)) \
  X(BOOL, uint8_t, (double))

bool tarei_is_float(const tare_dtype dtype) {
  return dtype == TARE_F32 || dtype == TARE_F64 || dtype == TARE_F16 || dtype == TARE_BF16;
}

double tarei_real_of_any(const tare_tensor *const t, const int64_t i) {
  switch (t->dtype) {
#define NUMBER_REAL(name, type, real) \
  case TARE_##name:                   \
    return real(((const type *)t->data)[i]);
    NUMBER_FLOATS(NUMBER_REAL)
    NUMBER_INTEGERS(NUMBER_REAL)
    NUMBER_REAL(U64, uint64_t, (double))
#undef NUMBER_REAL
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
#define NUMBER_INTEGER(name, type, real) \
  case TARE_##name:                      \
    return ((const type *)t->data)[i];
#define NUMBER_CUT(name, type, real) \
  case TARE_##name:                  \
    return number_cut(real(((const type *)t->data)[i]));
    NUMBER_FLOATS(NUMBER_CUT)
    NUMBER_INTEGERS(NUMBER_INTEGER)
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
