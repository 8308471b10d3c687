#include "calib/eval/eval_fit.h"

#include "base/error.h"
#include "shapes/profiles.h"

/* A set with nothing but the pinned profile: whatever the fit, it then goes by its bounds. */
static tare_status pin(tarei_eval_fit *const fit, tare_error *const err) {
  tarei_str spec = {0};
  tarei_profiles_print(tare_plan_profiles(fit->plan), fit->pin, &spec);
  tare_status status = tare_profiles_new(fit->inputs, fit->n_inputs, &fit->only, err);
  if (status == TARE_OK) {
    status = spec.failed ? tarei_fail_memory(err, "a pinned profile", spec.length)
                         : tare_profiles_add(fit->only, tarei_str_get(&spec), err);
  }
  tarei_str_free(&spec);
  return status;
}

tare_status tarei_eval_fit_init(tarei_eval_fit *const fit, const tare_plan *const plan,
                                const tare_eval_options *const options, tare_error *const err) {
  *fit = (tarei_eval_fit){.plan = plan,
                          .pin = options->profile,
                          .options = {.fit = options->fit,
                                      .outside = options->outside,
                                      .pad_values = options->pad_values,
                                      .n_pad_values = options->n_pad_values,
                                      .length_inputs = options->length_inputs,
                                      .n_length_inputs = options->n_length_inputs,
                                      .streaming = options->streaming}};
  fit->n_inputs = tare_plan_inputs(plan, &fit->inputs);
  TAREI_TRY(tarei_fit_check(&fit->options, fit->inputs, fit->n_inputs, err));
  return fit->pin < 0 ? TARE_OK : pin(fit, err);
}

void tarei_eval_fit_fini(tarei_eval_fit *const fit) {
  tare_profiles_free(&fit->only);
}

/* Said here, by the number that the user gave: alone in its set the profile has another. */
static tare_status check_pin(const tarei_eval_fit *const fit, const tare_tensor *const tensors,
                             tare_error *const err) {
  int64_t own[TARE_MAX_SYMBOLS];
  TAREI_TRY(tare_profiles_bind(fit->only, tensors, own, err));
  for (int s = 0; s < tare_profiles_n_symbols(fit->only); s++) {
    const tare_range r = tare_profiles_range(fit->only, 0, s);
    if (own[s] < r.min || own[s] > r.max) {
      return tarei_fail(err, TARE_E_SHAPE, "%s=%lld is outside profile %d: expected %lld..%lld",
                        tare_profiles_symbol(fit->only, s), (long long)own[s], fit->pin,
                        (long long)r.min, (long long)r.max);
    }
  }
  return TARE_OK;
}

tare_status tarei_eval_fit_sample(const tarei_eval_fit *const fit, const tare_sample *const sample,
                                  tarei_fitted *const fitted, tare_error *const err) {
  if (!fit->only) {
    return tarei_fit_sample(tare_plan_profiles(fit->plan), &fit->options, sample->name,
                            sample->tensors, fitted, err);
  }
  if (fit->options.outside != TARE_OUTSIDE_NEAREST) {
    const tare_status status = check_pin(fit, sample->tensors, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "%s", sample->name);
    }
  }
  TAREI_TRY(tarei_fit_sample(fit->only, &fit->options, sample->name, sample->tensors, fitted, err));
  fitted->profile = fit->pin;
  return TARE_OK;
}
