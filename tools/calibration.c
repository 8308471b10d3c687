#include "tools/calibration.h"

#include "tools/say.h"
#include "tools/signals.h"
#include "tools/source.h"

static bool tick_pass(void *const user, const int64_t done, const int64_t total) {
  calibration_progress *const p = user;
  const bool late = p->deadline > 0 && cli_now() > p->deadline;
  return progress_tick(&p->line, done, total) && !late && !signals_interrupted();
}

/* The time left is that of the rounding alone. */
static bool tick_rounding(void *const user, const int64_t done, const int64_t total) {
  calibration_progress *const p = user;
  if (!p->rounding) {
    progress_end(&p->line);
    p->line = progress_start("round weights", p->common);
    p->rounding = true;
  }
  return progress_tick(&p->line, done, total);
}

void calibration_progress_start(calibration_progress *const p, const opt_common *const common,
                                tare_calibrate_options *const options) {
  *p = (calibration_progress){.common = common, .line = progress_start("calibrate", common)};
  options->progress = tick_pass;
  options->progress_user = p;
  options->rounding_progress = tick_rounding;
  options->rounding_user = p;
}

void calibration_progress_end(calibration_progress *const p) {
  progress_end(&p->line);
}

tare_status calibration_run(const calibration *const c, tare_stats **const out,
                            tare_error *const err) {
  calibration_progress p;
  tare_calibrate_options o = source_calibrate_options(c->in, c->lengths, c->streaming);
  tare_fit_counts fitted = {0};
  tare_nan_samples nans = {0};
  o.all_tensors = o.fold_norms = c->for_export;
  opt_weight_methods_apply(c->weight_methods, &o);
  calibration_progress_start(&p, &c->in->common, &o);
  o.fitted = &fitted;
  o.nans = &nans;
  const tare_status status = tare_calibrate(c->model, c->data, c->profiles, &o, out, err);
  calibration_progress_end(&p);
  say_data(&c->in->common, c->data);
  say_fitted(&c->in->common, "calibration", &fitted);
  say_nans(&c->in->common, &nans);
  return status;
}
