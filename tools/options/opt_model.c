#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"
#include "tools/show/show.h"

enum { OPT_SET = KEYS_MODEL };

static const struct argp_option OPTIONS[] = {
    {"set", OPT_SET, "INPUT=VALUE", 0,
     "Fix an input of fixed size to a value, e.g. sr=16000: it becomes a constant, and branches "
     "that depend on it are decided",
     0},
    {0}};

static void take_set(opt_model *const o, char *const arg, const struct argp_state *const state) {
  char *const value = strrchr(arg, '=');
  if (!value || value == arg) {
    argp_error(state, "--set: expected INPUT=VALUE, got '%s'", arg);
    return;
  }
  *value = '\0';
  o->sets = cli_realloc(o->sets, (size_t)o->n_sets + 1, sizeof *o->sets);
  o->sets[o->n_sets++] =
      (opt_set){.input = arg, .value = cli_real(state, "--set", value + 1, -1e300, 1e300)};
}

static error_t model_parse(const int key, char *const arg, struct argp_state *const state) {
  opt_model *const o = state->input;
  switch (key) {
    case OPT_SET:
      take_set(o, arg, state);
      return 0;
    default:
      return ARGP_ERR_UNKNOWN;
  }
}

const struct argp opt_model_argp = {.options = OPTIONS, .parser = model_parse};

void opt_model_fini(opt_model *const options) {
  free(options->sets);
  *options = (opt_model){0};
}

tare_status opt_model_apply(const opt_model *const options, tare_model *const model,
                            tare_error *const err) {
  for (int i = 0; i < options->n_sets; i++) {
    CLI_TRY(tare_model_set(model, options->sets[i].input, options->sets[i].value, err));
  }
  return TARE_OK;
}

tare_status opt_model_load(const opt_model *const options, const opt_common *const common,
                           const char *const path, tare_model **const out, tare_error *const err) {
  CLI_TRY(show_want(path, &show_model, "an ONNX model", err));
  const tare_load_options load = opt_load(common);
  CLI_TRY(tare_model_load_with(path, &load, out, err));
  return opt_model_apply(options, *out, err);
}
