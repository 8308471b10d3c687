#include <stdlib.h>
#include <string.h>

#include "tools/options.h"

static const struct argp_option OPTIONS[] = {
    {"method", OPT_METHOD, "METHOD", 0,
     "How thresholds are found: minmax (default), entropy, percentile, mse", 0},
    {"percentile", OPT_PERCENTILE, "P", 0, "For percentile: keep P percent (default 99.99)", 0},
    {"per-profile", OPT_PER_PROFILE, NULL, 0, "Thresholds for each profile instead of merged", 0},
    {"trt-version", OPT_TRT_VERSION, "V", 0,
     "For TensorRT's cache: digits after TRT- (default 101602)", 0},
    {"algo-header", OPT_ALGO_HEADER, "A", 0,
     "For TensorRT's cache: algorithm in the header (default EntropyCalibration2, which trtexec "
     "takes whatever the method)",
     0},
    {"profile-index", OPT_PROFILE_INDEX, "I", 0,
     "For TensorRT's cache: the profile whose thresholds are written (default 0)", 0},
    {0}};

void opt_check_method(const struct argp_state *const state, const char *const method) {
  (void)cli_pick(state, "method", method, tare_method_name, tare_n_methods());
}

static void take_version(opt_table *const o, const char *const arg,
                         const struct argp_state *const state) {
  const size_t digits = strspn(arg, "0123456789");
  if (digits == 0 || digits > 9 || arg[digits]) {
    argp_error(state, "--trt-version takes 1 to 9 digits, e.g. 101602, not '%s'", arg);
  }
  o->trt.version = arg;
}

static void check(const opt_table *const o, const struct argp_state *const state) {
  if (o->percentile > 0 && (!o->method || strcmp(o->method, "percentile") != 0)) {
    argp_error(state, "--percentile is for --method percentile, not for %s",
               o->method ? o->method : "minmax");
  }
}

static error_t parse(const int key, char *const arg, struct argp_state *const state) {
  opt_table *const o = state->input;
  switch (key) {
    case OPT_METHOD:
      opt_check_method(state, arg);
      o->method = arg;
      return 0;
    case OPT_PERCENTILE:
      o->percentile = cli_real(state, "--percentile", arg, 1e-6, 100);
      return 0;
    case OPT_PER_PROFILE:
      o->per_profile = true;
      return 0;
    case OPT_TRT_VERSION:
      take_version(o, arg, state);
      return 0;
    case OPT_ALGO_HEADER:
      o->trt.algorithm = arg;
      return 0;
    case OPT_PROFILE_INDEX:
      o->trt.profile = (int)cli_int(state, "--profile-index", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case ARGP_KEY_END:
      check(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_table_argp = {.options = OPTIONS, .parser = parse};
