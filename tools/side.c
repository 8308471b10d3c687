#include "tools/side.h"

#include <string.h>

#include <unistd.h>

#include "tools/show/show.h"

tare_status side_load(const char *const path, const opt_common *const common, side *const out,
                      tare_error *const err) {
  const tare_load_options options = opt_load(common);
  *out = (side){.path = path};
  const show_kind *const kind = show_kind_of(path);
  if (kind == &show_plan) {
    return tare_plan_load_with(path, &options, &out->plan, err);
  }
  if (kind == &show_model || access(path, R_OK) != 0) {
    return tare_model_load_with(path, &options, &out->model, err);
  }
  return cli_fail(err, TARE_E_INPUT, "%s is a %s file, expected a plan or an ONNX model", path,
                  kind->name);
}

tare_status side_load_plan(const char *const path, const opt_common *const common, side *const out,
                           tare_error *const err) {
  CLI_TRY(side_load(path, common, out, err));
  return out->plan
             ? TARE_OK
             : cli_fail(err, TARE_E_INPUT,
                        "%s is a model file, expected a plan (tare build makes one of a model)",
                        path);
}

void side_fini(side *const s) {
  tare_plan_free(&s->plan);
  tare_model_free(&s->model);
}

static bool side_has_input(const side *const s, const char *const name) {
  const tare_port *inputs = NULL;
  const int n = s->model ? tare_model_inputs(s->model, &inputs) : 0;
  bool found = false;
  for (int i = 0; i < n && !found; i++) {
    found = strcmp(inputs[i].name, name) == 0;
  }
  return found;
}

tare_status side_set_inputs(side *const a, side *const b, const opt_model *const options,
                            tare_error *const err) {
  side *const sides[] = {a, b};
  for (int i = 0; i < options->n_sets; i++) {
    const opt_set *const set = &options->sets[i];
    const bool nowhere = !side_has_input(a, set->input) && !side_has_input(b, set->input);
    for (int s = 0; s < 2; s++) {
      if (sides[s]->model && (nowhere || side_has_input(sides[s], set->input))) {
        CLI_TRY(opt_set_apply(set, sides[s]->model, err));
      }
    }
  }
  return TARE_OK;
}

tare_status side_refuse_options(const side *const s, const opt_profiles *const profiles,
                                const opt_model *const model, const opt_common *const common,
                                tare_error *const err) {
  const struct {
    bool given;
    const char *option, *fixed;
  } options[] = {{opt_profiles_given(profiles) || profiles->from_data, "--profile", "profiles"},
                 {model->n_sets > 0, "--set", "inputs"},
                 {common->isa != NULL, "--isa", "kernels"}};
  for (size_t i = 0; s->plan && i < sizeof options / sizeof *options; i++) {
    if (options[i].given) {
      return cli_fail(err, TARE_E_USAGE, "%s is for models: the %s of plan %s are fixed",
                      options[i].option, options[i].fixed, s->path);
    }
  }
  return TARE_OK;
}

int side_inputs(const side *const s, const tare_port **const ports) {
  return s->plan ? tare_plan_inputs(s->plan, ports) : tare_model_inputs(s->model, ports);
}

tare_status side_build(side *const s, const tare_profiles *const profiles,
                       const opt_common *const common, tare_error *const err) {
  if (s->plan) {
    return TARE_OK;
  }
  const tare_build_options options = opt_build_options(NULL, common, NULL);
  return tare_plan_build(s->model, profiles, &options, &s->plan, err);
}
