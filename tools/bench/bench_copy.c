#include "tools/bench/bench_copy.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli.h"

#define SECONDS 0.004 /* a try copies for so long */
enum { TRIES = 4, LEAST_BLOCK = 4096 };

typedef struct copy_job {
  size_t bytes; /* to be read, and as many to be written */
  double rate;
  pthread_t thread;
} copy_job;

static double copy_once(const copy_job *const job, char *const to, const char *const from) {
  double copies = 0, now = 0;
  const double start = cli_now();
  for (; (now = cli_now()) < start + SECONDS; copies++) {
    memcpy(to, from, job->bytes);
    __asm__ volatile("" : : "r"(to) : "memory"); /* the copy is not left out */
  }
  return copies * 2 * (double)job->bytes / (now - start);
}

/* The best of a few tries: others may have used the core during one of them. */
static void *copy_run(void *const user) {
  copy_job *const job = user;
  char *const from = cli_realloc(NULL, job->bytes, 1), *const to = cli_realloc(NULL, job->bytes, 1);
  memset(from, 1, job->bytes);
  memset(to, 0, job->bytes);
  for (int i = 0; i < TRIES; i++) {
    job->rate = fmax(job->rate, copy_once(job, to, from));
  }
  free(from);
  free(to);
  return NULL;
}

double bench_copy_rate(const size_t bytes, const int threads) {
  const size_t part = bytes / 2 / (size_t)threads;
  copy_job *const jobs = cli_realloc(NULL, (size_t)threads, sizeof *jobs);
  double rate = 0;
  int started = 0;
  for (; started < threads; started++) {
    jobs[started] = (copy_job){.bytes = part > LEAST_BLOCK ? part : LEAST_BLOCK};
    if (pthread_create(&jobs[started].thread, NULL, copy_run, &jobs[started]) != 0) {
      break;
    }
  }
  for (int t = 0; t < started; t++) {
    (void)pthread_join(jobs[t].thread, NULL);
    rate += jobs[t].rate;
  }
  free(jobs);
  return rate;
}
