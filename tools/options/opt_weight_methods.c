#include "tools/options/families.h"
#include "tools/options/formats.h"
#include "tools/options/options.h"

enum {
  OPT_WEIGHT_ROUNDING = KEYS_WEIGHT_METHODS,
  OPT_WEIGHT_CLIPPING,
  OPT_BIAS_CORRECTION,
  OPT_SMOOTHING
};

static const struct argp_option OPTIONS[] = {
    {"weight-rounding", OPT_WEIGHT_ROUNDING, "HOW", 0, "How int8 weights are rounded: ", 0},
    {"weight-clipping", OPT_WEIGHT_CLIPPING, "WHEN", 0,
     "Int8 scales of weights below the largest magnitude / 127: ", 0},
    {"bias-correction", OPT_BIAS_CORRECTION, "WHEN", 0,
     "Correct the biases of layers for the rounding of their weights: ", 0},
    {"smoothing", OPT_SMOOTHING, "WHEN", 0,
     "Give the channels of tensors similar ranges, and scale the weights that read them "
     "inversely: ",
     0},
    {0}};

/* The values of an option; without a kind for other keys. */
static cli_family weight_method_values(const int key) {
  switch (key) {
    case OPT_WEIGHT_ROUNDING:
      return family_roundings();
    case OPT_WEIGHT_CLIPPING:
      return family_clippings();
    case OPT_BIAS_CORRECTION:
      return family_corrections();
    case OPT_SMOOTHING:
      return family_smoothings();
    default:
      return (cli_family){0};
  }
}

static char *weight_methods_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family values = weight_method_values(key);
  return values.kind ? family_help(text, &values) : (char *)text;
}

static error_t weight_methods_parse(const int key, char *const arg,
                                    struct argp_state *const state) {
  const cli_family values = weight_method_values(key);
  opt_weight_methods *const o = state->input;
  const int value = values.kind ? cli_pick(state, &values, arg) : 0;
  switch (key) {
    case OPT_WEIGHT_ROUNDING:
      o->rounding_given = true;
      o->round_to_nearest = value == 1;
      return 0;
    case OPT_WEIGHT_CLIPPING:
      o->clipping = (tare_clipping)value;
      return 0;
    case OPT_BIAS_CORRECTION:
      o->bias_correction = value == 1;
      return 0;
    case OPT_SMOOTHING:
      o->smoothing = (tare_smoothing)value;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_weight_methods_argp = {
    .options = OPTIONS, .parser = weight_methods_parse, .help_filter = weight_methods_help};

void opt_weight_methods_apply(const opt_weight_methods *const given,
                              tare_calibrate_options *const options) {
  options->round_to_nearest = given->round_to_nearest;
  options->clipping = given->clipping;
  options->bias_correction = given->bias_correction;
  options->smoothing = given->smoothing;
}

void opt_weight_methods_check(const struct argp_state *const state,
                              const opt_weight_methods *const given, const char *const table,
                              const char *const places) {
  const tare_table_format *const format =
      table ? tare_table_format_at(tare_table_format_of(table)) : NULL;
  const char *const option = given->rounding_given && !given->round_to_nearest
                                 ? "--weight-rounding least-squares"
                             : given->clipping != TARE_CLIPPING_OFF   ? "--weight-clipping"
                             : given->bias_correction                 ? "--bias-correction"
                             : given->smoothing != TARE_SMOOTHING_OFF ? "--smoothing"
                                                                      : NULL;
  if (option && format && !format_is_own(format)) {
    argp_error(state, "%s: '%s' has no place for it: use %s", option, table, places);
  }
}
