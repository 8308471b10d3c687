/* Plans for several lists of requests, side by side. */
#include <tare/tune.h>

#include "base/error.h"

static tare_status build_tried(const tare_model *const model, const tare_profiles *const profiles,
                               const tare_build_options *const build,
                               const char *const *const requests, const int n,
                               tare_plan **const plans, tare_error *const err) {
  tare_build_options o = *build;
  for (int i = 0; i < n; i++) {
    o.layer_precisions = requests[i];
    TAREI_TRY(tare_plan_build(model, profiles, &o, &plans[i], err));
  }
  return TARE_OK;
}

tare_status tare_try_requests(const tare_model *const model, const tare_profiles *const profiles,
                              const tare_build_options *const build,
                              const char *const *const requests, const int n,
                              tare_dataset *const data, const tare_eval_options *const eval,
                              tare_eval_result *const results, tare_error *const err) {
  if (n < 1 || n > TARE_MOST_TRIALS) {
    return tarei_fail(err, TARE_E_USAGE, "%d lists of requests: expected 1 to %d", n,
                      TARE_MOST_TRIALS);
  }
  tare_plan *plans[TARE_MOST_TRIALS] = {NULL};
  tare_status status = build_tried(model, profiles, build, requests, n, plans, err);
  if (status == TARE_OK) {
    status = tare_dataset_rewind(data, err);
  }
  if (status == TARE_OK) {
    status = tare_eval_many((const tare_plan *const *)plans, n, data, eval, results, err);
  }
  for (int i = 0; i < n; i++) {
    tare_plan_free(&plans[i]);
  }
  return status;
}
