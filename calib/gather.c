#include "calib/gather.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "calib/refused.h"
#include "calib/samples/weighting.h"
#include "datasets/dataset.h"
#include "engine/context.h"
#include "graph/model.h"
#include "shapes/fit.h"
#include "shapes/streaming.h"

enum {
  SAMPLES_PER_WORKER = 4,  /* with fewer, the last sample leaves too many idle for too long */
  WORKERS_BYTES = 1 << 30, /* of all workers but the first */
};

/* What workers share. */
typedef struct intake {
  const tarei_gather_job *job;
  tarei_fit_options fit;
  pthread_mutex_t mutex;   /* guards the data set and what follows */
  int64_t n_taken, n_done; /* at all levels; samples */
  bool closed;  /* the data is at its end, a sample failed, or the caller wants no more */
  bool spoiled; /* the statistics hold a part of a sample that was refused */
  tarei_refused refused;
  tare_fit_counts fitted;
  tare_stats *stats; /* the sum of all workers; its ledger is filled by them */
  bool paused;       /* for a checkpoint: no more samples until it is written */
  bool stopped;      /* by the caller */
  double saved;      /* time of the last checkpoint, or of the start */
  int64_t n_saved;   /* n_taken then */
} intake;

/* A sample, taken out of the data set. */
typedef struct sample {
  tarei_slot slot;
  bool observed;   /* by none yet, or by some tensor */
  bool refused;    /* the model failed on it */
  bool unobserved; /* it is run only to see whether the model takes it */
  bool counts;     /* as a sample: the first of its levels does */
  bool resumed;    /* a checkpoint has counted it */
  tarei_sample_hash hash;
  tarei_fitted fitted;       /* may lie in the slot's memory */
  tarei_utterance utterance; /* instead, where states are carried */
} sample;

typedef struct worker {
  intake *in;
  tare_context *context;
  tarei_crew crew;
  tarei_gram_rows rows;
  float *ranges; /* scratch for those of channels */
  sample sample;
  tare_tensor *outputs;
  tare_stats *stats;
  tare_stats *counted; /* where a sample is counted: `stats`, or `weighed` until it is complete */
  tare_stats *weighed; /* NULL: each element counts once */
  tare_calibrate_times times;
  tare_status status;
  int64_t failed_at; /* number of the sample in the order of taking */
  tare_error err;
} worker;

static void close_intake(intake *const in) {
  (void)pthread_mutex_lock(&in->mutex); /* cannot fail on a sound default mutex */
  in->closed = true;
  (void)pthread_mutex_unlock(&in->mutex);
}

static tare_status gather_observe(void *const user, const tarei_observation *const o,
                                  tare_error *const err) {
  worker *const w = user;
  if (w->sample.unobserved) {
    return TARE_OK;
  }
  w->sample.observed = true;
  assert(o->tensor < w->stats->n_tensors && o->profile < w->stats->n_profiles);
  const int64_t *const extents = w->in->job->options->count_padding ? o->data->dims : o->valid;
  const double start = tarei_now();
  tarei_accumulator *const a = &w->counted->tensors[o->tensor].buckets[o->profile];
  const tarei_accumulator_range range = tarei_accumulator_begin(a);
  const tare_status status = tarei_crew_observe(&w->crew, o->data, extents, a, err);
  tarei_accumulator_end(a, range, w->sample.hash);
  tarei_channels_observe(&w->in->job->sums->channels, o->tensor, o->profile, o->data, extents,
                         w->ranges);
  w->times.observing += tarei_now() - start;
  return status;
}

