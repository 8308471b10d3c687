#include "unit/engine/support/built.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void must(const tare_status status, const tare_error *const err) {
  if (status != TARE_OK) {
    fail_msg("%s", err->message);
  }
}

tare_plan *built_plan(const char *const path, const char *const profile) {
  tare_error err = {0};
  tare_model *model = NULL;
  tare_profiles *profiles = NULL;
  tare_plan *plan = NULL;
  const tare_port *ports;
  must(tare_model_load(path, &model, &err), &err);
  const int n = tare_model_inputs(model, &ports);
  must(tare_profiles_new(ports, n, &profiles, &err), &err);
  must(tare_profiles_add(profiles, profile, &err), &err);
  must(tare_plan_build(model, profiles, NULL, &plan, &err), &err);
  tare_profiles_free(&profiles);
  tare_model_free(&model);
  return plan;
}
