/* Plans for several lists of requests, side by side. */
#include <tare/tune.h>

#include "base/error.h"
#include "calib/tune/plan_group.h"

/* What plans are made of. */
typedef struct try_case {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_build_options *build;
} try_case;

static tare_status build_tried(const void *const user, const char *const requests,
                               tare_plan **const out, tare_error *const err) {
  const try_case *const c = user;
  tare_build_options o = *c->build;
  o.layer_precisions = requests;
  return tare_plan_build(c->model, c->profiles, &o, out, err);
}

static tare_status run_tried(const tarei_plan_group *const group, tare_dataset *const data,
                             const tare_eval_options *const eval, tare_eval_result *const results,
                             tare_error *const err) {
  TAREI_TRY(tare_dataset_rewind(data, err));
  return tare_eval_many((const tare_plan *const *)group->plans, group->n, data, eval, results, err);
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
  const try_case c = {model, profiles, build};
  tarei_plan_group group = tarei_plan_group_new();
  tare_status status = TARE_OK;
  int done = 0;
  while (done < n && status == TARE_OK) {
    status = tarei_plan_group_build(&group, build_tried, &c, requests + done, n - done, err);
    if (status == TARE_OK) {
      status = run_tried(&group, data, eval, results + done, err);
    }
    done += status == TARE_OK ? group.n : 0;
    tarei_plan_group_clear(&group);
  }
  for (int i = 0; i < done && status != TARE_OK; i++) {
    tare_eval_result_fini(&results[i]);
  }
  return status;
}
