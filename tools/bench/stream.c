#include "tools/bench/stream.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

/* What the threads of all streams wait for: that all of them could be started, and are warm. */
typedef struct stream_gate {
  pthread_mutex_t started;
  bool given_up;
  pthread_barrier_t warm;
} stream_gate;

typedef struct stream_job {
  stream *stream;
  const stream_span *span;
  stream_gate *gate;
  double begin, end;
  tare_status status;
  pthread_t thread;
} stream_job;

/* One run, its states fed to the next. States that grow stay as they are: all runs are to have the
 * lengths that are measured. */
static tare_status stream_step(const stream *const s, tare_error *const err) {
  CLI_TRY(tare_context_run(s->context, s->feed.tensors, s->outputs, err));
  return tare_streaming_fits(s->streaming, s->outputs, s->feed.tensors)
             ? tare_streaming_feed(s->streaming, s->outputs, s->feed.tensors, err)
             : TARE_OK;
}

static tare_status stream_warm_up(stream *const s, const double seconds) {
  const double end = cli_now() + seconds;
  tare_status status;
  do {
    status = stream_step(s, &s->err);
  } while (status == TARE_OK && cli_now() < end);
  return status;
}

static tare_status stream_measure(stream_job *const job) {
  stream *const s = job->stream;
  const stream_span *const span = job->span;
  double now = job->begin;
  while (now < job->begin + span->duration || (int64_t)s->times.n < span->iterations) {
    CLI_TRY(stream_step(s, &s->err));
    const double end = cli_now();
    timing_add(&s->times, (end - now) * 1e3);
    if (s->trace) {
      bench_trace_end_run(s->trace);
    }
    now = end;
  }
  return TARE_OK;
}

static void stream_start_layers(stream *const s) {
  if (s->trace) {
    bench_trace_start(s->trace, s->plan, s->context);
  }
  tare_context_set_profiling(s->context, s->times_layers);
}

static void *stream_main(void *const user) {
  stream_job *const job = user;
  job->status = stream_warm_up(job->stream, job->span->warm_up);
  stream_start_layers(job->stream);
  (void)pthread_barrier_wait(&job->gate->warm); /* one of them is told that it was the last */
  job->begin = cli_now();
  job->status = job->status == TARE_OK ? stream_measure(job) : job->status;
  job->end = cli_now();
  return NULL;
}

static void *stream_thread(void *const user) {
  stream_gate *const gate = ((stream_job *)user)->gate;
  (void)pthread_mutex_lock(&gate->started);
  const bool given_up = gate->given_up;
  (void)pthread_mutex_unlock(&gate->started);
  return given_up ? NULL : stream_main(user);
}

/* All threads but that of the caller, or none. */
static tare_status start_threads(stream_job *const jobs, const int n, stream_gate *const gate,
                                 tare_error *const err) {
  int failed = 0, started = 1;
  (void)pthread_mutex_lock(&gate->started);
  while (started < n && !failed) {
    failed = pthread_create(&jobs[started].thread, NULL, stream_thread, &jobs[started]);
    started += !failed;
  }
  gate->given_up = failed != 0;
  (void)pthread_mutex_unlock(&gate->started);
  for (int i = 1; failed && i < started; i++) {
    (void)pthread_join(jobs[i].thread, NULL);
  }
  return failed ? cli_fail(err, TARE_E_LIMIT, "cannot start thread %d of %d streams: %s",
                           started + 1, n, strerror(failed))
                : TARE_OK;
}

static tare_status end_threads(const stream_job *const jobs, const int n, double *const wall,
                               tare_error *const err) {
  double begin = jobs[0].begin, end = jobs[0].end;
  for (int i = 1; i < n; i++) {
    (void)pthread_join(jobs[i].thread, NULL);
    begin = jobs[i].begin < begin ? jobs[i].begin : begin;
    end = jobs[i].end > end ? jobs[i].end : end;
  }
  *wall = end - begin;
  for (int i = 0; i < n; i++) {
    if (jobs[i].status != TARE_OK) {
      *err = jobs[i].stream->err;
      return jobs[i].status;
    }
  }
  return TARE_OK;
}

tare_status streams_run(stream *const streams, const int n, const stream_span *const span,
                        double *const wall, tare_error *const err) {
  stream_gate gate = {.started = PTHREAD_MUTEX_INITIALIZER};
  (void)pthread_barrier_init(&gate.warm, NULL, (unsigned)n); /* n >= 1 */
  stream_job *const jobs = cli_realloc(NULL, (size_t)n, sizeof *jobs);
  for (int i = 0; i < n; i++) {
    jobs[i] = (stream_job){.stream = &streams[i], .span = span, .gate = &gate};
  }
  tare_status status = start_threads(jobs, n, &gate, err);
  if (status == TARE_OK) {
    (void)stream_main(&jobs[0]);
    status = end_threads(jobs, n, wall, err);
  }
  (void)pthread_barrier_destroy(&gate.warm);
  free(jobs);
  return status;
}

void stream_fini(stream *const s) {
  tare_context_free(&s->context);
  timing_fini(&s->times);
  feed_fini(&s->feed);
  tare_streaming_free(&s->streaming);
  free(s->outputs);
}
