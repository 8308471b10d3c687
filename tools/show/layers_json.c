#include <stdlib.h>

#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"
#include "tools/show/passes.h"
#include "tools/show/weight_scales.h"

static void texts_json(cJSON *const object, const char *const name, const char *const *const texts,
                       const int n) {
  cJSON *const list = json_add(object, name, json_array());
  for (int i = 0; i < n; i++) {
    json_text(list, NULL, texts[i]);
  }
}

static void layer_tensor_json(cJSON *const item, const tare_layer_tensor *const t) {
  json_text(item, "name", t->name);
  json_text(item, "memory", t->memory);
  json_text(item, "dtype", tare_dtype_name(t->dtype));
  json_text(item, "shape", t->shape);
  json_bool(item, "constant", t->constant);
  if (t->n_scales) {
    cJSON *const scales = json_add(item, "scales", json_array());
    for (int s = 0; s < t->n_scales; s++) {
      json_real(scales, NULL, (double)t->scales[s]);
    }
    json_int(item, "zero_point", t->zero_point);
    json_bool(item, "stated", t->stated);
  }
  if (t->row_scales) {
    json_bool(item, "row_scales", true);
    json_int(item, "zero_point", t->zero_point);
  }
  if (t->lower_bound < 0) {
    json_real(item, "lower_bound", (double)t->lower_bound);
  }
}

static void tensors_json(cJSON *const item, const tare_plan *const plan, const int i) {
  const tare_layer layer = tare_plan_layer(plan, i);
  cJSON *const inputs = json_add(item, "inputs", json_array());
  for (int t = 0; t < layer.n_inputs; t++) {
    cJSON *const input = json_add(inputs, NULL, json_object());
    layer_tensor_json(input, &layer.inputs[t]);
    weight_scales_json(input, plan, i, t);
  }
  cJSON *const outputs = json_add(item, "outputs", json_array());
  for (int t = 0; t < layer.n_outputs; t++) {
    layer_tensor_json(json_add(outputs, NULL, json_object()), &layer.outputs[t]);
  }
}

static void origin_types_json(cJSON *const object, const tare_layer *const layer) {
  cJSON *const list = json_add(object, "origin_types", json_array());
  for (int i = 0; i < layer->n_origins; i++) {
    json_text(list, NULL, tare_dtype_name(layer->origin_types[i]));
  }
}

static void dims_json(cJSON *const object, const char *const name, const int64_t *const dims,
                      const int rank) {
  cJSON *const list = json_add(object, name, json_array());
  for (int d = 0; d < rank; d++) {
    json_int(list, NULL, dims[d]);
  }
}

static tare_status profile_json(cJSON *const item, const tare_plan *const plan, const int i,
                                const int profile, tare_error *const err) {
  static const char *const NAMES[N_POINTS] = {"min", "opt", "max"};
  const tare_layer layer = tare_plan_layer(plan, i);
  for (int p = 0; p < N_POINTS; p++) {
    int64_t values[TARE_MAX_SYMBOLS], dims[TARE_MAX_RANK];
    layer_work work;
    profile_values(tare_plan_profiles(plan), profile, (profile_point)p, values);
    CLI_TRY(tare_plan_layer_dims(plan, i, layer.n_inputs, values, dims, err));
    CLI_TRY(layer_work_at(plan, i, values, &work, err));
    cJSON *const point = json_add(item, NAMES[p], json_object());
    dims_json(point, "dims", dims, layer.outputs->rank);
    json_real(point, "macs", work.macs);
    json_real(point, "moved_bytes", work.bytes);
  }
  return TARE_OK;
}

static tare_status layer_json(cJSON *const item, const tare_plan *const plan, const int i,
                              const double *const ms, tare_error *const err) {
  const tare_layer layer = tare_plan_layer(plan, i);
  char *const why = layer_why(&layer);
  json_text(item, "name", layer.name);
  texts_json(item, "origins", layer.origins, layer.n_origins);
  texts_json(item, "passes", layer.passes, layer.n_passes);
  origin_types_json(item, &layer);
  json_text(item, "op", layer.op);
  json_int(item, "parent", layer.parent);
  json_text(item, "asked", tare_precision_name(layer.asked));
  json_text(item, "precision", layer.precision);
  json_text(item, "reason", layer.reason);
  json_text(item, "why", why);
  json_text(item, "kernel", layer.kernel);
  json_text(item, "output", layer.output);
  json_text(item, "output_asked", tare_precision_name(layer.output_asked));
  json_text(item, "output_type", layer.output_type);
  json_text(item, "output_reason", layer.output_reason);
  json_text(item, "shape", layer.shape);
  tensors_json(item, plan, i);
  json_text(item, "weights", tare_dtype_name(layer.weights));
  json_text(item, "weights_asked", tare_precision_name(layer.weights_asked));
  json_text(item, "weights_reason", layer.weights_reason);
  json_text(item, "rounding", tare_rounding_name(layer.rounding));
  json_text(item, "rounding_reason", layer.rounding_reason);
  json_bool(item, "clipped", layer.clipped);
  json_bool(item, "corrected", layer.corrected);
  json_bool(item, "smoothed", layer.smoothed);
  json_bool(item, "decides_length", layer.decides_length);
  json_int(item, "weight_bytes", layer.weight_bytes);
  json_int(item, "output_bytes", layer.output_bytes);
  json_int(item, "scratch_bytes", layer.scratch_bytes);
  free(why);
  if (ms) {
    json_real(item, "average_ms", ms[i]);
  }
  cJSON *const shapes = json_add(item, "shapes", json_array());
  for (int p = 0; p < tare_profiles_count(tare_plan_profiles(plan)); p++) {
    CLI_TRY(profile_json(json_add(shapes, NULL, json_object()), plan, i, p, err));
  }
  return TARE_OK;
}

static tare_status sums_json(cJSON *const object, const tare_plan *const plan,
                             const double *const ms, tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  const tare_status status = precision_sums(plan, ms, &sums, &n, err);
  cJSON *const counts = json_add(object, "precisions", json_object());
  cJSON *const list = json_add(object, "by_precision", json_array());
  for (int i = 0; i < n && status == TARE_OK; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_int(counts, sums[i].precision, sums[i].layers);
    json_text(item, "precision", sums[i].precision);
    json_int(item, "layers", sums[i].layers);
    json_real(item, "macs", sums[i].macs);
    json_int(item, "weight_bytes", sums[i].weight_bytes);
    if (ms) {
      json_real(item, "average_ms", sums[i].ms);
    }
  }
  if (status == TARE_OK) {
    json_real(object, "int8_share", precision_share(sums, n, "int8"));
  }
  free(sums);
  return status;
}

tare_status layers_json(cJSON *const object, const tare_plan *const plan, const double *const ms,
                        tare_error *const err) {
  CLI_TRY(sums_json(object, plan, ms, err));
  passes_json(object, plan);
  cJSON *const layers = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    CLI_TRY(layer_json(json_add(layers, NULL, json_object()), plan, i, ms, err));
  }
  return TARE_OK;
}
