#include "tools/calibration.h"

#include "tools/progress.h"
#include "tools/say.h"
#include "tools/source.h"

tare_status calibration_run(const calibration *const c, tare_stats **const out,
                            tare_error *const err) {
  progress p = progress_start("calibrate", &c->in->common);
  tare_calibrate_options o = source_calibrate_options(c->in, c->lengths, c->streaming);
  tare_fit_counts fitted = {0};
  o.all_tensors = c->all_tensors;
  o.progress = progress_tick;
  o.progress_user = &p;
  o.fitted = &fitted;
  const tare_status status = tare_calibrate(c->model, c->data, c->profiles, &o, out, err);
  progress_end(&p);
  say_data(&c->in->common, c->data);
  say_fitted(&c->in->common, "calibration", &fitted);
  return status;
}
