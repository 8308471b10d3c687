#include "conformance/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static double half_value(const uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  double value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
  if (exponent == 31) {
    value = fraction ? NAN : INFINITY;
  }
  return bits >> 15 ? -value : value;
}

static double bfloat_value(const uint16_t bits) {
  const uint32_t wide = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/* Element i of a float tensor. */
static double float_at(const tare_tensor *const t, const int64_t i) {
  switch (t->dtype) {
    case TARE_F64:
      return ((const double *)t->data)[i];
    case TARE_F16:
      return half_value(((const uint16_t *)t->data)[i]);
    case TARE_BF16:
      return bfloat_value(((const uint16_t *)t->data)[i]);
    default:
      return ((const float *)t->data)[i];
  }
}

static bool is_float(const tare_dtype dtype) {
  return dtype == TARE_F32 || dtype == TARE_F64 || dtype == TARE_F16 || dtype == TARE_BF16;
}

static bool near(const double got, const double want, const tolerance limit) {
  if (isnan(want) || isinf(want)) {
    return isnan(want) ? isnan(got) : got == want;
  }
  return fabs(got - want) <= limit.absolute + limit.relative * fabs(want);
}

static double largest_of(const tare_tensor *const t, const int64_t n) {
  double largest = 0;
  for (int64_t i = 0; i < n; i++) {
    const double v = fabs(float_at(t, i));
    largest = isfinite(v) && v > largest ? v : largest;
  }
  return largest;
}

/* The rounding of short floats alone is more than the usual tolerance. Where large numbers cancel,
 * as in transforms, what is left is as noisy as they were. */
static tolerance widened(const tolerance limit, const tare_tensor *const want, const int64_t n) {
  const tare_dtype dtype = want->dtype;
  const double ulp = dtype == TARE_BF16 ? 0x1p-7 : dtype == TARE_F16 ? 0x1p-10 : 0;
  const double noise = dtype == TARE_F32 ? 0x1p-23 * largest_of(want, n) : 0;
  return (tolerance){fmax(limit.relative, ulp), fmax(limit.absolute, noise)};
}

static bool floats_equal(const tare_tensor *const got, const tare_tensor *const want,
                         const int64_t n, const tolerance asked, char *const why,
                         const size_t size) {
  const tolerance limit = widened(asked, want, n);
  for (int64_t i = 0; i < n; i++) {
    const double g = float_at(got, i), w = float_at(want, i);
    if (!near(g, w, limit)) {
      snprintf(why, size, "element %" PRId64 " of %" PRId64 " is %.8g instead of %.8g", i, n, g, w);
      return false;
    }
  }
  return true;
}

/* Bits of an integer; enough to tell two apart. */
static long long integer_at(const tare_tensor *const t, const int64_t i) {
  const size_t size = tare_dtype_size(t->dtype);
  long long value = 0;
  memcpy(&value, (const char *)t->data + (size_t)i * size, size); /* little-endian, as ONNX is */
  return value;
}

static bool integers_equal(const tare_tensor *const got, const tare_tensor *const want,
                           const int64_t n, char *const why, const size_t size) {
  for (int64_t i = 0; i < n; i++) {
    const long long g = integer_at(got, i), w = integer_at(want, i);
    if (g != w) {
      snprintf(why, size, "element %" PRId64 " of %" PRId64 " is %lld instead of %lld", i, n, g, w);
      return false;
    }
  }
  return true;
}

static const char *show_dims(const tare_tensor *const t, char *const text, const size_t size) {
  size_t used = (size_t)snprintf(text, size, "[");
  for (int d = 0; d < t->rank && used < size; d++) {
    used += (size_t)snprintf(text + used, size - used, "%s%" PRId64, d ? ", " : "", t->dims[d]);
  }
  if (used < size) {
    snprintf(text + used, size - used, "]");
  }
  return text;
}

static bool shapes_equal(const tare_tensor *const a, const tare_tensor *const b) {
  bool equal = a->rank == b->rank;
  for (int d = 0; d < a->rank && equal; d++) {
    equal = a->dims[d] == b->dims[d];
  }
  return equal;
}

bool tensors_equal(const tare_tensor *const got, const tare_tensor *const want,
                   const tolerance limit, char *const why, const size_t size) {
  char a[100], b[100];
  if (got->dtype != want->dtype) {
    snprintf(why, size, "is %s instead of %s", tare_dtype_name(got->dtype),
             tare_dtype_name(want->dtype));
    return false;
  }
  if (!shapes_equal(got, want)) {
    snprintf(why, size, "has the shape %s instead of %s", show_dims(got, a, sizeof a),
             show_dims(want, b, sizeof b));
    return false;
  }
  const int64_t n = tare_tensor_count(want);
  return is_float(want->dtype) ? floats_equal(got, want, n, limit, why, size)
                               : integers_equal(got, want, n, why, size);
}
