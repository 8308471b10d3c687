#include "calib/gather/worker.h"

#include <assert.h>
#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"
#include "calib/gather/nan_samples.h"
#include "calib/samples/weighting.h"
#include "engine/context.h"
#include "graph/model.h"

static tare_status worker_observe(void *const user, const tarei_observation *const o,
                                  tare_error *const err) {
  tarei_worker *const w = user;
  if (w->sample.unobserved) {
    return TARE_OK;
  }
  w->sample.observed = true;
  assert(o->tensor < w->stats->n_tensors && o->profile < w->stats->n_profiles);
  const int64_t *const extents = w->in->job->options->count_padding ? o->data->dims : o->valid;
  const double start = tarei_now();
  tarei_accumulator *const a = &w->counted->tensors[o->tensor].buckets[o->profile];
  const tarei_accumulator_range range = tarei_accumulator_begin(a);
  const int64_t nans = a->n_nan;
  const tare_status status = tarei_crew_observe(&w->crew, o->data, extents, a, err);
  tarei_accumulator_end(a, range, w->sample.hash);
  if (a->n_nan > nans && !w->sample.nan) {
    w->sample.nan = o->name;
  }
  tarei_channels_observe(&w->in->job->sums->channels, o->tensor, o->profile, o->data, extents,
                         w->ranges);
  w->times.observing += tarei_now() - start;
  return status;
}

static tare_status worker_read(void *const user, const tarei_reading *const reading,
                               tare_error *const err) {
  tarei_worker *const w = user;
  if (w->sample.unobserved) {
    return TARE_OK;
  }
  w->sample.observed = true;
  const bool all = w->in->job->options->count_padding;
  const double start = tarei_now();
  const tare_status status = tarei_gram_rows_take(
      &w->rows, reading, all ? reading->run->out[0]->dims : reading->valid, err);
  w->times.observing += tarei_now() - start;
  return status;
}

/* `run` is its number among those of the sample. */
static tare_status worker_run_fitted(tarei_worker *const w, const int64_t run) {
  const tarei_fitted *const fitted = &w->sample.fitted;
  const double start = tarei_now();
  const double observing = w->times.observing;
  tarei_context_set_sample(w->context, &w->sample.hash, run);
  const tare_status status = tarei_context_run_valid(w->context, fitted->tensors, fitted->valid,
                                                     fitted->profile, w->outputs, &w->err);
  w->times.running += tarei_now() - start - (w->times.observing - observing);
  w->sample.refused = status != TARE_OK;
  return status == TARE_OK ? TARE_OK : tarei_fail_in(&w->err, status, "%s", w->sample.slot.name);
}

static tare_status worker_run_utterance(tarei_worker *const w) {
  tarei_utterance *const u = &w->sample.utterance;
  for (;;) {
    const tare_tensor *tensors;
    TAREI_TRY(tarei_utterance_next(u, &tensors, &w->err));
    if (!tensors) {
      return TARE_OK;
    }
    TAREI_TRY(tarei_worker_fit(w, tensors));
    TAREI_TRY(worker_run_fitted(w, u->at - 1));
    TAREI_TRY(tarei_utterance_feed(u, w->outputs, &w->err));
  }
}

static tare_status worker_weigh(tarei_worker *const w) {
  const tarei_slot *const slot = &w->sample.slot;
  return tarei_stats_weigh(
      w->stats, w->weighed,
      tarei_weight_shares(w->in->job->options->weight, slot->tensors, slot->n_tensors), &w->err);
}

/* An utterance counts in the profile of its last chunk. */
static tare_status worker_run_sample(tarei_worker *const w) {
  TAREI_TRY(w->in->job->options->streaming ? worker_run_utterance(w) : worker_run_fitted(w, 0));
  TAREI_TRY(w->weighed ? worker_weigh(w) : TARE_OK);
  w->stats->profiles[w->sample.fitted.profile].n_samples += w->sample.counts;
  return TARE_OK;
}

static tare_status note_nan(tarei_worker *const w) {
  tare_nan_samples *const nans = w->in->job->options->nans;
  return nans && w->sample.nan && w->sample.counts
             ? tarei_nan_samples_add(nans, w->sample.slot.index, w->sample.slot.name, w->sample.nan,
                                     &w->err)
             : TARE_OK;
}

