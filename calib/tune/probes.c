#include "calib/tune/probes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Layers that together cost less than this part of the bound stay as they are. */
enum { INNOCENT_PART = 8 };

tare_status tarei_probes_measure(const tarei_trials *const trials, tare_dataset *const data,
                                 tarei_tune_layer *const layers, const tarei_probe *const probes,
                                 const int n, const double floor, tare_error *const err) {
  const char *lines[TARE_MOST_TRIALS];
  tarei_str requests[TARE_MOST_TRIALS] = {{0}};
  double noise[TARE_MOST_TRIALS];
  bool failed = false;
  for (int i = 0; i < n; i++) {
    tarei_str_add(&requests[i], "*:fp32,%s:%s", layers[probes[i].layer].glob,
                  tare_precision_name((tare_precision)probes[i].form));
    lines[i] = tarei_str_get(&requests[i]);
    failed |= requests[i].failed;
  }
  const tare_status status = failed ? tarei_fail_memory(err, "requests", (size_t)n)
                                    : tarei_trials_noise(trials, data, lines, n, noise, err);
  for (int i = 0; i < n; i++) {
    if (status == TARE_OK) {
      layers[probes[i].layer].noise[probes[i].form] = fmax(noise[i] - floor, 0);
    }
    tarei_str_free(&requests[i]);
  }
  return status;
}

double tarei_probes_standard(const tarei_tune_layer *const layer) {
  const double noise = layer->noise[layer->standard];
  return isnan(noise) ? 0 : noise;
}

static int by_standard_noise(const void *const a, const void *const b) {
  const tarei_tune_layer *const x = a, *const y = b;
  const double p = tarei_probes_standard(x), q = tarei_probes_standard(y);
  return p != q ? (p < q) - (p > q) : strcmp(x->name, y->name);
}

int tarei_probes_sort(tarei_tune_layers *const layers, const double bound) {
  if (layers->n) {
    qsort(layers->items, (size_t)layers->n, sizeof *layers->items, by_standard_noise);
  }
  double tail = 0;
  int n = layers->n;
  while (n > 0 && tail + tarei_probes_standard(&layers->items[n - 1]) <= bound / INNOCENT_PART) {
    tail += tarei_probes_standard(&layers->items[--n]);
  }
  return n;
}
