/* Runs of contexts, each one after the other, as the threads of a server have them. */
#ifndef TAREI_TOOLS_BENCH_STREAM_H
#define TAREI_TOOLS_BENCH_STREAM_H

#include <stdbool.h>
#include <tare/tare.h>

#include "tools/bench/bench_trace.h"
#include "tools/feed.h"
#include "tools/timing.h"

typedef struct stream {
  tare_context *context;
  feed feed;
  tare_streaming *streaming; /* states of one run are fed to the next */
  tare_tensor *outputs;
  timing times;
  bool times_layers;     /* in the runs that are measured */
  const tare_plan *plan; /* what `trace` records; NULL where that is NULL */
  bench_trace *trace;    /* NULL: none */
  tare_error err;        /* why its runs ended early */
} stream;

/* How long to run. */
typedef struct stream_span {
  double warm_up, duration; /* seconds; of the runs that are measured, at least */
  int64_t iterations;       /* and so many */
} stream_span;

/* Runs all streams at the same time, a thread each, the first one in the caller's. All have warmed
 * up before the first one is measured. *wall is the seconds from then to the end of the last run.
 * Fails as the first stream that fails. */
tare_status streams_run(stream *streams, int n, const stream_span *span, double *wall,
                        tare_error *err);

void stream_fini(stream *s);

#endif
