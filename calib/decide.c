#include "calib/decide.h"

#include <tare/tare.h>

#include "calib/methods/clipping.h"
#include "calib/methods/input_means.h"
#include "calib/methods/rounding.h"
#include "calib/methods/smoothing.h"

tarei_work tarei_work_of(const tare_calibrate_options *const options) {
  tarei_work work;
  unsigned isa = TAREI_ISA_ALL;
  const bool known = !options->isa || tarei_isa_parse(options->isa, &isa);
  const int wanted = options->threads > 0 ? options->threads : tare_cores();
  work.threads = wanted < TAREI_TEAM_MOST_THREADS ? wanted : TAREI_TEAM_MOST_THREADS;
  tarei_kernels_select(known ? isa : TAREI_ISA_ALL, &work.kernels); /* plans refuse unknown ones */
  return work;
}

/* Weights are clipped as smoothing left them, and rounded to the scales that this left them. */
tare_status tarei_decide(tare_plan *const plan, const tarei_sums *const sums,
                         const tarei_work *const work, const tare_calibrate_options *const options,
                         tare_stats *const stats, tare_error *const err) {
  const tarei_grams *const grams = &sums->grams;
  TAREI_TRY(tarei_smooth_tensors(plan, &sums->channels, options->smoothing, stats, err));
  TAREI_TRY(tarei_clip_weights(plan, grams, options->clipping, work->threads, stats, err));
  TAREI_TRY(options->bias_correction ? tarei_take_input_means(plan, grams, stats, err) : TARE_OK);
  return grams->n && !options->round_to_nearest
             ? tarei_round_weights(plan, grams, &work->kernels, work->threads, options, stats, err)
             : TARE_OK;
}
