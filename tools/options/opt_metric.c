#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum {
  OPT_METRIC = KEYS_METRIC,
  OPT_OUTPUT_INDEX,
  OPT_METRIC_SETTINGS, /* one key for each option of metrics */
  OPT_METRIC_SETTINGS_END = OPT_METRIC_SETTINGS + OPT_MOST_METRIC_SETTINGS
};
enum { N_OWN = 2 };

/* The options of metrics follow; what stands behind them is zero and ends the list. */
static struct argp_option OPTIONS[N_OWN + OPT_MOST_METRIC_SETTINGS + 1] = {
    {"metric", OPT_METRIC, "METRIC", 0, "Task metric: ", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0}};

void opt_metric_prepare(void) {
  assert(tare_n_metric_options() <= OPT_MOST_METRIC_SETTINGS);
  for (int k = 0; k < tare_n_metric_options(); k++) {
    const tare_metric_option *const option = tare_metric_option_at(k);
    OPTIONS[N_OWN + k] = (struct argp_option){
        .name = option->name, .key = OPT_METRIC_SETTINGS + k, .arg = option->value};
  }
}

static char *metric_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family metrics = family_metrics();
  if (key == OPT_METRIC) {
    return family_help(text, &metrics);
  }
  if (key < OPT_METRIC_SETTINGS || key >= OPT_METRIC_SETTINGS_END) {
    return (char *)text; /* as it is */
  }
  const int option = key - OPT_METRIC_SETTINGS;
  char *const names = family_metrics_with(option, " and ");
  char *const all = cli_format("For %s: %s", names, tare_metric_option_at(option)->summary);
  free(names);
  return all;
}

/* A setting that is given again replaces the one before. */
static void metric_set(opt_metric *const o, const char *const name, const char *const value) {
  int at = 0;
  while (at < o->n_settings && strcmp(o->settings[at].name, name) != 0) {
    at++;
  }
  o->settings[at] = (tare_metric_setting){name, value};
  o->n_settings += at == o->n_settings;
}

static error_t metric_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_metric *const o = state->input;
  const cli_family metrics = family_metrics();
  if (key >= OPT_METRIC_SETTINGS && key < OPT_METRIC_SETTINGS_END) {
    metric_set(o, tare_metric_option_at(key - OPT_METRIC_SETTINGS)->name, arg);
    return 0;
  }
  switch (key) {
    case ARGP_KEY_INIT:
      o->metric = -1;
      return 0;
    case OPT_METRIC:
      o->metric = cli_pick(state, &metrics, arg);
      return 0;
    case OPT_OUTPUT_INDEX:
      o->output = (int)cli_int(state, "--output-index", arg, 0, INT32_MAX);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static void metric_check_option(const struct argp_state *const state, const opt_metric *const o,
                                const int option) {
  const char *const name = tare_metric_option_at(option)->name;
  for (int i = 0; i < o->n_settings; i++) {
    if (strcmp(o->settings[i].name, name) == 0 &&
        (o->metric < 0 || !tare_metric_takes(o->metric, option))) {
      char *const names = family_metrics_with(option, " or ");
      argp_error(state, "--%s needs --metric %s", name, names);
      free(names);
    }
  }
}

static void metric_check_settings(const struct argp_state *const state, const opt_metric *const o) {
  tare_error err = {0};
  for (int option = 0; option < tare_n_metric_options(); option++) {
    metric_check_option(state, o, option);
  }
  const tare_status status =
      o->metric < 0 ? TARE_OK : tare_metric_check(o->metric, o->settings, o->n_settings, &err);
  if (status == TARE_E_USAGE) {
    argp_error(state, "%s", err.message);
  } else if (status != TARE_OK) {
    exit(cli_end(state->name, status, &err)); /* before hours of calibration */
  }
}

static void metric_check_labels(const struct argp_state *const state, const int metric,
                                const bool labels) {
  const tare_metric_truth truth = metric < 0 ? TARE_TRUTH_LABELS : tare_metric_get_truth(metric);
  if (metric < 0 && labels) {
    char *const names = family_label_metrics(" or ");
    argp_error(state, "--labels needs --metric %s", names);
    free(names);
  } else if (metric >= 0 && truth == TARE_TRUTH_LABELS && !labels) {
    argp_error(state,
               "--metric %s needs --labels NAME: an HDF5 data set, a NumPy array or a column of a "
               "manifest",
               tare_metric_name(metric));
  } else if (metric >= 0 && truth == TARE_TRUTH_REFERENCE && labels) {
    argp_error(state, "--metric %s reads no labels: it compares outputs with those of float",
               tare_metric_name(metric));
  }
}

void opt_metric_check(const struct argp_state *const state, const opt_metric *const metric,
                      const opt_data *const data) {
  metric_check_labels(state, metric->metric, data->labels != NULL);
  metric_check_settings(state, metric);
  if (metric->metric < 0 && metric->output > 0) {
    argp_error(state, "--output-index needs --metric");
  }
}

void opt_metric_check_eval(const struct argp_state *const state, const opt_metric *const metric,
                           const opt_data *const data, const int n_eval) {
  if (n_eval == 0 && (metric->metric >= 0 || data->labels)) {
    argp_error(state, "%s is for the evaluation: give --eval DATA too",
               metric->metric >= 0 ? "--metric" : "--labels");
  }
  opt_metric_check(state, metric, data);
}

const struct argp opt_metric_argp = {
    .options = OPTIONS, .parser = metric_parse, .help_filter = metric_help};
