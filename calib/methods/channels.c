#include "calib/methods/channels.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "graph/quantize/smoothing_site.h"

void tarei_channels_init(tarei_channels *const channels, const int n_profiles) {
  *channels = (tarei_channels){.n_profiles = n_profiles};
  (void)pthread_mutex_init(&channels->mutex,
                           NULL); /* never fails with default attributes on Linux */
}

static void range_clear(float *const min, float *const max, const int64_t n) {
  for (int64_t c = 0; c < n; c++) {
    min[c] = INFINITY;
    max[c] = -INFINITY;
  }
}

tare_status tarei_channels_append(tarei_channels *const channels, const int value, const int tensor,
                                  const int64_t n, tare_error *const err) {
  const size_t size = (size_t)n * (size_t)channels->n_profiles;
  if (!TAREI_GROW(channels->items, channels->n, channels->cap)) {
    return tarei_fail_memory(err, "ranges of channels", sizeof *channels->items);
  }
  tarei_channel_range *const range = &channels->items[channels->n];
  *range = (tarei_channel_range){.value = value,
                                 .tensor = tensor,
                                 .n = n,
                                 .min = tarei_calloc(size, sizeof *range->min),
                                 .max = tarei_calloc(size, sizeof *range->max)};
  channels->n++;
  channels->most = n > channels->most ? n : channels->most;
  if (!range->min || !range->max) {
    return tarei_fail_memory(err, "ranges of channels", 8 * size);
  }
  range_clear(range->min, range->max, n * channels->n_profiles);
  return TARE_OK;
}

tare_status tarei_channels_find(tarei_channels *const channels, const tare_plan *const plan,
                                tare_error *const err) {
  const tarei_graph *const g = plan->root.graph;
  const size_t n = (size_t)plan->n_observables;
  channels->of_tensor = tarei_calloc(n, sizeof *channels->of_tensor);
  if (!channels->of_tensor) {
    return tarei_fail_memory(err, "ranges of channels", n * sizeof *channels->of_tensor);
  }
  for (size_t t = 0; t < n; t++) {
    channels->of_tensor[t] = -1;
  }
  for (int v = 0; v < g->n_values; v++) {
    tarei_smoothing_site site;
    const int tensor = plan->root.slots[v].observable;
    if (tensor >= 0 && tarei_smoothing_site_find(g, v, &site) &&
        site.axis == g->values[v].rank - 1) {
      channels->of_tensor[tensor] = channels->n;
      TAREI_TRY(tarei_channels_append(channels, v, tensor, site.channels, err));
    }
  }
  return TARE_OK;
}

void tarei_channels_fini(tarei_channels *const channels) {
  for (int i = 0; i < channels->n; i++) {
    free(channels->items[i].min);
    free(channels->items[i].max);
  }
  (void)pthread_mutex_destroy(&channels->mutex);
  free(channels->items);
  free(channels->of_tensor);
  *channels = (tarei_channels){0};
}

void tarei_channels_reset(tarei_channels *const channels) {
  for (int i = 0; i < channels->n; i++) {
    const tarei_channel_range *const range = &channels->items[i];
    range_clear(range->min, range->max, range->n * channels->n_profiles);
  }
}

/* NaN compares as neither. */
static void range_take(float *restrict const min, float *restrict const max,
                       const float *restrict const low, const float *restrict const high,
                       const int64_t n) {
  for (int64_t c = 0; c < n; c++) {
    min[c] = low[c] < min[c] ? low[c] : min[c];
    max[c] = high[c] > max[c] ? high[c] : max[c];
  }
}

/* The rows of a box, by the odometer of its extents. */
static void range_of_box(const tare_tensor *const t, const int64_t *const extents, float *const min,
                         float *const max, const int64_t n) {
  int64_t n_rows = 1;
  for (int d = 0; d < t->rank - 1; d++) {
    n_rows *= extents[d];
  }
  for (int64_t i = 0; i < n_rows; i++) {
    int64_t rest = i, row = 0, stride = 1;
    for (int d = t->rank - 2; d >= 0; d--) {
      row += rest % extents[d] * stride;
      rest /= extents[d];
      stride *= t->dims[d];
    }
    const float *const x = (const float *)t->data + row * n;
    range_take(min, max, x, x, n);
  }
}

void tarei_channels_observe(tarei_channels *const channels, const int tensor, const int profile,
                            const tare_tensor *const data, const int64_t *const extents,
                            float *const scratch) {
  const int i = channels->n ? channels->of_tensor[tensor] : -1;
  if (i < 0) {
    return;
  }
  const tarei_channel_range *const range = &channels->items[i];
  const int64_t n = range->n;
  float *const min = scratch, *const max = scratch + n;
  range_clear(min, max, n);
  range_of_box(data, extents, min, max, n);
  (void)pthread_mutex_lock(&channels->mutex); /* cannot fail on a sound default mutex */
  range_take(range->min + profile * n, range->max + profile * n, min, max, n);
  (void)pthread_mutex_unlock(&channels->mutex);
}

void tarei_channels_add(tarei_channels *const channels, const tarei_channels *const others) {
  for (int i = 0; i < channels->n; i++) {
    const tarei_channel_range *const to = &channels->items[i], *const from = &others->items[i];
    range_take(to->min, to->max, from->min, from->max, to->n * channels->n_profiles);
  }
}
