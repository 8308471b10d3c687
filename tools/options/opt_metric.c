#include <stdlib.h>

#include "tools/options/options.h"

static const struct argp_option OPTIONS[] = {
    {"metric", OPT_METRIC, "METRIC", 0, "Task metric against --labels: ", 0},
    {"alphabet", OPT_ALPHABET, "CHARS", 0, "characters of classes 1, 2, ...; class 0 is blank", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0},
    {0}};

/* "ctc-error or accuracy" */
static char *metric_names(bool (*const has)(int), const char *(*const text)(int),
                          const char *const last) {
  const cli_family metrics = {tare_n_metrics(), tare_metric_name, text, has};
  return cli_names(&metrics, last);
}

static char *metric_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != OPT_METRIC && key != OPT_ALPHABET) {
    return (char *)text; /* as it is */
  }
  const bool alphabet = key == OPT_ALPHABET;
  char *const metrics = alphabet ? metric_names(tare_metric_needs_alphabet, NULL, " and ")
                                 : metric_names(NULL, tare_metric_summary, " or ");
  char *const all =
      alphabet ? cli_format("For %s: %s", metrics, text) : cli_format("%s%s", text, metrics);
  free(metrics);
  return all;
}

static error_t metric_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_metric *const o = state->input;
  switch (key) {
    case OPT_METRIC:
      o->metric = cli_pick(state, "metric", arg, tare_metric_name, tare_n_metrics());
      return 0;
    case OPT_ALPHABET:
      o->alphabet = arg;
      return 0;
    case OPT_OUTPUT_INDEX:
      o->output = (int)cli_int(state, "--output-index", arg, 0, INT32_MAX);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

void opt_metric_check(const struct argp_state *const state, const opt_metric *const metric,
                      const opt_data *const data) {
  if (metric->metric < 0 && data->labels) {
    char *const metrics = metric_names(NULL, NULL, " or ");
    argp_error(state, "--labels needs --metric %s", metrics);
    free(metrics);
  }
  if (metric->metric >= 0 && !data->labels) {
    argp_error(state,
               "--metric %s needs --labels NAME: an HDF5 data set, a NumPy array or a column of a "
               "manifest",
               tare_metric_name(metric->metric));
  }
}

const struct argp opt_metric_argp = {
    .options = OPTIONS, .parser = metric_parse, .help_filter = metric_help};
