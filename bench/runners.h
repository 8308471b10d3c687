/* What takes turns: contexts of tare and sessions of ONNX Runtime, at one length and number of
 * threads. */
#ifndef TAREI_BENCH_RUNNERS_H
#define TAREI_BENCH_RUNNERS_H

#include "bench/engine_plans.h"
#include "bench/ort.h"
#include "tools/timing.h"

enum { MOST_RUNNERS = 12 };

typedef struct runner {
  const char *name;
  bool peer;
  bool bytes;            /* int8 does the work: it stands beside the int8 peak */
  const tare_plan *plan; /* NULL for peers */
  tare_context *context;
  tare_tensor *outputs;
  ort_session *session;
  timing times; /* ms, the best of each round; sorted by runners_measure */
  double first; /* this length's first run over those that follow, medians; 0 for peers */
} runner;

typedef struct runners {
  runner items[MOST_RUNNERS];
  int n, threads;
  unsigned isa;             /* of the peaks */
  double peak_i8, peak_f32; /* operations a second at best, of the same rounds */
  const char *peak_i8_name, *peak_f32_name;
} runners;

/* peers: "NAME=FILE" each; names that begin with f32 run in float. library: NULL without peers. */
tare_status runners_new(const plans *plans, ort *library, const char *const *peers, int n_peers,
                        int threads, runners *out, tare_error *err);
void runners_fini(runners *r);

/* Times everybody in turns on these inputs, `n` tensors of the ports. `pause_ms` goes before each
 * turn with several threads: the workers of the one before may still be spinning. */
tare_status runners_take_turns(runners *r, const tare_port *ports, const tare_tensor *inputs, int n,
                               int rounds, double pause_ms, tare_error *err);

/* The same at one point, and its first run beside those that follow. */
tare_status runners_measure(runners *r, const plans *plans, int point, int rounds, double pause_ms,
                            tare_error *err);

#endif
