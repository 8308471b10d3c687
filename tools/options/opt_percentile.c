#include <stdlib.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_PERCENTILE = KEYS_PERCENTILE };

static const struct argp_option OPTIONS[] = {
    {"percentile", OPT_PERCENTILE, "P", 0, "keep P percent", 0}, {0}};

double opt_percentile_of(const struct argp_state *const state, const char *const option,
                         const char *const text) {
  return cli_real(state, option, text, 1e-6, 100);
}

static error_t percentile_parse(const int key, char *const arg, struct argp_state *const state) {
  double *const percentile = state->input;
  if (key != OPT_PERCENTILE) {
    return ARGP_ERR_UNKNOWN;
  }
  *percentile = opt_percentile_of(state, "--percentile", arg);
  return 0;
}

static char *percentile_help(const int key, const char *const text, void *const input) {
  (void)input;
  if (key != OPT_PERCENTILE) {
    return (char *)text; /* as it is */
  }
  char *const methods = family_percentile_methods(" and ");
  char *const all = cli_format("For %s: %s (default %g)", methods, text, TARE_DEFAULT_PERCENTILE);
  free(methods);
  return all;
}

const struct argp opt_percentile_argp = {
    .options = OPTIONS, .parser = percentile_parse, .help_filter = percentile_help};
