#include "tools/options/options.h"

enum { OPT_LAYER_PRECISIONS = OPT_BUILD, OPT_PRECISION_CONSTRAINTS, OPT_SYMMETRIC, OPT_LAST };
_Static_assert((int)OPT_LAST <= (int)OPT_BUILD_END, "each option needs a key");

static const struct argp_option OPTIONS[] = {
    {"layer-precisions", OPT_LAYER_PRECISIONS, "SPEC", 0,
     "Precision by layer name: fp32, int8 (scales from the table) or int8-rows (one scale per row, "
     "at run time), e.g. \"*:int8,*/head/*:fp32\"; the last match wins",
     0},
    {"layerPrecisions", OPT_LAYER_PRECISIONS, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL, 0},
    {"precision-constraints", OPT_PRECISION_CONSTRAINTS, "HOW", 0,
     "When a layer cannot have the requested precision: prefer (default: use float and warn), obey "
     "(fail), none (ignore the requests)",
     0},
    {"precisionConstraints", OPT_PRECISION_CONSTRAINTS, NULL, OPTION_ALIAS | OPTION_HIDDEN, NULL,
     0},
    {"symmetric", OPT_SYMMETRIC, NULL, 0, "Symmetric int8 activations, as in TensorRT", 0},
    {0}};

static tare_constraints constraints_of(const char *const name,
                                       const struct argp_state *const state) {
  static const char *const NAMES[] = {[TARE_CONSTRAINTS_PREFER] = "prefer",
                                      [TARE_CONSTRAINTS_OBEY] = "obey",
                                      [TARE_CONSTRAINTS_NONE] = "none"};
  return (tare_constraints)cli_pick_text(state, "value of --precision-constraints", name, NAMES,
                                         sizeof NAMES / sizeof *NAMES);
}

static error_t opt_build_parse(const int key, char *const arg, struct argp_state *const state) {
  tare_build_options *const o = state->input;
  switch (key) {
    case OPT_LAYER_PRECISIONS:
      o->layer_precisions = arg;
      return 0;
    case OPT_PRECISION_CONSTRAINTS:
      o->constraints = constraints_of(arg, state);
      return 0;
    case OPT_SYMMETRIC:
      o->symmetric = true;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_build_argp = {.options = OPTIONS, .parser = opt_build_parse};
