#include <stdlib.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_METRIC = KEYS_METRIC, OPT_ALPHABET, OPT_OUTPUT_INDEX };

static const struct argp_option OPTIONS[] = {
    {"metric", OPT_METRIC, "METRIC", 0, "Task metric against --labels: ", 0},
    {"alphabet", OPT_ALPHABET, "CHARS", 0, "characters of classes 1, 2, ...; class 0 is blank", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0},
    {0}};

static char *metric_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family metrics = family_metrics();
  if (key == OPT_METRIC) {
    return family_help(text, &metrics);
  }
  if (key != OPT_ALPHABET) {
    return (char *)text; /* as it is */
  }
  char *const names = family_alphabet_metrics(" and ");
  char *const all = cli_format("For %s: %s", names, text);
  free(names);
  return all;
}

static error_t metric_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_metric *const o = state->input;
  const cli_family metrics = family_metrics();
  switch (key) {
    case ARGP_KEY_INIT:
      o->metric = -1;
      return 0;
    case OPT_METRIC:
      o->metric = cli_pick(state, &metrics, arg);
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
    const cli_family metrics = family_metrics();
    char *const names = cli_names(&metrics, false, " or ");
    argp_error(state, "--labels needs --metric %s", names);
    free(names);
  }
  if (metric->metric >= 0 && !data->labels) {
    argp_error(state,
               "--metric %s needs --labels NAME: an HDF5 data set, a NumPy array or a column of a "
               "manifest",
               tare_metric_name(metric->metric));
  }
  const bool alphabet = metric->metric >= 0 && tare_metric_needs_alphabet(metric->metric);
  if (alphabet && !metric->alphabet) {
    argp_error(state, "--metric %s needs --alphabet CHARS", tare_metric_name(metric->metric));
  }
  if (!alphabet && metric->alphabet) {
    char *const names = family_alphabet_metrics(" or ");
    argp_error(state, "--alphabet needs --metric %s", names);
    free(names);
  }
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
