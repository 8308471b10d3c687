#include "tools/show/weight_scales.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tools/cli.h"

/* The caller frees them; NULL if there are none. */
static float *weight_scales_new(const tare_plan *const plan, const int layer, const int tensor,
                                int64_t *const n) {
  *n = tensor < tare_plan_layer(plan, layer).n_inputs
           ? tare_plan_weight_scales(plan, layer, tensor, NULL)
           : 0;
  if (*n == 0) {
    return NULL;
  }
  float *const scales = cli_realloc(NULL, (size_t)*n, sizeof *scales);
  (void)tare_plan_weight_scales(plan, layer, tensor, scales);
  return scales;
}

static int scales_ascending(const void *const a, const void *const b) {
  const float x = *(const float *)a, y = *(const float *)b;
  return (x > y) - (x < y);
}

char *weight_scales_text(const tare_plan *const plan, const int layer, const int tensor) {
  int64_t n;
  float *const scales = weight_scales_new(plan, layer, tensor, &n);
  if (!scales) {
    return cli_format("%s", "");
  }
  qsort(scales, (size_t)n, sizeof *scales, scales_ascending);
  const double least = (double)scales[0], most = (double)scales[n - 1];
  const double median = ((double)scales[(n - 1) / 2] + (double)scales[n / 2]) / 2;
  char *const text =
      n == 1 || least == most
          ? cli_format(", scale %.6g", least)
          : cli_format(", %" PRId64 " scales %.6g to %.6g, median %.6g", n, least, most, median);
  free(scales);
  return text;
}

void weight_scales_json(cJSON *const item, const tare_plan *const plan, const int layer,
                        const int tensor) {
  int64_t n;
  float *const scales = weight_scales_new(plan, layer, tensor, &n);
  if (scales) {
    cJSON *const list = json_add(item, "weight_scales", json_array());
    for (int64_t i = 0; i < n; i++) {
      json_real(list, NULL, (double)scales[i]);
    }
  }
  free(scales);
}
