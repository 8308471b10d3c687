#include "tools/options/options.h"

static const struct argp_option OPTIONS[] = {
    {"metric", OPT_METRIC, "METRIC", 0,
     "Task metric against the labels that --labels names: ctc-error (character errors after "
     "greedy CTC decoding) or accuracy",
     0},
    {"alphabet", OPT_ALPHABET, "CHARS", 0,
     "For ctc-error: characters of classes 1, 2, ...; class 0 is blank", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0},
    {0}};

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
    argp_error(state, "--labels needs a metric that reads them: --metric ctc-error or accuracy");
  }
  if (metric->metric >= 0 && !data->labels) {
    argp_error(state,
               "--metric %s needs labels: --labels NAME, an HDF5 data set, a NumPy array or a "
               "column of a CSV manifest",
               tare_metric_name(metric->metric));
  }
}

const struct argp opt_metric_argp = {.options = OPTIONS, .parser = metric_parse};
