#include "calib/tune/forms.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "engine/layers/layers.h"
#include "graph/quantize/row_need.h"

/* What a layer computes in, of the precisions that can be requested; ANY: it has no other form. */
static tare_precision form_of(const tare_layer *const layer) {
  return layer->asked == TARE_PRECISION_ANY ? TARE_PRECISION_ANY : layer->got;
}

tare_status tarei_tune_layers_add(tarei_tune_layers *const out, const char *const name,
                                  const char *const origin, const tare_precision standard,
                                  const double share, tare_error *const err) {
  tarei_tune_layer *const item = &out->items[out->n++];
  *item = (tarei_tune_layer){.name = tarei_strdup(name),
                             .origin = tarei_strdup(origin),
                             .standard = standard,
                             .chosen = standard,
                             .share = share};
  for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
    item->noise[p] = p == TARE_PRECISION_FP32 ? 0 : NAN;
    item->seconds[p] = NAN;
  }
  return item->name && item->origin ? tare_layer_glob(origin, &item->glob, err)
                                    : tarei_fail_memory(err, "layers to tune", strlen(name));
}

tare_status tarei_tune_operations(const tare_plan *const plan, double *const operations,
                                  double *const sum, tare_error *const err) {
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  int64_t values[TARE_MAX_SYMBOLS];
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    values[s] = tare_profiles_range(profiles, 0, s).opt;
  }
  *sum = 0;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    TAREI_TRY(tare_plan_layer_operations(plan, i, values, &operations[i], err));
    *sum += operations[i];
  }
  return TARE_OK;
}

tare_status tarei_float_share(const tare_plan *const plan, double *const out,
                              tare_error *const err) {
  const int n = tare_plan_n_layers(plan);
  double *const operations = tarei_calloc((size_t)n, sizeof *operations);
  double sum = 0, integer = 0;
  if (!operations) {
    return tarei_fail_memory(err, "operations of layers", (size_t)n * sizeof *operations);
  }
  const tare_status status = tarei_tune_operations(plan, operations, &sum, err);
  for (int i = 0; i < n; i++) {
    integer += tare_precision_is_integer(tare_plan_layer(plan, i).got) ? operations[i] : 0;
  }
  free(operations);
  *out = sum > 0 ? 1 - integer / sum : 0;
  return status;
}

tare_status tarei_tune_layers_find(const tare_plan *const plan, tarei_tune_layers *const out,
                                   tare_error *const err) {
  const int n = tare_plan_n_layers(plan);
  double *const operations = tarei_calloc((size_t)n, sizeof *operations);
  double sum = 0;
  out->items = tarei_calloc((size_t)n, sizeof *out->items);
  tare_status status = out->items && operations
                           ? tarei_tune_operations(plan, operations, &sum, err)
                           : tarei_fail_memory(err, "layers to tune", (size_t)n);
  for (int i = 0; i < n && status == TARE_OK; i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (form_of(&layer) != TARE_PRECISION_ANY) {
      status = tarei_tune_layers_add(out, layer.name, layer.origins[0], form_of(&layer),
                                     sum > 0 ? operations[i] / sum : 0, err);
    }
  }
  free(operations);
  return status;
}

void tarei_tune_layers_fini(tarei_tune_layers *const layers) {
  for (int i = 0; i < layers->n; i++) {
    free(layers->items[i].name);
    free(layers->items[i].glob);
    free(layers->items[i].origin);
  }
  free(layers->items);
  *layers = (tarei_tune_layers){0};
}

static tare_precision got_of(const tare_layer *const layer) {
  return layer->got == TARE_PRECISION_ANY ? TARE_PRECISION_FP32 : layer->got;
}

/* Numbers of the items by their first nodes, of which the first counts where several share one. */
static bool tune_layer_names(const tarei_tune_layers *const layers, tarei_names *const out) {
  const bool ok = tarei_names_init(out, (size_t)layers->n);
  for (int i = 0; i < layers->n && ok; i++) {
    if (tarei_names_find(out, layers->items[i].origin) < 0) {
      tarei_names_add(out, layers->items[i].origin, i);
    }
  }
  return ok;
}

/* For each layer of a plan the number of the item with the same first node, or -1; to be freed. */
static tare_status match_layers(const tarei_tune_layers *const layers, const tare_plan *const plan,
                                int **const out, tare_error *const err) {
  const int n = tare_plan_n_layers(plan);
  tarei_names names = {0};
  *out = tarei_calloc((size_t)n, sizeof **out);
  if (!*out || !tune_layer_names(layers, &names)) {
    free(*out);
    return tarei_fail_memory(err, "layers to tune", (size_t)n * sizeof **out);
  }
  for (int l = 0; l < n; l++) {
    (*out)[l] = tarei_names_find(&names, tare_plan_layer(plan, l).origins[0]);
  }
  tarei_names_fini(&names);
  return TARE_OK;
}

/* --- scales that others exceed ---------------------------------------------------------------- */

static void deny_layer(const tare_plan *const plan, const int l, const bool louder,
                       tarei_tune_layer *const item) {
  const tarei_layer *const layer = &plan->layers[l];
  for (int i = 0; i < layer->facts.n_inputs; i++) {
    const tarei_quant *const quant = &layer->part->graph->values[layer->values[i]].quant;
    item->keeps_level |= louder && quant->n_scales > 0 && quant->follows_level;
    item->is_exceeded |= quant->n_scales > 0 && tarei_quant_is_exceeded(quant);
  }
}

