#include "shapes/pad_value.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/half.h"

#define SAME(v) (v)
#define TO_F16(v) tarei_float_to_f16((float)(v))
#define TO_BF16(v) tarei_float_to_bf16((float)(v))

/* X(dtype, C type of the bytes, conversion, least, greatest, integer). The greatest 64-bit integers
 * are the last doubles below 2^63 and 2^64. */
#define PAD_TYPES(X)                                           \
  X(F32, float, (float), -FLT_MAX, FLT_MAX, 0)                 \
  X(U8, uint8_t, (uint8_t), 0, UINT8_MAX, 1)                   \
  X(I8, int8_t, (int8_t), INT8_MIN, INT8_MAX, 1)               \
  X(U16, uint16_t, (uint16_t), 0, UINT16_MAX, 1)               \
  X(I16, int16_t, (int16_t), INT16_MIN, INT16_MAX, 1)          \
  X(I32, int32_t, (int32_t), INT32_MIN, INT32_MAX, 1)          \
  X(I64, int64_t, (int64_t), -0x1p63, 0x1.fffffffffffffp62, 1) \
  X(BOOL, uint8_t, (uint8_t), 0, 1, 1)                         \
  X(F16, uint16_t, TO_F16, -65504.0, 65504.0, 0)               \
  X(F64, double, SAME, -DBL_MAX, DBL_MAX, 0)                   \
  X(U32, uint32_t, (uint32_t), 0, UINT32_MAX, 1)               \
  X(U64, uint64_t, (uint64_t), 0, 0x1.fffffffffffffp63, 1)     \
  X(BF16, uint16_t, TO_BF16, -0x1.fep127, 0x1.fep127, 0)

#define PAD_FILL(dtype, type, convert, least, greatest, integer)                       \
  static void fill_##dtype(const double value, void *const data, const size_t count) { \
    const type element = convert(value);                                               \
    type *const to = data;                                                             \
    for (size_t i = 0; i < count; i++) {                                               \
      to[i] = element;                                                                 \
    }                                                                                  \
  }
PAD_TYPES(PAD_FILL)
#undef PAD_FILL

typedef struct pad_type {
  tare_dtype dtype;
  double least, greatest;
  bool integer;
  void (*fill)(double value, void *data, size_t count);
} pad_type;

static const pad_type types[] = {
#define PAD_ROW(dtype, type, convert, least, greatest, integer) \
  {TARE_##dtype, least, greatest, integer, fill_##dtype},
    PAD_TYPES(PAD_ROW)
#undef PAD_ROW
};

static const pad_type *find_type(const tare_dtype dtype) {
  for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
    if (types[i].dtype == dtype) {
      return &types[i];
    }
  }
  return NULL;
}

tare_status tarei_pad_value_check(const tare_pad_value *const pad, const tare_dtype dtype,
                                  tare_error *const err) {
  const pad_type *const type = find_type(dtype);
  const char *const name = tare_dtype_name(dtype);
  if (!type) {
    return tarei_fail(err, TARE_E_USAGE, "pad value %g for input '%s' of unknown element type",
                      pad->value, pad->input);
  }
  if (isnan(pad->value)) {
    return tarei_fail(err, TARE_E_USAGE, "pad value for input '%s' is NaN", pad->input);
  }
  if (type->integer && pad->value != floor(pad->value)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "pad value %g for input '%s' is not an integer, as %s needs", pad->value,
                      pad->input, name);
  }
  const bool unbounded = isinf(pad->value) && !type->integer;
  if (!unbounded && (pad->value < type->least || pad->value > type->greatest)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "pad value %.17g for input '%s' is outside the range of %s, %.17g..%.17g",
                      pad->value, pad->input, name, type->least, type->greatest);
  }
  return TARE_OK;
}

void tarei_pad_fill(const tare_dtype dtype, const double value, void *const data,
                    const size_t count) {
  const pad_type *const type = find_type(dtype);
  assert(type);
  type->fill(value, data, count);
}
