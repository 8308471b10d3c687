#include <stdio.h>
#include <stdlib.h>

#include "tools/show/closed.h"
#include "tools/show/layers.h"
#include "tools/options/lengths.h"
#include "tools/report.h"
#include "tools/show/layer_profile.h"
#include "tools/show/passes.h"
#include "tools/show/show.h"

static tare_status show_plan_print_text(const tare_plan *const plan, const double *const ms,
                                        const show_options *const options, tare_error *const err) {
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_plan_inputs(plan, &inputs);
  const int n_outputs = tare_plan_outputs(plan, &outputs);
  printf("model      %s\n", tare_plan_model_name(plan));
  CLI_TRY(layers_print_counts(plan, err));
  char *const weights = report_bytes(tare_plan_weight_bytes(plan));
  char *const context = report_bytes(tare_plan_context_bytes(plan));
  printf("weights    %s\ncontext    %s\n", weights, context);
  show_print_random(tare_plan_n_random(plan));
  show_print_ports("inputs", inputs, n_inputs);
  show_print_ports("outputs", outputs, n_outputs);
  show_print_symbols(inputs, n_inputs);
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    printf("profile %-2d %s\n", p, text);
    free(text);
  }
  closed_print_plan(plan);
  free(weights);
  free(context);
  if (options->common.verbose) {
    passes_print(plan);
  }
  CLI_TRY(layers_print_short_floats(plan, err));
  CLI_TRY(layers_print_sums(plan, ms, err));
  if (options->layers) {
    return layers_print_details(plan, ms, options->layers, err);
  }
  CLI_TRY(layers_print(plan, ms, err));
  layers_print_reasons(plan);
  return TARE_OK;
}

static tare_status show_plan_fill_json(const tare_plan *const plan, const double *const ms,
                                       cJSON *const object, tare_error *const err) {
  const tare_port *inputs = NULL, *outputs = NULL;
  const int n_inputs = tare_plan_inputs(plan, &inputs);
  const int n_outputs = tare_plan_outputs(plan, &outputs);
  json_text(object, "model", tare_plan_model_name(plan));
  json_int(object, "weight_bytes", tare_plan_weight_bytes(plan));
  json_int(object, "context_bytes", tare_plan_context_bytes(plan));
  show_json_random(object, tare_plan_n_random(plan));
  show_json_ports(object, "inputs", inputs, n_inputs);
  show_json_ports(object, "outputs", outputs, n_outputs);
  cJSON *const list = json_add(object, "profiles", json_array());
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    json_text(list, NULL, text);
    free(text);
  }
  closed_json_plan(object, plan);
  return layers_json(object, plan, ms, err);
}

static tare_status show_plan_as_trt(const tare_plan *const plan, tare_error *const err) {
  cJSON *const object = json_object();
  const tare_status status = layers_trt(plan, object, err);
  if (status == TARE_OK) {
    json_print(object);
  } else {
    cJSON_Delete(object);
  }
  return status;
}

static tare_status show_plan_in_form(const tare_plan *const plan, const char *const path,
                                     const show_options *const options, cJSON *const object,
                                     tare_error *const err) {
  CLI_TRY(options->layers ? layers_find(plan, options->layers, err) : TARE_OK);
  switch (options->form) {
    case SHOW_DOT:
      layers_dot(plan);
      return TARE_OK;
    case SHOW_LAYER_INFO:
      return show_plan_as_trt(plan, err);
    default:
      break;
  }
  double *ms = NULL;
  tare_status status =
      options->times ? layer_profile_read(options->times, plan, &ms, err) : TARE_OK;
  if (status == TARE_OK && object) {
    status = show_plan_fill_json(plan, ms, object, err);
  } else if (status == TARE_OK) {
    show_title(&show_plan, path);
    status = show_plan_print_text(plan, ms, options, err);
  }
  free(ms);
  return status;
}

static tare_status show_plan_print(const char *const path, const show_options *const options,
                                   cJSON *const object, tare_error *const err) {
  const tare_load_options load = opt_load(&options->common);
  tare_plan *plan = NULL;
  CLI_TRY(tare_plan_check_file(path, err)); /* who inspects a file has time for all of it */
  CLI_TRY(tare_plan_load_with(path, &load, &plan, err));
  const tare_status status = show_plan_in_form(plan, path, options, object, err);
  tare_plan_free(&plan);
  return status;
}

static const char *show_plan_noun(const char *const path) {
  return cli_ends_with(path, ".plan") ? "a plan" : NULL;
}

const show_kind show_plan = {.name = "plan",
                             .probe = tare_plan_is_plan_file,
                             .noun = show_plan_noun,
                             .show = show_plan_print};
