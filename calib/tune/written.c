#include "calib/tune/written.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/names.h"

/* Requests know no other forms: the one of row scales may be 16 bits, or one scale at run time. */
static tare_precision precision_of_form(const char *const form) {
  return strcmp(form, "fp32") == 0   ? TARE_PRECISION_FP32
         : strcmp(form, "int8") == 0 ? TARE_PRECISION_INT8
                                     : TARE_PRECISION_INT8_ROWS;
}

/* Numbers of the layers by their names, of which the first counts where nodes share one. */
static tare_status written_names(const tarei_tune_layers *const layers, tarei_names *const out,
                                 tare_error *const err) {
  if (!tarei_names_init(out, (size_t)layers->n)) {
    return tarei_fail_memory(err, "layers to raise", (size_t)layers->n);
  }
  for (int i = 0; i < layers->n; i++) {
    if (tarei_names_find(out, layers->items[i].origin) < 0) {
      tarei_names_add(out, layers->items[i].origin, i);
    }
  }
  return TARE_OK;
}

/* Products that the float plan fuses have equal parts of its multiply-adds. */
static void share_layer(const tare_layer *const layer, const double share,
                        const tarei_names *const names, tarei_tune_layers *const out) {
  int n = 0;
  for (int o = 0; o < layer->n_origins; o++) {
    n += tarei_names_find(names, layer->origins[o]) >= 0;
  }
  for (int o = 0; o < layer->n_origins && n; o++) {
    const int item = tarei_names_find(names, layer->origins[o]);
    if (item >= 0) {
      out->items[item].share += share / n;
    }
  }
}

static tare_status share_operations(const tare_plan *const fp32, tarei_tune_layers *const out,
                                    tare_error *const err) {
  const size_t n = (size_t)tare_plan_n_layers(fp32);
  tarei_names names;
  double sum = 0, *const operations = tarei_calloc(n, sizeof *operations);
  if (!operations) {
    return tarei_fail_memory(err, "operations of layers", n * sizeof *operations);
  }
  tare_status status = tarei_tune_operations(fp32, operations, &sum, err);
  if (status == TARE_OK) {
    status = written_names(out, &names, err);
  }
  if (status == TARE_OK) {
    for (size_t l = 0; l < n && sum > 0; l++) {
      const tare_layer layer = tare_plan_layer(fp32, (int)l);
      share_layer(&layer, operations[l] / sum, &names, out);
    }
    tarei_names_fini(&names);
  }
  free(operations);
  return status;
}

static tare_status list_quantized(const tare_export *const made, tarei_tune_layers *const out,
                                  tare_error *const err) {
  const int n = tare_export_n_layers(made);
  out->items = tarei_calloc((size_t)n, sizeof *out->items);
  if (!out->items) {
    return tarei_fail_memory(err, "layers to raise", (size_t)n * sizeof *out->items);
  }
  for (int i = 0; i < n; i++) {
    const tare_exported_layer layer = tare_export_layer(made, i);
    const tare_precision form = precision_of_form(layer.form);
    if (form != TARE_PRECISION_FP32) {
      TAREI_TRY(tarei_tune_layers_add(out, layer.name, layer.name, form, 0, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_written_find(const tare_raise_written *const written, const tare_plan *const fp32,
                               tarei_tune_layers *const out, tare_error *const err) {
  tare_export *made = NULL;
  TAREI_TRY(written->make(written->user, "", &made, NULL, err));
  tare_status status = list_quantized(made, out, err);
  tare_export_free(&made);
  return status == TARE_OK ? share_operations(fp32, out, err) : status;
}

tare_status tarei_written_learn(const tare_raise_written *const written, const char *const request,
                                tarei_tune_layers *const layers, tare_error *const err) {
  tare_export *made = NULL;
  tarei_names names;
  TAREI_TRY(written->make(written->user, request, &made, NULL, err));
  const tare_status status = written_names(layers, &names, err);
  for (int i = 0; status == TARE_OK && i < tare_export_n_layers(made); i++) {
    const tare_exported_layer layer = tare_export_layer(made, i);
    const int item = tarei_names_find(&names, layer.name);
    if (item >= 0) {
      layers->items[item].has[precision_of_form(layer.form)] = true;
    }
  }
  if (status == TARE_OK) {
    tarei_names_fini(&names);
  }
  tare_export_free(&made);
  return status;
}
