/* Noise of single layers. */
#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Layers that together cost less than this part of the bound stay as they are. */
enum { INNOCENT_PART = 8 };

/* One layer in one form, the others in float. */
typedef struct tune_probe {
  int layer, form;
} tune_probe;

static tare_status measure_probe_group(tarei_search *const s, const tune_probe *const probes,
                                       const int n, tare_error *const err) {
  const char *lines[TARE_MOST_TRIALS];
  tarei_str requests[TARE_MOST_TRIALS] = {{0}};
  double noise[TARE_MOST_TRIALS];
  bool failed = false;
  for (int i = 0; i < n; i++) {
    tarei_str_add(&requests[i], "*:fp32,%s:%s", s->out->layers.items[probes[i].layer].glob,
                  tare_precision_name((tare_precision)probes[i].form));
    lines[i] = tarei_str_get(&requests[i]);
    failed |= requests[i].failed;
  }
  const tare_status status = failed ? tarei_fail_memory(err, "requests", (size_t)n)
                                    : tarei_trials_noise(&s->trials, s->data, lines, n, noise, err);
  for (int i = 0; i < n; i++) {
    if (status == TARE_OK) {
      s->out->layers.items[probes[i].layer].noise[probes[i].form] = fmax(noise[i] - s->floor, 0);
    }
    tarei_str_free(&requests[i]);
  }
  return status;
}

/* Measures layers in forms, as long as the search goes on. */
static tare_status measure_probes(tarei_search *const s, const tune_probe *const probes,
                                  const int n, tare_error *const err) {
  const int before = s->n_probed;
  for (int at = 0; at < n && tarei_search_goes_on(s, TARE_TUNE_LAYERS, before + at, before + n);
       at += TARE_MOST_TRIALS) {
    const int group = n - at < TARE_MOST_TRIALS ? n - at : TARE_MOST_TRIALS;
    TAREI_TRY(measure_probe_group(s, probes + at, group, err));
    s->n_probed = before + at + group;
  }
  return TARE_OK;
}

static double standard_noise(const tarei_tune_layer *const layer) {
  const double noise = layer->noise[layer->standard];
  return isnan(noise) ? 0 : noise;
}

static int by_standard_noise(const void *const a, const void *const b) {
  const tarei_tune_layer *const x = a, *const y = b;
  const double p = standard_noise(x), q = standard_noise(y);
  return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

/* How many layers cost too much to stay as they are; the others together cost little. */
static int count_guilty(const tarei_search *const s, const double bound) {
  const tarei_tune_layers *const layers = &s->out->layers;
  double tail = 0;
  int n = layers->n;
  while (n > 0 && tail + standard_noise(&layers->items[n - 1]) <= bound / INNOCENT_PART) {
    tail += standard_noise(&layers->items[--n]);
  }
  return n;
}

/* The forms of the first layers whose noise is not known. `few`: just the standard form, and one
 * scale, which is faster than others. */
static int list_probes(const tarei_search *const s, const int n_layers, const bool few,
                       tune_probe *const out) {
  int n = 0;
  for (int l = 0; l < n_layers; l++) {
    const tarei_tune_layer *const layer = &s->out->layers.items[l];
    for (int f = 0; f < TARE_PRECISION_COUNT; f++) {
      const bool first = f == (int)layer->standard || f == TARE_PRECISION_INT8;
      if (layer->has[f] && isnan(layer->noise[f]) && (first || !few)) {
        out[n++] = (tune_probe){l, f};
      }
    }
  }
  return n;
}

tare_status tarei_search_layers(tarei_search *const s, const double bound, tare_error *const err) {
  tarei_tune_layers *const layers = &s->out->layers;
  const size_t most = (size_t)layers->n * TARE_PRECISION_COUNT;
  tune_probe *const probes = tarei_calloc(most, sizeof *probes);
  if (!probes) {
    return tarei_fail_memory(err, "layers to tune", most * sizeof *probes);
  }
  tare_status status = measure_probes(s, probes, list_probes(s, layers->n, true, probes), err);
  if (status == TARE_OK) {
    qsort(layers->items, (size_t)layers->n, sizeof *layers->items, by_standard_noise);
    const int n = list_probes(s, count_guilty(s, bound), false, probes);
    status = measure_probes(s, probes, n, err);
  }
  free(probes);
  return status;
}
