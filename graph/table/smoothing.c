#include "graph/table/smoothing.h"

#include <math.h>

#include "base/mem.h"

void tarei_smoothings_fini(tarei_smoothings *const list) {
  for (int i = 0; i < list->n; i++) {
    free(list->items[i].tensor);
    free(list->items[i].exponents);
    free(list->items[i].min);
    free(list->items[i].max);
  }
  free(list->items);
  *list = (tarei_smoothings){0};
}

tare_status tarei_smoothings_add(tarei_smoothings *const list, const char *const tensor,
                                 const int64_t channels, const int8_t *const exponents,
                                 const int n_columns, const double *const min,
                                 const double *const max, const double rms, tare_error *const err) {
  if (!TAREI_GROW(list->items, list->n, list->cap)) {
    return tarei_fail_memory(err, "smoothed tensors", sizeof *list->items);
  }
  const size_t bytes = (size_t)n_columns * sizeof *min;
  tarei_smoothing *const s = &list->items[list->n++];
  *s = (tarei_smoothing){.tensor = tarei_strdup(tensor),
                         .channels = channels,
                         .exponents = tarei_memdup(exponents, (size_t)channels),
                         .min = tarei_memdup(min, bytes),
                         .max = tarei_memdup(max, bytes),
                         .rms = rms};
  return s->tensor && s->exponents && s->min && s->max
             ? TARE_OK
             : tarei_fail_memory(err, "a smoothed tensor", (size_t)channels + 2 * bytes);
}

tare_status tarei_smoothings_merge(tarei_smoothings *const list, const tarei_smoothing *const from,
                                   const int first, const int end, tare_error *const err) {
  double min = from->min[first], max = from->max[first];
  for (int c = first + 1; c < end; c++) {
    min = fmin(min, from->min[c]);
    max = fmax(max, from->max[c]);
  }
  return tarei_smoothings_add(list, from->tensor, from->channels, from->exponents, 1, &min, &max,
                              from->rms, err);
}
