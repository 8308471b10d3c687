#include <stdlib.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_TARGET = KEYS_EXPORT, OPT_ROW_SCALES, OPT_WEIGHTS, OPT_EXTERNAL };

static const struct argp_option OPTIONS[] = {
    {"target", OPT_TARGET, "TARGET", 0, "Engine to write for, by default the first: ", 0},
    {"row-scales", OPT_ROW_SCALES, "FORM", 0,
     "Form of layers that need a scale for each row, which static Q/DQ cannot express: ", 0},
    {"weights", OPT_WEIGHTS, "TYPE", 0, "Type of stored weights of quantized layers: ", 0},
    {"external-data", OPT_EXTERNAL, NULL, 0,
     "Write constants to FILE.data (default: only if the model would exceed 2 GiB)", 0},
    {0}};

/* --- families -------------------------------------------------------------------------------- */

static const char *const ROW_TEXTS[TARE_ROWS_COUNT] = {
    [TARE_ROWS_FLOAT] = "default",
    [TARE_ROWS_INT16] = "activations of 16 bits",
    [TARE_ROWS_DYNAMIC] = "one scale for the tensor, computed at run time"};

static const char *row_text(const int form) {
  return ROW_TEXTS[form];
}

static cli_family row_forms(void) {
  return (cli_family){"value of --row-scales", TARE_ROWS_COUNT, tare_row_form_name, row_text};
}

static const char *const WEIGHT_TEXTS[TARE_EXPORT_WEIGHTS_COUNT] = {
    [TARE_EXPORT_WEIGHTS_INT8] = "default",
    [TARE_EXPORT_WEIGHTS_UINT8] = "exact in ONNX Runtime on x86 processors without VNNI",
    [TARE_EXPORT_WEIGHTS_FLOAT] = "quantized at load time",
    [TARE_EXPORT_WEIGHTS_INT7] = "half as fine, exact without VNNI in any engine"};

static const char *weights_text(const int type) {
  return WEIGHT_TEXTS[type];
}

static cli_family weight_types(void) {
  return (cli_family){"value of --weights", TARE_EXPORT_WEIGHTS_COUNT, tare_export_weights_name,
                      weights_text};
}

/* --- the group ------------------------------------------------------------------------------- */

static char *opt_export_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family targets = family_targets(), rows = row_forms(), weights = weight_types();
  switch (key) {
    case OPT_TARGET:
      return family_help(text, &targets);
    case OPT_ROW_SCALES:
      return family_help(text, &rows);
    case OPT_WEIGHTS:
      return family_help(text, &weights);
    default:
      return (char *)text; /* as it is */
  }
}

static error_t opt_export_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family targets = family_targets(), rows = row_forms(), weights = weight_types();
  opt_export *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      tare_export_options_init(&o->options);
      return 0;
    case OPT_TARGET:
      o->options.target = cli_pick(state, &targets, arg);
      return 0;
    case OPT_ROW_SCALES:
      o->options.rows = (tare_row_form)cli_pick(state, &rows, arg);
      return 0;
    case OPT_WEIGHTS:
      o->options.weights = (tare_export_weights)cli_pick(state, &weights, arg);
      return 0;
    case OPT_EXTERNAL:
      o->most = 1;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_export_argp = {
    .options = OPTIONS, .parser = opt_export_parse, .help_filter = opt_export_help};
