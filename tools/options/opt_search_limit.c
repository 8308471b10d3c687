#include "tools/options/options.h"

enum { OPT_SEARCH_LIMIT = KEYS_SEARCH_LIMIT };

static const struct argp_option OPTIONS[] = {{"time-limit", OPT_SEARCH_LIMIT, "S", 0,
                                              "End a search for layers, those to raise or those "
                                              "that cost most, after S seconds of processor "
                                              "time (default: after as many measurements as a "
                                              "slow core makes in 60 s, and 15 s, which are the "
                                              "same on every machine)",
                                              0},
                                             {0}};

static error_t search_limit_parse(const int key, char *const arg, struct argp_state *const state) {
  double *const seconds = state->input;
  if (key != OPT_SEARCH_LIMIT) {
    return ARGP_ERR_UNKNOWN;
  }
  *seconds = cli_real(state, "--time-limit", arg, 0.001, 1e9);
  return 0;
}

const struct argp opt_search_limit_argp = {.options = OPTIONS, .parser = search_limit_parse};
