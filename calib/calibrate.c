/* One pass of the float model over the data, everything observed into its bucket. */
#include <string.h>

#include "base/mem.h"
#include "base/refusals.h"
#include "calib/gather/gather.h"
#include "calib/parts/difference.h"
#include "calib/parts/run_settings.h"
#include "calib/parts/shards.h"
#include "calib/calibration.h"
#include "datasets/dataset.h"
#include "graph/model.h"

typedef struct pass {
  tarei_calibration run;
  tarei_ledger_rest resumed, counted;
} pass;

void tare_calibrate_options_init(tare_calibrate_options *const options) {
  *options = (tare_calibrate_options){0};
}

tare_status tare_calibrate_check(const tare_model *const model, tare_error *const err) {
  const int stated = tare_model_get_info(model).n_stated;
  return stated == 0
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_USAGE,
                   "%s is a quantized model (Q/DQ) with scales for %d activations: build it "
                   "without a table (tare build MODEL -o PLAN), or calibrate the float model",
                   model->graph->name, stated);
}

static tare_status describe_data(tarei_calibration *const r, const tare_dataset *const dataset) {
  tare_stats *const stats = r->stats;
  const char *const gain_range = tare_dataset_gain_range(dataset);
  TAREI_TRY(*gain_range ? tarei_calibration_copy_text(r, gain_range, &stats->gain_range) : TARE_OK);
  TAREI_TRY(tarei_run_settings(r->model, dataset, r->options, &stats->settings, r->err));
  const tarei_data_spec *const spec = tarei_dataset_spec(dataset);
  return spec->n_shards ? tarei_stats_set_shard(stats, spec->shard, spec->n_shards,
                                                tare_dataset_hash(dataset), r->err)
                        : TARE_OK;
}

/* Adds what a checkpoint has to empty statistics. */
static tare_status resume(void *const user, tare_error *const err) {
  pass *const p = user;
  const tare_stats *const from = p->run.options->resume;
  if (!from) {
    return TARE_OK;
  }
  TAREI_TRY(
      tarei_stats_check_same(p->run.stats, from, "the checkpoint", true /* with_shards */, err));
  const tare_status status = tarei_calibration_take(&p->run, from);
  TAREI_TRY(status == TARE_OK ? TARE_OK : tarei_fail_in(err, status, "the checkpoint"));
  return tarei_ledger_rest_add(&p->resumed, &from->ledger, err);
}

static tare_status leave_out(pass *const p) {
  const tare_calibrate_options *const o = p->run.options;
  for (int i = 0; i < o->n_counted; i++) {
    TAREI_TRY(tarei_ledger_rest_add(&p->counted, &o->counted[i]->ledger, p->run.err));
  }
  return TARE_OK;
}

/* Everything that is counted so far, as statistics that are partial. */
static tare_status save_checkpoint(void *const user, tare_error *const err) {
  const tarei_calibration *const r = &((const pass *)user)->run;
  const size_t n = (size_t)r->stats->n_tensors;
  tare_stats shown = *r->stats;
  shown.tensors = tarei_calloc(n, sizeof *shown.tensors);
  if (!shown.tensors) {
    return tarei_fail_memory(err, "a checkpoint", n * sizeof *shown.tensors);
  }
  memcpy(shown.tensors, r->stats->tensors, n * sizeof *shown.tensors);
  tarei_stats_sort(&shown);
  shown.partial = true;
  shown.sums = tarei_calibration_has_sums(r) ? r->sums : NULL;
  const tare_status status = tare_stats_save(&shown, r->options->checkpoint, err);
  free(shown.tensors);
  return status;
}

static tare_status check_resumed(const pass *const p) {
  return p->resumed.left == 0
             ? TARE_OK
             : tarei_fail(p->run.err, TARE_E_INPUT,
                          "the checkpoint has counted %zu samples that the data do not have: they "
                          "changed, or it belongs to others",
                          p->resumed.left);
}

static tare_status gather_all(pass *const p, tare_dataset *const dataset,
                              const tarei_work *const work) {
  const tarei_calibration *const r = &p->run;
  const tarei_gather_job job = {
      .model = r->model,
      .profiles = r->profiles,
      .options = r->options,
      .plan = r->plan,
      .kernels = &work->kernels,
      .threads = work->threads,
      .dataset = dataset,
      .sums = r->sums,
      .resumed = &p->resumed,
      .counted = &p->counted,
      .may_be_empty = r->stats->shards.count > 0 || tarei_dataset_spec(dataset)->wants,
      .resume = resume,
      .save = r->options->checkpoint ? save_checkpoint : NULL,
      .user = p};
  TAREI_TRY(leave_out(p));
  TAREI_TRY(tarei_gather(&job, r->stats, r->err));
  return check_resumed(p);
}

static tare_status calib_calibrate(pass *const p, tare_dataset *const dataset) {
  const tarei_work work = tarei_work_of(p->run.options);
  TAREI_TRY(tare_calibrate_check(p->run.model, p->run.err));
  TAREI_TRY(tarei_calibration_make(&p->run));
  TAREI_TRY(describe_data(&p->run, dataset));
  TAREI_TRY(gather_all(p, dataset, &work));
  return tarei_calibration_finish(&p->run, &work);
}

tare_status tare_calibrate(const tare_model *const model, tare_dataset *const dataset,
                           const tare_profiles *const profiles,
                           const tare_calibrate_options *const options, tare_stats **const out,
                           tare_error *const err) {
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_calibrate_options, options, err));
  tare_calibrate_options defaults;
  tare_calibrate_options_init(&defaults);
  pass p = {.run = {.model = model,
                    .profiles = profiles,
                    .options = options ? options : &defaults,
                    .err = err}};
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, calib_calibrate(&p, dataset), model->graph->name, err);
  tarei_ledger_rest_fini(&p.resumed);
  tarei_ledger_rest_fini(&p.counted);
  return tarei_calibration_end(&p.run, status, out);
}
