#include "graph/table/formats/threshold_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "graph/table/table.h"

bool tarei_is_decimal(const char *const text) {
  const char *const digits = text + (*text == '-' || *text == '+');
  if (strcasecmp(digits, "inf") == 0 || strcasecmp(digits, "nan") == 0) {
    return true;
  }
  char *end = NULL;
  (void)strtod(text, &end);
  return end != text && !*end && strspn(digits, "0123456789.eE+-") == strlen(digits);
}

tare_status tarei_threshold_read(const tarei_source *const source, const char *const tensor,
                                 const char *const text, double *const amax,
                                 tare_error *const err) {
  *amax = tarei_is_decimal(text) ? tarei_table_in_float(strtod(text, NULL)) : NAN;
  if (!isfinite((float)*amax)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': the threshold must be a finite float32, got '%.40s'",
                      source->name, tensor, text);
  }
  if (*amax < 0) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': the threshold must not be negative, got %.40s (some "
                      "versions of ONNX Runtime write the upper end of a range instead of its "
                      "largest magnitude: convert calibration.json)",
                      source->name, tensor, text);
  }
  *amax = *amax < tarei_table_least_amax() ? 0 : *amax;
  return TARE_OK;
}