static tare_status worker_count_done(tarei_worker *const w, int64_t *const done) {
  tarei_intake *const in = w->in;
  (void)pthread_mutex_lock(&in->mutex);
  *done = in->n_done += w->sample.counts;
  tare_status status = w->sample.unobserved
                           ? TARE_OK
                           : tarei_ledger_add(&in->stats->ledger, w->sample.hash, &w->err);
  status = status == TARE_OK ? note_nan(w) : status;
  if (w->sample.counts && !in->job->options->streaming) {
    tarei_fit_count(in->job->profiles, &w->sample.fitted, &in->fitted);
  }
  (void)pthread_mutex_unlock(&in->mutex);
  return status;
}

tare_status tarei_worker_report(tarei_worker *const w, const int64_t done) {
  const tare_calibrate_options *const o = w->in->job->options;
  const int64_t total = tare_dataset_count(w->in->job->dataset);
  if (!o->progress || o->progress(o->progress_user, done, total)) {
    return TARE_OK;
  }
  w->failed_at = INT64_MAX; /* a failure of the data goes first */
  w->in->stopped = true;
  return tarei_dataset_stopped(w->in->job->dataset, done, &w->err);
}

void tarei_worker_reset_stats(tare_stats *const stats) {
  for (int p = 0; p < stats->n_profiles; p++) {
    stats->profiles[p].n_samples = 0;
    for (int t = 0; t < stats->n_tensors; t++) {
      tarei_accumulator_fini(&stats->tensors[t].buckets[p]);
    }
  }
}

/* What is counted of a sample that the model refuses is forgotten. */
static void worker_reset_weighed(const tarei_worker *const w) {
  if (w->weighed) {
    tarei_worker_reset_stats(w->weighed);
  }
}

tare_status tarei_worker_count(tarei_worker *const w, const bool of_caller) {
  w->sample.refused = false;
  w->sample.nan = NULL;
  const tare_status ran = worker_run_sample(w);
  if (ran != TARE_OK && !w->sample.refused) {
    return ran;
  }
  if (ran != TARE_OK) {
    worker_reset_weighed(w);
    return tarei_worker_refuse(w);
  }
  int64_t done;
  TAREI_TRY(worker_count_done(w, &done));
  return of_caller ? tarei_worker_report(w, done) : TARE_OK;
}

/* Where samples have weights, they are complete before they are added. */
static tare_status worker_start_counting(tarei_worker *const w, tare_error *const err) {
  const tare_stats *const s = w->stats;
  if (w->in->job->options->weight != TARE_WEIGHT_ELEMENT) {
    TAREI_TRY(tarei_stats_new(s->n_profiles, 0, s->n_tensors, 0, &w->weighed, err));
  }
  w->counted = w->weighed ? w->weighed : w->stats;
  return TARE_OK;
}

tare_status tarei_worker_start(tarei_worker *const w, tarei_intake *const in, const int threads,
                               tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  options.seed = tarei_dataset_spec(in->job->dataset)->seed;
  w->in = in;
  TAREI_TRY(worker_start_counting(w, err));
  const tare_streaming *const streaming = in->job->options->streaming;
  if (streaming) {
    TAREI_TRY(tarei_utterance_init(&w->sample.utterance, streaming, err));
    w->sample.utterance.generates = streaming->generation.tokens;
  }
  w->outputs = tarei_calloc((size_t)in->job->model->graph->n_outputs, sizeof *w->outputs);
  if (!w->outputs) {
    return tarei_fail_memory(err, "outputs", sizeof *w->outputs);
  }
  TAREI_TRY(tare_context_new(in->job->plan, &options, &w->context, err));
  tarei_context_set_observer(w->context, worker_observe, w);
  w->ranges = tarei_calloc((size_t)in->job->sums->channels.most, 2 * sizeof *w->ranges);
  if (!w->ranges) {
    return tarei_fail_memory(err, "ranges of channels", sizeof *w->ranges);
  }
  TAREI_TRY(tarei_gram_rows_init(&w->rows, &in->job->sums->grams, in->job->kernels, err));
  tarei_context_set_reading(w->context, in->job->sums->grams.n ? worker_read : NULL, w);
  return tarei_crew_init(&w->crew, in->job->kernels, tarei_context_team(w->context), err);
}

void tarei_worker_end(tarei_worker *const w) {
  tare_stats_free(&w->weighed);
  tarei_crew_fini(&w->crew);
  tarei_gram_rows_fini(&w->rows);
  tare_context_free(&w->context);
  tarei_fitted_fini(&w->sample.fitted);
  tarei_utterance_fini(&w->sample.utterance);
  free(w->outputs);
  free(w->ranges);
  tarei_slot_fini(&w->sample.slot);
}
