#include "shapes/pad_value.h"

#include <math.h>

#include "base/error.h"
#include "shapes/number.h"

tare_status tarei_pad_value_check(const tare_pad_value *const pad, const tare_dtype dtype,
                                  tare_error *const err) {
  if (!tare_dtype_size(dtype)) {
    return tarei_fail(err, TARE_E_USAGE, "pad value %g for input '%s' of unknown element type",
                      pad->value, pad->input);
  }
  const tarei_number_range range = tarei_number_range_of(dtype);
  const char *const name = tare_dtype_name(dtype);
  if (isnan(pad->value)) {
    return tarei_fail(err, TARE_E_USAGE, "pad value for input '%s' is NaN", pad->input);
  }
  if (range.integer && pad->value != floor(pad->value)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "pad value %g for input '%s' is not an integer, as %s needs", pad->value,
                      pad->input, name);
  }
  const bool unbounded = isinf(pad->value) && !range.integer;
  if (!unbounded && (pad->value < range.least || pad->value > range.greatest)) {
    return tarei_fail(err, TARE_E_USAGE,
                      "pad value %.17g for input '%s' is outside the range of %s, %.17g..%.17g",
                      pad->value, pad->input, name, range.least, range.greatest);
  }
  return TARE_OK;
}
