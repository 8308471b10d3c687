/* Everything about the layers of a plan, one by one. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/report.h"
#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"
#include "tools/show/weight_scales.h"

static void print_scales(const tare_layer_tensor *const t) {
  for (int s = 0; s < t->n_scales; s++) {
    printf("%s%.6g", s ? " " : t->n_scales == 1 ? ", scale " : ", scales ", (double)t->scales[s]);
  }
  if (t->n_scales) {
    printf(", zero point %d", (int)t->zero_point);
  }
  if (t->row_scales) {
    printf(", a scale for each row");
  }
  if (t->row_scales && t->zero_point == 0) {
    printf(", from %g", (double)t->lower_bound);
  }
}

static void print_tensors(const char *const title, const tare_layer_tensor *const tensors,
                          const int n) {
  for (int i = 0; i < n; i++) {
    const tare_layer_tensor *const t = &tensors[i];
    if (!t->constant) {
      printf("  %-10s %s: %s %s", title, t->name, tare_dtype_name(t->dtype), t->shape);
      print_scales(t);
      putchar('\n');
    }
  }
}

static void print_constants(const tare_plan *const plan, const int layer) {
  const tare_layer l = tare_plan_layer(plan, layer);
  for (int i = 0; i < l.n_inputs; i++) {
    const tare_layer_tensor *const t = &l.inputs[i];
    if (t->constant) {
      char *const scales = weight_scales_text(plan, layer, i);
      printf("  %-10s %s: %s %s%s\n", "constant", t->name, tare_dtype_name(t->dtype), t->shape,
             scales);
      free(scales);
    }
  }
}

static void print_rounding(const tare_layer *const layer) {
  if (layer->rounding == TARE_ROUNDING_TABLE) {
    printf("  %-10s as the table says\n", "rounding");
  } else if (*layer->rounding_reason) {
    printf("  %-10s %s: %s\n", "rounding", tare_rounding_name(layer->rounding),
           layer->rounding_reason);
  }
}

static void print_clipping(const tare_layer *const layer) {
  if (layer->clipped) {
    printf("  %-10s of the weights, as the table says\n", "clipping");
  }
}

static void print_correction(const tare_layer *const layer) {
  if (layer->corrected) {
    printf("  %-10s of the bias, for the rounding of the weights\n", "correction");
  }
}

static void print_smoothing(const tare_layer *const layer) {
  if (layer->smoothed) {
    printf("  %-10s of the input, as the table says\n", "smoothing");
  }
}

static void print_bytes(const tare_layer *const layer) {
  char *const weights = report_bytes(layer->weight_bytes);
  char *const outputs = report_bytes(layer->output_bytes);
  char *const scratch = report_bytes(layer->scratch_bytes);
  printf("  %-10s constants %s, outputs %s, scratch %s\n", "memory", weights, outputs, scratch);
  free(weights);
  free(outputs);
  free(scratch);
}

/* Dims of the first output, and work, at the ends of a profile. */
static tare_status print_point(const tare_plan *const plan, const int i, const int profile,
                               const profile_point point, tare_error *const err) {
  static const char *const NAMES[N_POINTS] = {"min", "opt", "max"};
  const tare_layer layer = tare_plan_layer(plan, i);
  int64_t values[TARE_MAX_SYMBOLS], dims[TARE_MAX_RANK];
  layer_work work;
  profile_values(tare_plan_profiles(plan), profile, point, values);
  CLI_TRY(tare_plan_layer_dims(plan, i, layer.n_inputs, values, dims, err));
  CLI_TRY(layer_work_at(plan, i, values, &work, err));
  char *const shape = dims_text(dims, layer.outputs->rank);
  char *const bytes = report_bytes(work.bytes < 9e18 ? (int64_t)work.bytes : INT64_MAX);
  printf("  profile %-2d %s %s, %s read and written", profile, NAMES[point], shape, bytes);
  if (work.macs > 0) {
    printf(", %.3f MMAC", work.macs * 1e-6);
  }
  putchar('\n');
  free(shape);
  free(bytes);
  return TARE_OK;
}

