#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"

static const struct argp_option OPTIONS[] = {
    {"method", OPT_METHOD, "METHOD", 0,
     "How thresholds are found: minmax (default), entropy, percentile, mse", 0},
    {"percentile", OPT_PERCENTILE, "P", 0, "For percentile: keep P percent (default 99.99)", 0},
    {"per-profile", OPT_PER_PROFILE, NULL, 0, "Thresholds for each profile instead of merged", 0},
    {"trt-version", OPT_TRT_VERSION, "V", 0,
     "For TensorRT's cache: TensorRT version, e.g. 10.3.0 (default 10.16.2)", 0},
    {"algo-header", OPT_ALGO_HEADER, "A", 0,
     "For TensorRT's cache: algorithm in the header (default EntropyCalibration2, which trtexec "
     "takes whatever the method)",
     0},
    {"profile-index", OPT_PROFILE_INDEX, "I", 0,
     "For TensorRT's cache, which holds one profile: with --per-profile, the profile whose "
     "thresholds are written",
     0},
    {0}};

void opt_check_method(const struct argp_state *const state, const char *const method) {
  (void)cli_pick(state, "method", method, tare_method_name, tare_n_methods());
}

enum { VERSION_PARTS = 3 };

/* "10.3.0" and "10.3" as TensorRT's number 100300, "8.6.1" as 8601; a number of four digits or more
 * is one already. */
static bool read_version(const char *const text, char *const digits, const size_t size) {
  int64_t parts[VERSION_PARTS] = {0};
  int n = 0;
  const char *at = text;
  for (; n < VERSION_PARTS; n++) {
    const size_t length = strspn(at, "0123456789");
    if (length == 0 || length > 9) {
      return false;
    }
    parts[n] = strtoll(at, NULL, 10);
    at += length;
    if (*at != '.') {
      n++;
      break;
    }
    at++;
  }
  const bool number = n == 1 && parts[0] >= 1000;
  const int64_t step = parts[0] >= 10 ? 10000 : 1000;
  const int64_t value = number ? parts[0] : parts[0] * step + parts[1] * 100 + parts[2];
  (void)snprintf(digits, size, "%" PRId64, value);
  return !*at && (number || (parts[0] >= 1 && parts[0] < 100 && parts[1] < 100 && parts[2] < 100));
}

static void take_version(opt_table *const o, const char *const arg,
                         const struct argp_state *const state) {
  if (!read_version(arg, o->trt_version, sizeof o->trt_version)) {
    argp_error(state, "--trt-version takes a TensorRT version, e.g. 10.3.0 or 100300, not '%s'",
               arg);
  }
}

static void options_table_check(const opt_table *const o, const struct argp_state *const state) {
  if (o->percentile > 0 && (!o->method || strcmp(o->method, "percentile") != 0)) {
    argp_error(state, "--percentile is for --method percentile, not for %s",
               o->method ? o->method : "minmax");
  }
}

void opt_table_check(const struct argp_state *const state, const opt_table *const o,
                     const bool trt) {
  if (!trt && (*o->trt_version || o->algo_header || o->profile_index >= 0)) {
    argp_error(state, "%s is for TensorRT's cache: name the output NAME.cache",
               *o->trt_version  ? "--trt-version"
               : o->algo_header ? "--algo-header"
                                : "--profile-index");
  }
}

static error_t opt_table_parse(const int key, char *const arg, struct argp_state *const state) {
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
      o->algo_header = arg;
      return 0;
    case OPT_PROFILE_INDEX:
      o->profile_index = (int)cli_int(state, "--profile-index", arg, 0, TARE_MAX_PROFILES - 1);
      return 0;
    case ARGP_KEY_END:
      options_table_check(o, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_table_argp = {.options = OPTIONS, .parser = opt_table_parse};
