/* How a worker takes its next sample out of the data set. */
#include <pthread.h>

#include "base/clock.h"
#include "calib/gather/worker.h"

tare_status tarei_worker_fit(tarei_worker *const w, const tare_tensor *const tensors) {
  const tarei_gather_job *const job = w->in->job;
  return tarei_fit_sample(job->profiles, &w->in->fit, w->sample.slot.name, tensors,
                          &w->sample.fitted, &w->err);
}

/* Needs nothing that workers share, so that they fit and copy at the same time. */
static tare_status take_prepared(tarei_worker *const w) {
  const tare_tensor *const tensors = w->sample.slot.tensors;
  if (!w->in->job->options->streaming) {
    return tarei_worker_fit(w, tensors);
  }
  const tare_status status =
      tarei_utterance_begin(&w->sample.utterance, w->in->job->profiles, tensors, &w->err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(&w->err, status, "%s", w->sample.slot.name);
}

tare_status tarei_worker_refuse(tarei_worker *const w) {
  tarei_intake *const in = w->in;
  (void)pthread_mutex_lock(&in->mutex);
  tare_status status =
      tare_dataset_refuse(in->job->dataset, w->sample.slot.index, &w->err, &w->err);
  if (status == TARE_OK && !tarei_refused_has(&in->refused, w->sample.slot.index)) {
    in->spoiled = in->spoiled || w->sample.observed || tare_dataset_n_levels(in->job->dataset) > 1;
    status = tarei_refused_add(&in->refused, w->sample.slot.index, &w->err);
  }
  (void)pthread_mutex_unlock(&in->mutex);
  return status;
}

/* Whether the dims of its tensors contradict each other. A sample outside all profiles is not
 * unsound. In a streaming model the data lacks the states, so this cannot be checked. */
static bool take_is_unsound(const tarei_worker *const w) {
  int64_t values[TARE_MAX_SYMBOLS];
  return !w->in->job->options->streaming &&
         tare_profiles_bind(w->in->job->profiles, w->sample.slot.tensors, values, NULL) != TARE_OK;
}

/* Takes the next sample; false at the end, with a status in the worker where that is a failure. */
static bool take_from_open(tarei_worker *const w) {
  tarei_intake *const in = w->in;
  const tare_sample *next = NULL;
  w->failed_at = in->n_taken++;
  w->sample.observed = false;
  w->status = tare_dataset_next(in->job->dataset, &next, &w->err);
  if (w->status == TARE_E_CHECK) { /* a feed ends the pass, as progress may */
    w->failed_at = INT64_MAX;
    in->stopped = true;
  }
  if (w->status != TARE_OK || !next) {
    return false;
  }
  const bool own_level = next->gain_db == 0;
  tarei_dataset_take(in->job->dataset, &w->sample.slot);
  const bool known = tarei_refused_has(&in->refused, w->sample.slot.index);
  w->sample.unobserved = in->spoiled || known;
  w->sample.counts = own_level && !known;
  return true;
}

static bool checkpoint_is_due(const tarei_intake *const in) {
  return in->job->save && !in->spoiled && in->n_taken > in->n_saved &&
         tarei_now() - in->saved >= in->job->options->checkpoint_seconds;
}

static bool take_in_turn(tarei_worker *const w) {
  tarei_intake *const in = w->in;
  tarei_slot_fini(&w->sample.slot);
  (void)pthread_mutex_lock(&in->mutex);
  in->paused = in->paused || (!in->closed && checkpoint_is_due(in));
  const bool taken = !in->closed && !in->paused && take_from_open(w);
  in->closed = !taken && !in->paused;
  (void)pthread_mutex_unlock(&in->mutex);
  return taken;
}

/* Whether a sample is among those that are counted already, or to be left out. */
static bool take_counted(tarei_worker *const w) {
  tarei_intake *const in = w->in;
  w->sample.hash = tarei_sample_hash_of(w->sample.slot.tensors, w->sample.slot.n_tensors);
  (void)pthread_mutex_lock(&in->mutex);
  w->sample.resumed = tarei_ledger_rest_take(in->job->resumed, w->sample.hash);
  const bool counted =
      w->sample.resumed || tarei_ledger_rest_take(in->job->counted, w->sample.hash);
  in->n_done += counted && w->sample.counts;
  (void)pthread_mutex_unlock(&in->mutex);
  return counted;
}

/* What fitting does to a sample that a checkpoint has counted. */
static tare_status count_resumed(tarei_worker *const w) {
  tarei_intake *const in = w->in;
  if (!w->sample.resumed || !w->sample.counts || in->job->options->streaming ||
      !in->job->options->fitted) {
    return TARE_OK;
  }
  TAREI_TRY(take_prepared(w));
  (void)pthread_mutex_lock(&in->mutex);
  tarei_fit_count(in->job->profiles, &w->sample.fitted, &in->fitted);
  (void)pthread_mutex_unlock(&in->mutex);
  return TARE_OK;
}

bool tarei_worker_take(tarei_worker *const w) {
  const double start = tarei_now();
  bool ready = false;
  while (!ready && w->status == TARE_OK && take_in_turn(w)) {
    if (take_counted(w)) {
      w->status = count_resumed(w);
      continue;
    }
    w->status = take_prepared(w);
    ready = w->status == TARE_OK;
    if (!ready && take_is_unsound(w)) {
      w->status = tarei_worker_refuse(w);
    }
  }
  w->times.reading += tarei_now() - start;
  return ready;
}
