#include <stdlib.h>
#include <string.h>

#include "tools/options/options.h"
#include "tools/show/show.h"

enum { OPT_SET = KEYS_MODEL };

static const struct argp_option OPTIONS[] = {
    {"set", OPT_SET, "INPUT=VALUE[,...]", 0,
     "Fix an input of fixed size, or a vector, to a value or to one for each element, e.g. "
     "sr=16000: it becomes a constant, and branches that depend on it are decided",
     0},
    {0}};

static void take_set(opt_model *const o, char *const arg, const struct argp_state *const state) {
  char *const value = strrchr(arg, '=');
  if (!value || value == arg) {
    argp_error(state, "--set: expected INPUT=VALUE[,VALUE...], got '%s'", arg);
    return;
  }
  *value = '\0';
  o->sets = cli_realloc(o->sets, (size_t)o->n_sets + 1, sizeof *o->sets);
  opt_set *const set = &o->sets[o->n_sets++];
  *set = (opt_set){.input = arg, .text = value + 1};
  char *const texts = cli_format("%s", set->text);
  for (char *at = texts; at;) {
    char *const comma = strchr(at, ',');
    if (comma) {
      *comma = '\0';
    }
    set->values = cli_realloc(set->values, (size_t)set->n_values + 1, sizeof *set->values);
    set->values[set->n_values++] = cli_real(state, "--set", at, -1e300, 1e300);
    at = comma ? comma + 1 : NULL;
  }
  free(texts);
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
  for (int i = 0; i < options->n_sets; i++) {
    free(options->sets[i].values);
  }
  free(options->sets);
  *options = (opt_model){0};
}

tare_export_set *opt_model_sets(const opt_model *const options) {
  tare_export_set *const sets = cli_realloc(NULL, (size_t)options->n_sets + 1, sizeof *sets);
  for (int i = 0; i < options->n_sets; i++) {
    const opt_set *const set = &options->sets[i];
    sets[i] = (tare_export_set){set->input, set->values, set->n_values};
  }
  return sets;
}

tare_status opt_set_apply(const opt_set *const set, tare_model *const model,
                          tare_error *const err) {
  return tare_model_set_values(model, set->input, set->values, set->n_values, err);
}

tare_status opt_model_apply(const opt_model *const options, tare_model *const model,
                            tare_error *const err) {
  for (int i = 0; i < options->n_sets; i++) {
    CLI_TRY(opt_set_apply(&options->sets[i], model, err));
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
