#include <stdlib.h>

#include "tools/options/families.h"
#include "tools/options/options.h"

enum {
  OPT_LAYER_PRECISIONS = KEYS_BUILD,
  OPT_LAYER_WEIGHT_TYPES,
  OPT_LAYER_OUTPUT_TYPES,
  OPT_PRECISION_CONSTRAINTS,
  OPT_SMALL_LAYERS,
  OPT_SYMMETRIC
};

static const struct argp_option OPTIONS[] = {
    {"layer-precisions", OPT_LAYER_PRECISIONS, "SPEC", 0, "Precision by layer name: ", 0},
    {"layerPrecisions", OPT_LAYER_PRECISIONS, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {"layer-weight-types", OPT_LAYER_WEIGHT_TYPES, "SPEC", 0,
     "In what layers store their weights, by name: fp32, fp16, bf16 or int8, e.g. \"*:int8\"; "
     "float layers compute with the stored values",
     0},
    {"layerWeightTypes", OPT_LAYER_WEIGHT_TYPES, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {"layer-output-types", OPT_LAYER_OUTPUT_TYPES, "SPEC", 0,
     "What layers write, by name: fp32 (quantized in a step of its own, as a Q/DQ model says) or "
     "int8, e.g. \"*:fp32\"",
     0},
    {"layerOutputTypes", OPT_LAYER_OUTPUT_TYPES, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {"precision-constraints", OPT_PRECISION_CONSTRAINTS, "HOW", 0,
     "When a layer cannot have what was requested: ", 0},
    {"precisionConstraints", OPT_PRECISION_CONSTRAINTS, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL,
     0},
    {"small-layers", OPT_SMALL_LAYERS, "TYPE", 0,
     "What computes layers so small that integers would be slower: ", 0},
    {"symmetric", OPT_SYMMETRIC, NULL, 0, "Symmetric int8 activations, as in TensorRT", 0},
    {0}};

/* In what layers compute. */
static const struct {
  tare_precision precision;
  const char *text;
} PRECISIONS[] = {{TARE_PRECISION_FP32, NULL},
                  {TARE_PRECISION_BF16, "bfloat16 products"},
                  {TARE_PRECISION_INT16, "16-bit activations, scales from the table"},
                  {TARE_PRECISION_INT16_ROWS, "one scale per row"},
                  {TARE_PRECISION_INT8, "scales from the table"},
                  {TARE_PRECISION_INT8_ROWS, "one scale per row, at run time"}};

static const char *precision_name(const int i) {
  return tare_precision_name(PRECISIONS[i].precision);
}

static const char *precision_text(const int i) {
  return PRECISIONS[i].text;
}

static char *opt_build_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family precisions = {"precision", sizeof PRECISIONS / sizeof *PRECISIONS,
                                 precision_name, precision_text};
  const cli_family constraints = family_constraints();
  const cli_family small = family_small_layers();
  switch (key) {
    case OPT_LAYER_PRECISIONS:
      return cli_append(family_help(text, &precisions),
                        ", e.g. \"*:int8,@Conv:fp32\"; @ is for operators; the last match wins");
    case OPT_PRECISION_CONSTRAINTS:
      return family_help(text, &constraints);
    case OPT_SMALL_LAYERS:
      return family_help(text, &small);
    default:
      return (char *)text; /* as it is */
  }
}

const char *opt_requests_add(char **const list, const char *const more) {
  *list = *list ? cli_append(*list, ",%s", more) : cli_format("%s", more);
  return *list;
}

static error_t opt_build_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family constraints = family_constraints(), small = family_small_layers();
  static char *precisions, *weight_types, *output_types; /* of this run of the command */
  tare_build_options *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      tare_build_options_init(o);
      return 0;
    case OPT_LAYER_PRECISIONS:
      o->layer_precisions = opt_requests_add(&precisions, arg);
      return 0;
    case OPT_LAYER_WEIGHT_TYPES:
      o->layer_weight_types = opt_requests_add(&weight_types, arg);
      return 0;
    case OPT_LAYER_OUTPUT_TYPES:
      o->layer_output_types = opt_requests_add(&output_types, arg);
      return 0;
    case OPT_PRECISION_CONSTRAINTS:
      o->constraints = (tare_constraints)cli_pick(state, &constraints, arg);
      return 0;
    case OPT_SMALL_LAYERS:
      o->int8_when_small = cli_pick(state, &small, arg) == 1;
      return 0;
    case OPT_SYMMETRIC:
      o->symmetric = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_build_argp = {
    .options = OPTIONS, .parser = opt_build_parse, .help_filter = opt_build_help};

tare_build_options opt_build_options(const tare_build_options *const given,
                                     const opt_common *const common,
                                     const tare_table *const table) {
  tare_build_options o;
  tare_build_options_init(&o);
  o = given ? *given : o;
  o.table = table;
  o.isa = common->isa ? common->isa : o.isa;
  return o;
}

tare_build_options opt_trial_options(const tare_build_options *const given,
                                     const opt_common *const common,
                                     const tare_table *const table) {
  tare_build_options o = opt_build_options(given, common, table);
  o.isa = o.isa ? o.isa : "any";
  return o;
}
