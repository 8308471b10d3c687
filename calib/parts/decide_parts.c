/* Decisions that parts of a calibration could not make, by the sums of all of them. */
#include <tare/merge.h>

#include "base/refusals.h"
#include "calib/parts/difference.h"
#include "calib/parts/run_settings.h"
#include "calib/parts/shards.h"
#include "calib/calibration.h"
#include "graph/model.h"

/* How the statistics were collected, but for what follows from the model and the options. */
static tare_status copy_description(tarei_calibration *const r, const tare_stats *const from) {
  tare_stats *const to = r->stats;
  to->partial = from->partial;
  to->has_ledger = from->has_ledger;
  TAREI_TRY(from->gain_range ? tarei_calibration_copy_text(r, from->gain_range, &to->gain_range)
                             : TARE_OK);
  for (int i = 0; i < from->settings.n; i++) {
    const tarei_setting *const s = &from->settings.items[i];
    TAREI_TRY(tarei_settings_add(&to->settings, s->name, s->value, r->err));
  }
  return tarei_shards_copy(&to->shards, &from->shards, r->err);
}

static tare_status calib_decide(tarei_calibration *const r, const tare_stats *const undecided) {
  const tarei_work work = tarei_work_of(r->options);
  TAREI_TRY(tarei_calibration_make(r));
  TAREI_TRY(copy_description(r, undecided));
  TAREI_TRY(tarei_calibration_take(r, undecided));
  return tarei_calibration_finish(r, &work);
}

static tare_status parse_profiles(const tare_model *const model, const tare_stats *const stats,
                                  tare_profiles **const out, tare_error *const err) {
  const tare_port *inputs = NULL;
  const int n = tare_model_inputs(model, &inputs);
  TAREI_TRY(tare_profiles_new(inputs, n, out, err));
  for (int p = 0; p < stats->n_profiles; p++) {
    TAREI_TRY(tare_profiles_add(*out, stats->profiles[p].spec, err));
  }
  return TARE_OK;
}

/* Those of the run, not those of the caller. */
static tare_status take_decisions(const tare_stats *const undecided,
                                  tare_calibrate_options *const options, tare_error *const err) {
  options->fit = undecided->fit;
  options->count_padding = undecided->counts_padding;
  options->all_tensors = undecided->all_tensors;
  options->fold_norms = *tarei_settings_find(&undecided->settings, TAREI_SETTING_NORMS) != '\0';
  options->undecided = false;
  return tarei_run_settings_decisions(&undecided->settings, options)
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT,
                          "the statistics have settings that this version does not have");
}

tare_status tare_stats_decide(const tare_model *const model, const tare_stats *const undecided,
                              const tare_calibrate_options *const options, tare_stats **const out,
                              tare_error *const err) {
  tare_calibrate_options own;
  tare_calibrate_options_init(&own);
  own = options ? *options : own;
  tare_profiles *profiles = NULL;
  tarei_calibration r = {.model = model, .options = &own, .err = err};
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_calibrate_options, options, err));
  TAREI_TRY(tarei_stats_check_model(undecided, model, err));
  TAREI_TRY(take_decisions(undecided, &own, err));
  const unsigned refusals = tarei_refusals();
  tare_status status = parse_profiles(model, undecided, &profiles, err);
  if (status == TARE_OK) {
    r.profiles = profiles;
    status = calib_decide(&r, undecided);
  }
  status = tarei_settle(refusals, status, model->graph->name, err);
  tare_profiles_free(&profiles);
  return tarei_calibration_end(&r, status, out);
}
