#include "calib/gather/gather.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/refusals.h"
#include "calib/gather/worker.h"
#include "calib/samples/outside.h"
#include "engine/context.h"
#include "graph/model.h"

enum {
  SAMPLES_PER_WORKER = 4,  /* with fewer, the last sample leaves too many idle for too long */
  WORKERS_BYTES = 1 << 30, /* of all workers but the first */
};

static void close_intake(tarei_intake *const in) {
  (void)pthread_mutex_lock(&in->mutex); /* cannot fail on a sound default mutex */
  in->closed = true;
  (void)pthread_mutex_unlock(&in->mutex);
}

/* Threads take tickets and not workers, so that the first worker is the caller's. */
static void gather_work(const void *const user, const size_t ticket, const int thread) {
  (void)ticket;
  tarei_worker *const w = &((tarei_worker *)user)[thread];
  const unsigned before = tarei_refusals();
  while (w->status == TARE_OK && tarei_worker_take(w)) {
    w->status = tarei_worker_count(w, thread == 0);
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

static tare_status start_workers(tarei_worker *const workers, const int n, const int threads,
                                 tarei_intake *const in, tare_stats *const stats,
                                 tare_error *const err) {
  workers[0].stats = stats;
  for (int i = 0; i < n; i++) {
    if (i > 0) {
      TAREI_TRY(tarei_stats_new(stats->n_profiles, 0, stats->n_tensors, 0, &workers[i].stats, err));
    }
    TAREI_TRY(tarei_worker_start(&workers[i], in, threads / n + (i < threads % n), err));
  }
  return TARE_OK;
}

static void end_workers(tarei_worker *const workers, const int n) {
  for (int i = 0; workers && i < n; i++) {
    if (i > 0) {
      tare_stats_free(&workers[i].stats);
    }
    tarei_worker_end(&workers[i]);
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

static const tarei_worker *gather_first_failure(const tarei_worker *const workers, const int n) {
  const tarei_worker *first = NULL;
  for (int i = 0; i < n; i++) {
    const tarei_worker *const w = &workers[i];
    if (w->status != TARE_OK && (!first || w->failed_at < first->failed_at)) {
      first = w;
    }
  }
  return first;
}

/* Into the first worker, which has those of the job. */
static tare_status add_workers(tarei_worker *const workers, const int n, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    tarei_gram_rows_flush(&workers[i].rows);
    TAREI_TRY(i > 0 ? add_stats(workers[0].stats, workers[i].stats, err) : TARE_OK);
  }
  return TARE_OK;
}

static void add_times(const tarei_worker *const workers, const int n) {
  tare_calibrate_times *const times = workers[0].in->job->options->times;
  for (int i = 0; times && i < n; i++) {
    times->reading += workers[i].times.reading;
    times->running += workers[i].times.running;
    times->observing += workers[i].times.observing;
  }
}

static tare_status check_samples(const tarei_intake *const in, tare_error *const err) {
  const char *const data = tare_dataset_describe(in->job->dataset);
  const char *const bad = tare_dataset_bad(in->job->dataset, 0);
  if (in->stats->ledger.n || in->job->may_be_empty) {
    return TARE_OK;
  }
  return in->n_done
             ? tarei_fail(err, TARE_E_INPUT,
                          "no sample is left in the data (%s): all were counted before", data)
             : tarei_fail(err, TARE_E_INPUT, "no usable sample in the data (%s)%s%s", data,
                          bad ? "; skipped: " : "", bad ? bad : "");
}

static tare_status gather_join(tarei_worker *const workers, const int n, tare_error *const err) {
  const tarei_intake *const in = workers[0].in;
  const tarei_worker *const failure = gather_first_failure(workers, n);
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
static tare_status begin_again(tarei_intake *const in, tarei_worker *const workers, const int n,
                               tare_error *const err) {
  const tarei_gather_job *const job = in->job;
  TAREI_TRY(tare_dataset_rewind(job->dataset, err));
  if (job->options->nans) {
    tare_nan_samples_fini(job->options->nans);
  }
  for (int i = 0; i < n; i++) {
    tarei_worker_reset_stats(workers[i].stats);
    tarei_worker_reset_stats(workers[i].counted);
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

static tare_status write_checkpoint(tarei_intake *const in, tarei_worker *const workers,
                                    const int n, tare_error *const err) {
  TAREI_TRY(add_workers(workers, n, err));
  TAREI_TRY(in->job->save(in->job->user, err));
  in->saved = tarei_now();
  in->n_saved = in->n_taken;
  return TARE_OK;
}

/* The caller's worker reports what it counts itself, and another may have counted the last. */
static void report_end(tarei_worker *const workers, const int n) {
  const tarei_intake *const in = workers[0].in;
  const bool ended = n > 1 && in->closed && !in->spoiled && in->n_done > 0;
  if (ended && !gather_first_failure(workers, n)) {
    workers[0].status = tarei_worker_report(&workers[0], in->n_done);
  }
}

/* With checkpoints when they are due, and one where the caller stops it. */
static tare_status pass_once(tarei_intake *const in, tarei_team *const team,
                             tarei_worker *const workers, const int n, tare_error *const err) {
  do {
    tarei_team_run(team, (size_t)n, gather_work, workers);
    report_end(workers, n);
    const tarei_worker *const failure = gather_first_failure(workers, n);
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
static tare_status pass_until_clean(tarei_intake *const in, tarei_team *const team,
                                    tarei_worker *const workers, const int n,
                                    tare_error *const err) {
  TAREI_TRY(in->job->resume(in->job->user, err));
  TAREI_TRY(pass_once(in, team, workers, n, err));
  while (in->spoiled && !gather_first_failure(workers, n)) {
    TAREI_TRY(begin_again(in, workers, n, err));
    TAREI_TRY(pass_once(in, team, workers, n, err));
  }
  return gather_join(workers, n, err);
}

static tare_status run_workers(tarei_intake *const in, const int n, const int threads,
                               tare_stats *const stats, tare_error *const err) {
  tarei_team *team = NULL;
  tarei_worker *const workers = tarei_calloc((size_t)n, sizeof *workers);
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
  tarei_intake in = {.job = job,
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
  TAREI_TRY(tarei_outside_cover(job->dataset, job->profiles, o->outside, err));
  (void)pthread_mutex_init(&in.mutex, NULL); /* never fails with default attributes on Linux */
  const tare_status status =
      run_workers(&in, count_workers(job, stats, job->threads), job->threads, stats, err);
  (void)pthread_mutex_destroy(&in.mutex);
  tarei_refused_fini(&in.refused);
  return status;
}
