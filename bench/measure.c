#include "bench/measure.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"

enum { ROUNDS = 60, CACHE_LINE = 64, HUGE_PAGE = 2 << 20, MAX_WORKS = 8 };
static const double round_seconds = 0.0004;

static double time_calls(bench_work_fn *work, void *context, int calls) {
  const double start = tarei_now();
  for (int i = 0; i < calls; i++) {
    work(context);
  }
  return (tarei_now() - start) / calls;
}

static int calls_a_round(const measured_work *w) {
  w->run(w->context);
  return 1 + (int)(round_seconds / (time_calls(w->run, w->context, 1) + 1e-9));
}

void bench_best_times(measured_work *works, int n) {
  int calls[MAX_WORKS];
  assert(n <= MAX_WORKS);
  for (int i = 0; i < n; i++) {
    works[i].best = INFINITY;
    calls[i] = calls_a_round(&works[i]);
  }
  for (int r = 0; r < ROUNDS; r++) {
    for (int i = 0; i < n; i++) {
      works[i].best = fmin(works[i].best, time_calls(works[i].run, works[i].context, calls[i]));
    }
  }
}

double bench_best_time(bench_work_fn *work, void *context) {
  measured_work one = {.run = work, .context = context};
  bench_best_times(&one, 1);
  return one.best;
}

void *bench_allocate(size_t bytes) {
  const size_t unit = bytes >= HUGE_PAGE ? HUGE_PAGE : CACHE_LINE;
  const size_t rounded = (bytes + CACHE_LINE + unit - 1) / unit * unit;
  void *const p = aligned_alloc(unit, rounded);
  if (!p) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  if (unit == HUGE_PAGE) {
    (void)madvise(p, rounded, MADV_HUGEPAGE); /* a wish: small pages serve as well */
  }
  memset(p, 0, bytes);
  return p;
}
