#include "tools/compare/resume/kept_settings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/compare/resume/kept_names.h"
#include "tools/options/lengths.h"
#include "tools/progress.h"
#include "tools/signals.h"

/* --- data ------------------------------------------------------------------------------------- */

static bool hash_tick(void *const user, const int64_t done, const int64_t total) {
  return progress_tick(user, done, total) && !signals_interrupted();
}

static tare_status settings_of_data(const compare_arguments *const a, tare_dataset *const data,
                                    const char *const name, cJSON *const settings,
                                    tare_error *const err) {
  char hash[TARE_DATA_HASH_BYTES];
  progress line = progress_start("read data", &a->in.common);
  const tare_status status = tare_data_hash(data, hash_tick, &line, hash, err);
  progress_end(&line);
  if (status == TARE_OK) {
    json_text(settings, name, hash);
  }
  return status;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Groups whose options change what a row is. */
static bool option_counts(const recorded_option *const o) {
  const struct argp *const GROUPS[] = {&opt_data_argp,           &opt_model_argp,  &opt_fit_argp,
                                       &opt_streaming_argp,      &opt_metric_argp, &opt_build_argp,
                                       &opt_weight_methods_argp, &opt_seed_argp};
  bool counts = false;
  for (size_t i = 0; i < sizeof GROUPS / sizeof *GROUPS; i++) {
    counts |= o->group == GROUPS[i];
  }
  return counts && strcmp(o->name, "metric-timeout") != 0;
}

/* All that were given of one name, in their order. */
static void settings_of_options(const recorded *const given, cJSON *const settings) {
  for (int i = 0; i < given->n; i++) {
    const recorded_option *const o = &given->items[i];
    char *const name = cli_format("--%s", o->name);
    if (option_counts(o) && !cJSON_GetObjectItemCaseSensitive(settings, name)) {
      char *text = NULL;
      for (int k = i; k < given->n; k++) {
        if (strcmp(given->items[k].name, o->name) == 0) {
          text = cli_append(text, "%s%s", text ? " " : "", given->items[k].text);
        }
      }
      json_text(settings, name, text);
      free(text);
    }
    free(name);
  }
}

/* An option names it, and its contents count. */
static void settings_of_tokens(const opt_metric *const metric, cJSON *const settings) {
  for (int i = 0; i < metric->n_settings; i++) {
    if (strcmp(metric->settings[i].name, "tokens") == 0) {
      char *const state = kept_file_state(metric->settings[i].value);
      json_text(settings, "file of tokens", state);
      free(state);
    }
  }
}

/* --- all -------------------------------------------------------------------------------------- */

static void settings_of_machine(const compare_arguments *const a, cJSON *const settings) {
  char *cpu = NULL;
  json_text(settings, "tare version", tare_version());
  if (tare_cpu_report(a->in.common.isa, &cpu, NULL) == TARE_OK) {
    cpu[strcspn(cpu, "\n")] = '\0';
    json_text(settings, "CPU", cpu);
  }
  tare_free(cpu);
}

static void settings_of_lengths(const compare_work *const w, cJSON *const settings) {
  char *profiles = NULL, *inputs = NULL;
  for (int p = 0; p < tare_profiles_count(w->profiles); p++) {
    char *const spec = profile_spec(w->profiles, p);
    profiles = cli_append(profiles, "%s%s", profiles ? " " : "", spec);
    free(spec);
  }
  for (int i = 0; i < w->lengths.n; i++) {
    inputs = cli_append(inputs, "%s%s=%s", inputs ? " " : "", w->lengths.items[i].input,
                        w->lengths.items[i].symbol);
  }
  json_text(settings, "profiles", profiles ? profiles : "");
  json_text(settings, "length inputs", inputs ? inputs : "");
  free(profiles);
  free(inputs);
}

tare_status kept_settings(const compare_arguments *const a, const compare_work *const w,
                          cJSON **const out, tare_error *const err) {
  cJSON *const settings = json_object();
  settings_of_machine(a, settings);
  json_hash(settings, "model", tare_model_get_info(w->model).hash);
  settings_of_lengths(w, settings);
  settings_of_options(&a->given, settings);
  settings_of_tokens(&a->metric, settings);
  tare_status status = settings_of_data(a, w->calib, "calibration data", settings, err);
  if (status == TARE_OK) {
    status = settings_of_data(a, w->eval, "evaluation data", settings, err);
  }
  if (status != TARE_OK) {
    cJSON_Delete(settings);
    return status;
  }
  *out = settings;
  return TARE_OK;
}