/* Whether all symbols of a profile have a single value. */
static bool layer_profile_fixed(const tare_profiles *const profiles, const int profile) {
  bool fixed = true;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, profile, s);
    fixed &= r.min == r.max;
  }
  return fixed;
}

static tare_status print_layer_profile(const tare_plan *const plan, const int i, const int profile,
                                       tare_error *const err) {
  const bool fixed = layer_profile_fixed(tare_plan_profiles(plan), profile);
  for (int p = 0; p < N_POINTS; p++) {
    CLI_TRY(p == POINT_OPT || !fixed ? print_point(plan, i, profile, (profile_point)p, err)
                                     : TARE_OK);
  }
  return TARE_OK;
}

/* The nodes that it fuses, and one that has another type in the model. */
static void print_nodes(const tare_layer *const layer) {
  for (int o = 0; o < layer->n_origins; o++) {
    const tare_dtype type = layer->origin_types[o];
    if (layer->n_origins > 1 || type) {
      printf("  %-10s %s", o ? "" : "nodes", layer->origins[o]);
      printf("%s%s%s\n", type ? ", " : "", type ? tare_dtype_name(type) : "",
             type ? " in the model" : "");
    }
  }
}

static tare_status print_layer(const tare_plan *const plan, const int i, const double *const ms,
                               tare_error *const err) {
  const tare_layer layer = tare_plan_layer(plan, i);
  char *const why = layer_why(&layer);
  printf("\nlayer %-6d %s\n", i, layer.name);
  print_nodes(&layer);
  if (layer.n_passes > 0) {
    char *const passes = cli_join(layer.passes, layer.n_passes, ", ");
    printf("  %-10s %s\n", "passes", passes);
    free(passes);
  }
  if (layer.parent >= 0) {
    printf("  %-10s %s\n", "inside", tare_plan_layer(plan, layer.parent).name);
  }
  printf("  %-10s %s, %s\n", "precision", layer.precision, why);
  printf("  %-10s %s, kernel %s\n", "op", layer.op, layer_kernel(&layer));
  print_tensors("input", layer.inputs, layer.n_inputs);
  print_constants(plan, i);
  print_rounding(&layer);
  print_clipping(&layer);
  print_correction(&layer);
  print_smoothing(&layer);
  print_tensors("output", layer.outputs, layer.n_outputs);
  print_bytes(&layer);
  free(why);
  if (ms) {
    printf("  %-10s %.4f ms a run\n", "time", ms[i]);
  }
  for (int p = 0; p < tare_profiles_count(tare_plan_profiles(plan)); p++) {
    CLI_TRY(print_layer_profile(plan, i, p, err));
  }
  return TARE_OK;
}

static bool layer_matches(const tare_layer *const layer, const char *const glob) {
  bool matches = fnmatch(glob, layer->name, 0) == 0;
  for (int o = 0; o < layer->n_origins; o++) {
    matches |= fnmatch(glob, layer->origins[o], 0) == 0;
  }
  return matches;
}

tare_status layers_find(const tare_plan *const plan, const char *const glob,
                        tare_error *const err) {
  bool found = false;
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    found |= layer_matches(&layer, glob);
  }
  return found ? TARE_OK
               : cli_fail(err, TARE_E_USAGE,
                          "no layer matches '%s' (tare inspect PLAN lists their names)", glob);
}

tare_status layers_print_details(const tare_plan *const plan, const double *const ms,
                                 const char *const glob, tare_error *const err) {
  for (int i = 0; i < tare_plan_n_layers(plan); i++) {
    const tare_layer layer = tare_plan_layer(plan, i);
    if (layer_matches(&layer, glob)) {
      CLI_TRY(print_layer(plan, i, ms, err));
    }
  }
  return TARE_OK;
}
