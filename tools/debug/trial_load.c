/* Models of trials and their profiles, as the options of the user have them. */
#include <string.h>

#include "tools/debug/trial.h"
#include "tools/options/choose_profiles.h"
#include "tools/options/lengths.h"

tare_status trial_load(const trials *const all, const char *const path, tare_model **const out,
                       tare_error *const err) {
  const tare_load_options load = opt_load(&all->in->common);
  CLI_TRY(tare_model_load_with(path, &load, out, err));
  for (int s = 0; s < all->in->model.n_sets; s++) {
    const opt_set *const set = &all->in->model.sets[s];
    const tare_port *inputs = NULL;
    const int n = tare_model_inputs(*out, &inputs);
    for (int i = 0; i < n; i++) {
      if (strcmp(inputs[i].name, set->input) == 0) {
        CLI_TRY(opt_set_apply(set, *out, err));
        break;
      }
    }
  }
  return TARE_OK;
}

tare_status trial_profiles(const trials *const all, trial *const t, tare_error *const err) {
  const opt_profiles none = {.n = 0};
  opt_common quiet = all->in->common;
  const tare_port *inputs = NULL;
  const int n = tare_model_inputs(t->model, &inputs);
  quiet.quiet = true;
  quiet.verbose = false;
  CLI_TRY(profiles_choose(&none, &quiet, inputs, n, NULL, &t->data, 1, &t->profiles, err));
  if (!all->profiles) {
    return TARE_OK;
  }
  tare_profiles *from_data = t->profiles;
  t->profiles = NULL;
  tare_status status = tare_profiles_new(inputs, n, &t->profiles, err);
  if (status == TARE_OK) {
    status = profiles_restrict(all->profiles, from_data, t->profiles, err);
  }
  tare_profiles_free(&from_data);
  return status;
}
