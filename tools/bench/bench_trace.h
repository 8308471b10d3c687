/* When each layer ran: files for trace viewers and for scripts that read trtexec's profiles. */
#ifndef TAREI_TOOLS_BENCH_BENCH_TRACE_H
#define TAREI_TOOLS_BENCH_BENCH_TRACE_H

#include <stdbool.h>
#include <tare/tare.h>

typedef struct trace_event {
  int layer;
  double begin, end; /* seconds */
} trace_event;

typedef struct bench_trace {
  const tare_plan *plan;
  trace_event *events;
  size_t n, capacity;
  int64_t runs;  /* that are recorded as a whole */
  bool full;     /* later runs are not recorded */
  size_t n_runs; /* events of the runs that are recorded as a whole */
} bench_trace;

/* Records the layers of the runs of a context from now on. */
void bench_trace_start(bench_trace *t, const tare_plan *plan, tare_context *context);

/* Ends a run. */
void bench_trace_end_run(bench_trace *t);

/* Trace events, which Perfetto and chrome://tracing show. */
tare_status bench_trace_write(const bench_trace *t, const char *path, tare_error *err);

/* An array as `trtexec --exportProfile` writes it: the number of runs, then the layers. */
tare_status bench_trace_write_profile(const bench_trace *t, const char *path, tare_error *err);
void bench_trace_fini(bench_trace *t);

#endif