tare_status tarei_tune_layers_deny(tarei_tune_layers *const layers, const tare_plan *const plan,
                                   const bool louder, tare_error *const err) {
  int *items = NULL;
  TAREI_TRY(match_layers(layers, plan, &items, err));
  for (int l = 0; l < tare_plan_n_layers(plan); l++) {
    if (items[l] >= 0) {
      deny_layer(plan, l, louder, &layers->items[items[l]]);
    }
  }
  free(items);
  return TARE_OK;
}

static bool is_denied(const tarei_tune_layers *const layers, const tarei_tune_layer *const layer,
                      const tare_precision form) {
  if (layer->decides_length) {
    return form != TARE_PRECISION_FP32;
  }
  const bool is_static = form == TARE_PRECISION_INT8 || form == TARE_PRECISION_INT16;
  const bool exceeded = (layer->keeps_level && !layers->may_clip) || layer->is_exceeded;
  return is_static && exceeded && form != layer->standard;
}

tare_status tarei_tune_layers_permit(const tarei_tune_layers *const layers,
                                     const tare_plan *const plan, bool *const out,
                                     tare_error *const err) {
  int *items = NULL;
  TAREI_TRY(match_layers(layers, plan, &items, err));
  *out = true;
  for (int l = 0; l < tare_plan_n_layers(plan); l++) {
    const tare_layer layer = tare_plan_layer(plan, l);
    *out &= items[l] < 0 || !is_denied(layers, &layers->items[items[l]], got_of(&layer));
  }
  free(items);
  return TARE_OK;
}

/* --- what is known ---------------------------------------------------------------------------- */

tare_status tarei_tune_layers_learn(tarei_tune_layers *const layers, const tare_plan *const plan,
                                    const double *const seconds, tare_error *const err) {
  int *items = NULL;
  TAREI_TRY(match_layers(layers, plan, &items, err));
  for (int l = 0; l < tare_plan_n_layers(plan); l++) {
    const tare_layer layer = tare_plan_layer(plan, l);
    if (items[l] >= 0 && !is_denied(layers, &layers->items[items[l]], got_of(&layer))) {
      tarei_tune_layer *const item = &layers->items[items[l]];
      item->has[got_of(&layer)] = true;
      if (seconds) {
        item->seconds[got_of(&layer)] = fmin(item->seconds[got_of(&layer)], seconds[l]);
      }
    }
  }
  free(items);
  return TARE_OK;
}

tare_status tarei_tune_layers_choose(tarei_tune_layers *const layers, const tare_plan *const plan,
                                     tare_error *const err) {
  int *items = NULL;
  TAREI_TRY(match_layers(layers, plan, &items, err));
  for (int l = 0; l < tare_plan_n_layers(plan); l++) {
    const tare_layer layer = tare_plan_layer(plan, l);
    if (items[l] >= 0) {
      layers->items[items[l]].chosen = got_of(&layer);
    }
  }
  free(items);
  return TARE_OK;
}

/* --- lengths ---------------------------------------------------------------------------------- */

/* The number of an item that is a node of a layer, or -1. */
static int find_origin(const tarei_names *const names, const tare_layer *const layer, const int o) {
  return layer->decides_length ? tarei_names_find(names, layer->origins[o]) : -1;
}

/* Whether it changes what the layer has. */
static bool keep_layer(tarei_tune_layer *const item) {
  const bool kept = item->has[TARE_PRECISION_FP32] && !item->decides_length;
  for (int f = 0; f < TARE_PRECISION_COUNT && kept; f++) {
    item->has[f] = f == TARE_PRECISION_FP32;
  }
  item->decides_length |= kept;
  item->chosen = kept ? TARE_PRECISION_FP32 : item->chosen;
  return kept && item->standard != TARE_PRECISION_FP32;
}

tare_status tarei_tune_layers_keep_lengths(tarei_tune_layers *const layers,
                                           const tare_plan *const fp32, int *const out,
                                           tare_error *const err) {
  tarei_names names = {0};
  *out = 0;
  if (!tune_layer_names(layers, &names)) {
    return tarei_fail_memory(err, "layers to tune", (size_t)layers->n);
  }
  for (int l = 0; l < tare_plan_n_layers(fp32); l++) {
    const tare_layer layer = tare_plan_layer(fp32, l);
    for (int o = 0; o < layer.n_origins; o++) {
      const int item = find_origin(&names, &layer, o);
      *out += item >= 0 ? keep_layer(&layers->items[item]) : 0;
    }
  }
  tarei_names_fini(&names);
  return TARE_OK;
}

void tarei_tune_layers_request(const tarei_tune_layers *const layers, tarei_str *const text) {
  for (int i = 0; i < layers->n; i++) {
    const tarei_tune_layer *const layer = &layers->items[i];
    if (layer->chosen != layer->standard) {
      tarei_str_add(text, "%s%s:%s", text->length ? "," : "", layer->glob,
                    tare_precision_name(layer->chosen));
    }
  }
}
