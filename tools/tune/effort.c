#include "tools/tune/effort.h"

#include <stdlib.h>
#include <string.h>

#include "tools/layer_times.h"
#include "tools/show/layer_facts.h"

/* Seconds. */
#define BUILD_NODE 5e-5
#define BUILD_BYTE 2e-9 /* of parameters */
#define RUN_NODE 1e-5
#define RUN_OPERATION 5e-11

/* Of a sample at all levels, if a run has that of `values`: samples differ most by one symbol. */
static double runs_of_sample(const tare_plan *const plan, const tare_eval_result *const result,
                             const int64_t *const values) {
  const tare_profiles *const profiles = tare_plan_profiles(plan);
  double runs = result->n_levels ? result->n_levels : 1;
  for (int s = 0; s < tare_profiles_n_symbols(profiles) && result->n_samples; s++) {
    if (values[s] > 0 && strcmp(tare_profiles_symbol(profiles, s), result->length_symbol) == 0) {
      double lengths = 0;
      for (int64_t i = 0; i < result->n_samples; i++) {
        lengths += (double)result->samples[i].length;
      }
      runs *= lengths / (double)values[s] / (double)result->n_samples;
    }
  }
  return runs;
}

/* By the opt lengths of the first profile. */
tare_status effort_of_model(const tare_model *const model, const tare_plan *const plan,
                            const tare_eval_result *const result, effort *const out,
                            tare_error *const err) {
  int64_t values[TARE_MAX_SYMBOLS];
  double *layers = NULL, operations = 0;
  profile_values(tare_plan_profiles(plan), 0, POINT_OPT, values);
  const tare_status status = plan_operations(plan, values, &layers, &operations, err);
  free(layers);
  CLI_TRY(status);
  const tare_model_info info = tare_model_get_info(model);
  const double runs = runs_of_sample(plan, result, values);
  *out = (effort){.operations = operations * runs,
                  .build = info.n_nodes * BUILD_NODE + (double)info.parameter_bytes * BUILD_BYTE,
                  .sample = runs * (info.n_nodes * RUN_NODE + operations * RUN_OPERATION)};
  return TARE_OK;
}

double effort_of_trial(const effort *const e, const int64_t samples) {
  return e->build + (double)samples * e->sample;
}
