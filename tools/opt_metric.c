#include "tools/options.h"

static const struct argp_option OPTIONS[] = {
    {"metric", OPT_METRIC, "METRIC", 0,
     "Task metric against the labels: ctc-error (character errors after greedy CTC decoding) or "
     "accuracy",
     0},
    {"alphabet", OPT_ALPHABET, "CHARS", 0,
     "For ctc-error: characters of classes 1, 2, ...; class 0 is blank", 0},
    {"output-index", OPT_OUTPUT_INDEX, "I", 0, "Output that the metric reads (default 0)", 0},
    {0}};

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  opt_metric *const o = state->input;
  switch (key) {
    case OPT_METRIC:
      o->metric = arg;
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

const struct argp opt_metric_argp = {.options = OPTIONS, .parser = parse};
