#include <stdlib.h>

#include "tools/options/options.h"

static const struct argp_option OPTIONS[] = {
    {"metric", OPT_METRIC, "METRIC", 0, "Task metric against --labels: ", 0},
    {"alphabet", OPT_ALPHABET, "CHARS", 0, "characters of classes 1, 2, ...; class 0 is blank", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0},
    {0}};

/* "ctc-error (character errors ...), accuracy (...)", without summaries on request; those with an
 * alphabet alone, or all. The caller frees it. */
static char *metric_list(const char *const last, const bool summaries, const bool alphabet) {
  char *text = cli_format("%s", "");
  for (int i = 0; i < tare_n_metrics(); i++) {
    if (alphabet && !tare_metric_needs_alphabet(i)) {
      continue;
    }
    const char *const between = !*text ? "" : i + 1 < tare_n_metrics() ? ", " : last;
    text = cli_append(text, "%s%s", between, tare_metric_name(i));
    if (summaries) {
      text = cli_append(text, " (%s)", tare_metric_summary(i));
    }
  }
  return text;
}

static char *metric_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != OPT_METRIC && key != OPT_ALPHABET) {
    return (char *)text; /* as it is */
  }
  const bool alphabet = key == OPT_ALPHABET;
  char *const metrics = metric_list(alphabet ? ", " : " or ", !alphabet, alphabet);
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
    char *const metrics = metric_list(" or ", false, false);
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
