#include "graph/table/formats/ort_range.h"

#include <float.h>
#include <math.h>

tarei_ort_range tarei_ort_range_of(const tarei_cell *const cell) {
  const double amax = cell->amax;
  if (amax < tarei_table_least_amax()) {
    return (tarei_ort_range){0, 0};
  }
  double low = -amax, high = amax;
  if (!isnan(cell->min) && !isnan(cell->max)) {
    low = fmin(fmax(cell->min, -amax), amax);
    high = fmax(fmin(cell->max, amax), -amax);
    *(high >= -low ? &high : &low) = high >= -low ? amax : -amax;
  }
  return (tarei_ort_range){low, high};
}

static bool ort_range_fits(const double bound) {
  return isfinite(bound) && fabs(bound) <= FLT_MAX;
}

tare_status tarei_ort_add(const char *const file, const char *const tensor,
                          const tarei_ort_range stored, tare_table *const table,
                          tare_error *const err) {
  const tarei_ort_range range = {tarei_table_in_float(stored.low),
                                 tarei_table_in_float(stored.high)};
  if (!ort_range_fits(range.low) || !ort_range_fits(range.high)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': the range must be finite in float32, got %g to %g",
                      file, tensor, range.low, range.high);
  }
  if (range.low > range.high) {
    return tarei_fail(err, TARE_E_INPUT,
                      "%s: tensor '%.120s': 'lowest' must not exceed 'highest', got %g and %g",
                      file, tensor, range.low, range.high);
  }
  const double amax = fmax(fabs(range.low), fabs(range.high));
  tarei_cell cell = tarei_cell_unknown(amax < tarei_table_least_amax() ? 0 : amax);
  cell.min = range.low;
  cell.max = range.high;
  return tarei_table_add_tensor(table, tensor, NULL, &cell, err);
}
