#include "bench/peaks.h"

#include <pthread.h>

#include "bench/peak.h"

enum { MOST_THREADS = 64 };

typedef struct core {
  bool bytes;
  unsigned isa;
  const char *name;
  double rate;
} core;

static void *peaks_measure(void *const context) {
  core *const c = context;
  c->rate = bench_peak_rate(c->bytes, c->isa, &c->name);
  return NULL;
}

double bench_peak_of(const bool bytes, const unsigned isa, const int threads,
                     const char **const name) {
  pthread_t started[MOST_THREADS];
  core cores[MOST_THREADS];
  const int n = threads < MOST_THREADS ? threads : MOST_THREADS;
  for (int i = 0; i < n; i++) {
    cores[i] = (core){.bytes = bytes, .isa = isa};
  }
  int others = 0;
  while (others + 1 < n &&
         pthread_create(&started[others], NULL, peaks_measure, &cores[others + 1]) == 0) {
    others++;
  }
  peaks_measure(&cores[0]);
  double sum = cores[0].rate;
  for (int i = 0; i < others; i++) {
    pthread_join(started[i], NULL);
    sum += cores[i + 1].rate;
  }
  *name = cores[0].name;
  return sum;
}
