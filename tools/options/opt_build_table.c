#include "tools/options/families.h"
#include "tools/options/options.h"

enum { OPT_TABLE_ROUNDING = KEYS_BUILD_TABLE, OPT_TABLE_SMOOTHING };

static const struct argp_option OPTIONS[] = {
    {"weight-rounding", OPT_TABLE_ROUNDING, "HOW", 0, "How int8 weights are rounded: ", 0},
    {"smoothing", OPT_TABLE_SMOOTHING, "HOW", 0, "Which tensors are smoothed: ", 0},
    {0}};

static char *build_table_help(const int key, const char *const text, void *const input) {
  (void)input;
  const cli_family roundings = family_table_roundings(), smoothings = family_table_smoothings();
  return key == OPT_TABLE_ROUNDING    ? family_help(text, &roundings)
         : key == OPT_TABLE_SMOOTHING ? family_help(text, &smoothings)
                                      : (char *)text;
}

static error_t build_table_parse(const int key, char *const arg, struct argp_state *const state) {
  const cli_family roundings = family_table_roundings(), smoothings = family_table_smoothings();
  tare_build_options *const o = state->input;
  switch (key) {
    case ARGP_KEY_INIT:
      state->child_inputs[0] = o;
      return 0;
    case OPT_TABLE_ROUNDING:
      o->weight_rounding =
          cli_pick(state, &roundings, arg) == 1 ? TARE_ROUNDING_NEAREST : TARE_ROUNDING_TABLE;
      return 0;
    case OPT_TABLE_SMOOTHING:
      o->no_smoothing = cli_pick(state, &smoothings, arg) == 1;
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

static const struct argp_child CHILDREN[] = {{&opt_build_argp, 0, NULL, 0}, {0}};

const struct argp opt_build_table_argp = {.options = OPTIONS,
                                          .parser = build_table_parse,
                                          .children = CHILDREN,
                                          .help_filter = build_table_help};
