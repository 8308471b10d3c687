/* Builds plans; what fails for lengths says which lengths would do. */
#include <string.h>

#include "engine/plan.h"
#include "shapes/profiles.h"

#include <tare/length_check.h>

/* Profile p alone, in which a symbol with one value gets others: a plan takes it for a constant. */
static tare_status build_widen(const tare_profiles *const profiles, const int p,
                               tare_profiles **const out, tare_error *const err) {
  int64_t min[TARE_MAX_SYMBOLS] = {0}, max[TARE_MAX_SYMBOLS] = {0};
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, p, s);
    min[s] = r.min;
    max[s] = r.min == r.max && r.min > 1 && r.max <= INT64_MAX / 2 ? 2 * r.max : r.max;
  }
  TAREI_TRY(tarei_profiles_clone(profiles, out, err));
  const tare_status status = tarei_profiles_replace(*out, min, max, err);
  if (status != TARE_OK) {
    tare_profiles_free(out);
  }
  return status;
}

/* Adds to a failure which lengths near the maximum of a profile work, if it fails there. */
static bool build_suggest_for(const tare_model *const model, const tare_profiles *const profiles,
                              const int p, tare_error *const err) {
  tare_length_check *check = NULL;
  tare_profiles *wide = NULL;
  tare_length_near near = {.symbol = -1};
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  bool found = build_widen(profiles, p, &wide, NULL) == TARE_OK &&
               tare_length_check_new(model, wide, &check, NULL) == TARE_OK;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    values[s] = tare_profiles_range(profiles, p, s).max;
  }
  found = found && tare_length_check_at(check, values, NULL) != TARE_OK &&
          tare_length_check_near(check, values, &near, NULL) == TARE_OK && near.symbol >= 0;
  if (found) {
    const tare_error at = *err;
    (void)tarei_fail(err, at.status, "%s; %s", at.message, near.text);
  }
  tare_length_check_free(&check);
  tare_profiles_free(&wide);
  return found;
}

/* Failures for a single length of all profiles, or for memory at their maximum. Others have their
 * lengths, or none. */
static void build_suggest(const tare_model *const model, const tare_profiles *const profiles,
                          tare_error *const err) {
  const bool single = err->status == TARE_E_MODEL && strstr(err->message, " in every profile");
  const bool memory = err->status == TARE_E_LIMIT && strstr(err->message, "max-memory");
  for (int p = 0; (single || memory) && p < tare_profiles_count(profiles); p++) {
    if (build_suggest_for(model, profiles, p, err)) {
      return;
    }
  }
}

static tare_status build_and_suggest(const tare_model *const model,
                                     const tare_profiles *const profiles,
                                     const tare_build_options *const options,
                                     const bool is_observed, tare_plan **const out,
                                     tare_error *const err) {
  tare_error failure = {0};
  const tare_status status = tarei_plan_make(model, profiles, options, is_observed, out, &failure);
  if (status == TARE_OK) {
    return TARE_OK;
  }
  build_suggest(model, profiles, &failure);
  return tarei_fail(err, status, "%s", failure.message);
}

tare_status tare_plan_build(const tare_model *const model, const tare_profiles *const profiles,
                            const tare_build_options *const options, tare_plan **const out,
                            tare_error *const err) {
  return build_and_suggest(model, profiles, options, false, out, err);
}

tare_status tarei_plan_build_observed(const tare_model *const model,
                                      const tare_profiles *const profiles,
                                      const tare_build_options *const options,
                                      tare_plan **const out, tare_error *const err) {
  return build_and_suggest(model, profiles, options, true, out, err);
}
