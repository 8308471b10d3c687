/* Noise of single layers. */
#include "calib/tune/search.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/tune/probes.h"

/* Measures layers in forms, as long as the search goes on. */
static tare_status measure_probes(tarei_search *const s, const tarei_probe *const probes,
                                  const int n, tare_error *const err) {
  const int before = s->n_probed;
  for (int at = 0; at < n && tarei_search_goes_on(s, TARE_TUNE_LAYERS, before + at, before + n);
       at += TARE_MOST_TRIALS) {
    const int group = n - at < TARE_MOST_TRIALS ? n - at : TARE_MOST_TRIALS;
    TAREI_TRY(tarei_probes_measure(&s->trials, s->data, s->out->layers.items, probes + at, group,
                                   s->floor, err));
    s->n_probed = before + at + group;
  }
  return TARE_OK;
}

/* Whether a form is measured for all layers: the standard one, one scale, which is faster than
 * others, and row scales if integers are asked for where float is standard. */
static bool is_probed_first(const tarei_search *const s, const tarei_tune_layer *const layer,
                            const int form) {
  const bool asked =
      s->options->min_integer_share > 0 && !tare_precision_is_integer(layer->standard);
  return form == (int)layer->standard || form == TARE_PRECISION_INT8 ||
         (form == TARE_PRECISION_INT8_ROWS && asked);
}

/* A form that is not faster than float cannot be the choice: float has no noise. Where a share on
 * integers is asked for, its price decides instead. */
static bool is_beaten(const tarei_search *const s, const tarei_tune_layer *const layer,
                      const int form) {
  return s->options->min_integer_share == 0 && layer->has[TARE_PRECISION_FP32] &&
         layer->seconds[form] >= layer->seconds[TARE_PRECISION_FP32] + layer->float_price;
}

/* The forms of the first layers whose noise is not known. `few`: just those that are measured for
 * all. */
static int list_probes(const tarei_search *const s, const int n_layers, const bool few,
                       tarei_probe *const out) {
  int n = 0;
  for (int l = 0; l < n_layers; l++) {
    const tarei_tune_layer *const layer = &s->out->layers.items[l];
    for (int f = 0; f < TARE_PRECISION_COUNT; f++) {
      const bool wanted = !few || is_probed_first(s, layer, f);
      const bool spared = f != (int)layer->standard && is_beaten(s, layer, f);
      if (layer->has[f] && isnan(layer->noise[f]) && wanted && !spared) {
        out[n++] = (tarei_probe){l, f};
      }
    }
  }
  return n;
}

tare_status tarei_search_layers(tarei_search *const s, const double bound, tare_error *const err) {
  tarei_tune_layers *const layers = &s->out->layers;
  const size_t most = (size_t)layers->n * TARE_PRECISION_COUNT;
  tarei_probe *const probes = tarei_calloc(most, sizeof *probes);
  if (!probes) {
    return tarei_fail_memory(err, "layers to tune", most * sizeof *probes);
  }
  tare_status status = measure_probes(s, probes, list_probes(s, layers->n, true, probes), err);
  if (status == TARE_OK) {
    const int n = list_probes(s, tarei_probes_sort(layers, bound), false, probes);
    status = measure_probes(s, probes, n, err);
  }
  free(probes);
  return status;
}