static tare_status gather_read(void *const user, const tarei_reading *const reading,
                               tare_error *const err) {
  worker *const w = user;
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

static tare_status gather_fit(worker *const w, const tare_tensor *const tensors) {
  const tarei_gather_job *const job = w->in->job;
  return tarei_fit_sample(job->profiles, &w->in->fit, w->sample.slot.name, tensors,
                          &w->sample.fitted, &w->err);
}

/* Needs nothing that workers share, so that they fit and copy at the same time. */
static tare_status prepare_sample(worker *const w) {
  const tare_tensor *const tensors = w->sample.slot.tensors;
  if (!w->in->job->options->streaming) {
    return gather_fit(w, tensors);
  }
  const tare_status status =
      tarei_utterance_begin(&w->sample.utterance, w->in->job->profiles, tensors, &w->err);
  return status == TARE_OK ? TARE_OK : tarei_fail_in(&w->err, status, "%s", w->sample.slot.name);
}

/* After w->err: the sample is skipped when the data set says so. Other levels of it may have been
 * counted, by any worker. */
static tare_status gather_refuse(worker *const w) {
  intake *const in = w->in;
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
static bool gather_is_unsound(const worker *const w) {
  int64_t values[TARE_MAX_SYMBOLS];
  return !w->in->job->options->streaming &&
         tare_profiles_bind(w->in->job->profiles, w->sample.slot.tensors, values, NULL) != TARE_OK;
}

/* Takes the next sample; false at the end, with a status in the worker where that is a failure. */
static bool take_from_open(worker *const w) {
  intake *const in = w->in;
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

static bool checkpoint_is_due(const intake *const in) {
  return in->job->save && !in->spoiled && in->n_taken > in->n_saved &&
         tarei_now() - in->saved >= in->job->options->checkpoint_seconds;
}

static bool take_in_turn(worker *const w) {
  intake *const in = w->in;
  tarei_slot_fini(&w->sample.slot);
  (void)pthread_mutex_lock(&in->mutex);
  in->paused = in->paused || (!in->closed && checkpoint_is_due(in));
  const bool taken = !in->closed && !in->paused && take_from_open(w);
  in->closed = !taken && !in->paused;
  (void)pthread_mutex_unlock(&in->mutex);
  return taken;
}

/* Whether a sample is among those that are counted already, or to be left out. */
static bool take_counted(worker *const w) {
  intake *const in = w->in;
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
static tare_status count_resumed(worker *const w) {
  intake *const in = w->in;
  if (!w->sample.resumed || !w->sample.counts || in->job->options->streaming ||
      !in->job->options->fitted) {
    return TARE_OK;
  }
  TAREI_TRY(prepare_sample(w));
  (void)pthread_mutex_lock(&in->mutex);
  tarei_fit_count(in->job->profiles, &w->sample.fitted, &in->fitted);
  (void)pthread_mutex_unlock(&in->mutex);
  return TARE_OK;
}

/* The next sample that fits; false at the end, or with a status in the worker. */
static bool gather_take_sample(worker *const w) {
  const double start = tarei_now();
  bool ready = false;
  while (!ready && w->status == TARE_OK && take_in_turn(w)) {
    if (take_counted(w)) {
      w->status = count_resumed(w);
      continue;
    }
    w->status = prepare_sample(w);
    ready = w->status == TARE_OK;
    if (!ready && gather_is_unsound(w)) {
      w->status = gather_refuse(w);
    }
  }
  w->times.reading += tarei_now() - start;
  return ready;
}

static tare_status run_fitted(worker *const w) {
  const tarei_fitted *const fitted = &w->sample.fitted;
  const double start = tarei_now();
  const double observing = w->times.observing;
  const tare_status status = tarei_context_run_valid(w->context, fitted->tensors, fitted->valid,
                                                     fitted->profile, w->outputs, &w->err);
  w->times.running += tarei_now() - start - (w->times.observing - observing);
  w->sample.refused = status != TARE_OK;
  return status == TARE_OK ? TARE_OK : tarei_fail_in(&w->err, status, "%s", w->sample.slot.name);
}

static tare_status run_utterance(worker *const w) {
  tarei_utterance *const u = &w->sample.utterance;
  for (;;) {
    const tare_tensor *tensors;
    TAREI_TRY(tarei_utterance_next(u, &tensors, &w->err));
    if (!tensors) {
      return TARE_OK;
    }
    TAREI_TRY(gather_fit(w, tensors));
    TAREI_TRY(run_fitted(w));
    TAREI_TRY(tarei_utterance_feed(u, w->outputs, &w->err));
  }
}

static tare_status gather_weigh(worker *const w) {
  const tarei_slot *const slot = &w->sample.slot;
  return tarei_stats_weigh(
      w->stats, w->weighed,
      tarei_weight_shares(w->in->job->options->weight, slot->tensors, slot->n_tensors), &w->err);
}

/* An utterance counts in the profile of its last chunk. */
static tare_status run_sample(worker *const w) {
  TAREI_TRY(w->in->job->options->streaming ? run_utterance(w) : run_fitted(w));
  TAREI_TRY(w->weighed ? gather_weigh(w) : TARE_OK);
  w->stats->profiles[w->sample.fitted.profile].n_samples += w->sample.counts;
  return TARE_OK;
}

static tare_status gather_count_done(worker *const w, int64_t *const done) {
  intake *const in = w->in;
  (void)pthread_mutex_lock(&in->mutex);
  *done = in->n_done += w->sample.counts;
  const tare_status status = w->sample.unobserved
                                 ? TARE_OK
                                 : tarei_ledger_add(&in->stats->ledger, w->sample.hash, &w->err);
  if (w->sample.counts && !in->job->options->streaming) {
    tarei_fit_count(in->job->profiles, &w->sample.fitted, &in->fitted);
  }
  (void)pthread_mutex_unlock(&in->mutex);
  return status;
}

/* Only ever called on the thread of the caller. */
static tare_status report(worker *const w, const int64_t done) {
  const tare_calibrate_options *const o = w->in->job->options;
  const int64_t total = tare_dataset_count(w->in->job->dataset);
  if (!o->progress || o->progress(o->progress_user, done, total)) {
    return TARE_OK;
  }
  w->failed_at = INT64_MAX; /* a failure of the data goes first */
  w->in->stopped = true;
  return tarei_dataset_stopped(w->in->job->dataset, done, &w->err);
}

static void reset_stats(tare_stats *const stats) {
  for (int p = 0; p < stats->n_profiles; p++) {
    stats->profiles[p].n_samples = 0;
    for (int t = 0; t < stats->n_tensors; t++) {
      tarei_accumulator_fini(&stats->tensors[t].buckets[p]);
    }
  }
}

/* What is counted of a sample that the model refuses is forgotten. */
static void reset_weighed(const worker *const w) {
  if (w->weighed) {
    reset_stats(w->weighed);
  }
}

static tare_status gather_finish_sample(worker *const w, const bool of_caller) {
  w->sample.refused = false;
  const tare_status ran = run_sample(w);
  if (ran != TARE_OK && !w->sample.refused) {
    return ran;
  }
  if (ran != TARE_OK) {
    reset_weighed(w);
    return gather_refuse(w);
  }
  int64_t done;
  TAREI_TRY(gather_count_done(w, &done));
  return of_caller ? report(w, done) : TARE_OK;
}

/* Threads take tickets and not workers, so that the first worker is the caller's. */
static void gather_work(const void *const user, const size_t ticket, const int thread) {
  (void)ticket;
  worker *const w = &((worker *)user)[thread];
  const unsigned before = tarei_refusals();
  while (w->status == TARE_OK && gather_take_sample(w)) {
    w->status = gather_finish_sample(w, thread == 0);
  }
  w->status = tarei_settle(before, w->status, "calibration", &w->err);
  if (w->status != TARE_OK) {
    close_intake(w->in);
  }
}

/* As many as there are threads, unless the data are few or contexts large: then there are several
 * threads in each. */
static int count_workers(const tarei_gather_job *const job, const tare_stats *const stats,
                         const int threads) {
  const size_t entries = (size_t)stats->n_tensors * (size_t)stats->n_profiles;
  const size_t entry = sizeof(tarei_accumulator) + TAREI_HISTOGRAM_BYTES;
  const size_t copies = job->options->weight == TARE_WEIGHT_ELEMENT ? 1 : 2;
  const size_t bytes =
      tarei_plus((size_t)tare_plan_context_bytes(job->plan), copies * entries * entry);
  const int64_t by_memory = bytes ? 1 + (int64_t)((size_t)WORKERS_BYTES / bytes) : threads;
  const int64_t samples = tare_dataset_count(job->dataset);
  const int64_t by_samples = samples < 0 ? threads : samples / SAMPLES_PER_WORKER;
  const int64_t most = by_memory < by_samples ? by_memory : by_samples;
  return most < 1 ? 1 : most < threads ? (int)most : threads;
}

/* Where samples have weights, they are complete before they are added. */
static tare_status start_counting(worker *const w, tare_error *const err) {
  const tare_stats *const s = w->stats;
  if (w->in->job->options->weight != TARE_WEIGHT_ELEMENT) {
    TAREI_TRY(tarei_stats_new(s->n_profiles, 0, s->n_tensors, 0, &w->weighed, err));
  }
  w->counted = w->weighed ? w->weighed : w->stats;
  return TARE_OK;
}

static tare_status start_worker(worker *const w, intake *const in, const int threads,
                                tare_error *const err) {
  tare_context_options options;
  tare_context_options_init(&options);
  options.threads = threads;
  w->in = in;
  TAREI_TRY(start_counting(w, err));
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
  tarei_context_set_observer(w->context, gather_observe, w);
  w->ranges = tarei_calloc((size_t)in->job->sums->channels.most, 2 * sizeof *w->ranges);
  if (!w->ranges) {
    return tarei_fail_memory(err, "ranges of channels", sizeof *w->ranges);
  }
  TAREI_TRY(tarei_gram_rows_init(&w->rows, &in->job->sums->grams, in->job->kernels, err));
  tarei_context_set_reading(w->context, in->job->sums->grams.n ? gather_read : NULL, w);
  return tarei_crew_init(&w->crew, in->job->kernels, tarei_context_team(w->context), err);
}

static tare_status start_workers(worker *const workers, const int n, const int threads,
                                 intake *const in, tare_stats *const stats, tare_error *const err) {
  workers[0].stats = stats;
  for (int i = 0; i < n; i++) {
    if (i > 0) {
      TAREI_TRY(tarei_stats_new(stats->n_profiles, 0, stats->n_tensors, 0, &workers[i].stats, err));
    }
    TAREI_TRY(start_worker(&workers[i], in, threads / n + (i < threads % n), err));
  }
  return TARE_OK;
}

static void end_workers(worker *const workers, const int n) {
  for (int i = 0; workers && i < n; i++) {
    worker *const w = &workers[i];
    if (i > 0) {
      tare_stats_free(&w->stats);
    }
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
  free(workers);
}

/* Moves the counts, so that they never lie there twice as a whole. */
static tare_status add_stats(tare_stats *const sum, tare_stats *const more, tare_error *const err) {
  for (int p = 0; p < sum->n_profiles; p++) {
    sum->profiles[p].n_samples += more->profiles[p].n_samples;
    more->profiles[p].n_samples = 0;
    for (int t = 0; t < sum->n_tensors; t++) {
      if (!tarei_accumulator_merge(&sum->tensors[t].buckets[p], &more->tensors[t].buckets[p])) {
        return tarei_fail_memory(err, "a histogram", TAREI_HISTOGRAM_BYTES);
      }
      tarei_accumulator_fini(&more->tensors[t].buckets[p]);
    }
  }
  return TARE_OK;
}

static const worker *gather_first_failure(const worker *const workers, const int n) {
  const worker *first = NULL;
  for (int i = 0; i < n; i++) {
    const worker *const w = &workers[i];
    if (w->status != TARE_OK && (!first || w->failed_at < first->failed_at)) {
      first = w;
    }
  }
  return first;
}

/* Into the first worker, which has those of the job. */
static tare_status add_workers(worker *const workers, const int n, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    tarei_gram_rows_flush(&workers[i].rows);
    TAREI_TRY(i > 0 ? add_stats(workers[0].stats, workers[i].stats, err) : TARE_OK);
  }
  return TARE_OK;
}

static void add_times(const worker *const workers, const int n) {
  tare_calibrate_times *const times = workers[0].in->job->options->times;
  for (int i = 0; times && i < n; i++) {
    times->reading += workers[i].times.reading;
    times->running += workers[i].times.running;
    times->observing += workers[i].times.observing;
  }
}

static tare_status check_samples(const intake *const in, tare_error *const err) {
  const char *const data = tare_dataset_describe(in->job->dataset);
  if (in->stats->ledger.n || in->job->may_be_empty) {
    return TARE_OK;
  }
  return in->n_done
             ? tarei_fail(err, TARE_E_INPUT,
                          "no sample is left in the data (%s): all were counted before", data)
             : tarei_fail(err, TARE_E_INPUT, "no usable sample in the data (%s)", data);
}

static tare_status gather_join(worker *const workers, const int n, tare_error *const err) {
  const intake *const in = workers[0].in;
  if (n > 1 && !gather_first_failure(workers, n) && in->n_done > 0) {
    workers[0].status = report(&workers[0], in->n_done); /* others may have been the last */
  }
  const worker *const failure = gather_first_failure(workers, n);
  if (failure) {
    if (err) {
      *err = failure->err;
    }
    return failure->status;
  }
  if (in->job->options->fitted) {
    *in->job->options->fitted = in->fitted;
  }
  TAREI_TRY(add_workers(workers, n, err));
  add_times(workers, n);
  return check_samples(in, err);
}

/* Back to what was counted before the pass. With levels, some of a refused sample may be in that:
 * then all samples are counted anew. */
static tare_status begin_again(intake *const in, worker *const workers, const int n,
                               tare_error *const err) {
  const tarei_gather_job *const job = in->job;
  TAREI_TRY(tare_dataset_rewind(job->dataset, err));
  for (int i = 0; i < n; i++) {
    reset_stats(workers[i].stats);
    reset_stats(workers[i].counted);
    tarei_gram_rows_drop(&workers[i].rows);
  }
  tarei_sums_reset(job->sums);
  tarei_ledger_fini(&in->stats->ledger);
  tarei_ledger_rest_fini(job->resumed);
  tarei_ledger_rest_reset(job->counted);
  in->n_taken = in->n_saved = in->n_done = 0;
  in->fitted = (tare_fit_counts){0};
  in->closed = in->spoiled = false;
  return tare_dataset_n_levels(job->dataset) > 1 ? TARE_OK : job->resume(job->user, err);
}

static tare_status write_checkpoint(intake *const in, worker *const workers, const int n,
                                    tare_error *const err) {
  TAREI_TRY(add_workers(workers, n, err));
  TAREI_TRY(in->job->save(in->job->user, err));
  in->saved = tarei_now();
  in->n_saved = in->n_taken;
  return TARE_OK;
}

/* With checkpoints when they are due, and one where the caller stops it. */
static tare_status pass_once(intake *const in, tarei_team *const team, worker *const workers,
                             const int n, tare_error *const err) {
  do {
    tarei_team_run(team, (size_t)n, gather_work, workers);
    const worker *const failure = gather_first_failure(workers, n);
    const bool stopped = failure && in->stopped && failure->failed_at == INT64_MAX;
    if (in->job->save && !in->spoiled && (stopped || (in->paused && !failure))) {
      TAREI_TRY(write_checkpoint(in, workers, n, err));
    }
    in->paused = false;
    if (failure) {
      return TARE_OK; /* gather_join returns it */
    }
  } while (!in->closed);
  return TARE_OK;
}

/* What a refused sample has put into bins cannot be taken out of them again, so that the pass is
 * made once more, now knowing which samples not to count. Sound data pays nothing for it. */
static tare_status pass_until_clean(intake *const in, tarei_team *const team, worker *const workers,
                                    const int n, tare_error *const err) {
  TAREI_TRY(in->job->resume(in->job->user, err));
  TAREI_TRY(pass_once(in, team, workers, n, err));
  while (in->spoiled && !gather_first_failure(workers, n)) {
    TAREI_TRY(begin_again(in, workers, n, err));
    TAREI_TRY(pass_once(in, team, workers, n, err));
  }
  return gather_join(workers, n, err);
}

static tare_status run_workers(intake *const in, const int n, const int threads,
                               tare_stats *const stats, tare_error *const err) {
  tarei_team *team = NULL;
  worker *const workers = tarei_calloc((size_t)n, sizeof *workers);
  tare_status status = workers ? start_workers(workers, n, threads, in, stats, err)
                               : tarei_fail_memory(err, "workers", (size_t)n * sizeof *workers);
  if (status == TARE_OK) {
    status = tarei_team_new(n, &team, err);
  }
  if (status == TARE_OK) {
    status = pass_until_clean(in, team, workers, n, err);
  }
  tarei_team_free(team);
  end_workers(workers, n);
  return status;
}

tare_status tarei_gather(const tarei_gather_job *const job, tare_stats *const stats,
                         tare_error *const err) {
  const tare_calibrate_options *const o = job->options;
  intake in = {.job = job,
               .stats = stats,
               .saved = tarei_now(),
               .fit = {.fit = o->fit,
                       .outside = o->outside,
                       .pad_values = o->pad_values,
                       .n_pad_values = o->n_pad_values,
                       .length_inputs = o->length_inputs,
                       .n_length_inputs = o->n_length_inputs,
                       .streaming = o->streaming}};
  TAREI_TRY(tarei_fit_check(&in.fit, job->model->inputs, job->model->graph->n_inputs, err));
  (void)pthread_mutex_init(&in.mutex, NULL); /* never fails with default attributes on Linux */
  const tare_status status =
      run_workers(&in, count_workers(job, stats, job->threads), job->threads, stats, err);
  (void)pthread_mutex_destroy(&in.mutex);
  tarei_refused_fini(&in.refused);
  return status;
}
