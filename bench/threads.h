/* Numbers of threads to measure with, as an option gives them. */
#ifndef TAREI_BENCH_THREADS_H
#define TAREI_BENCH_THREADS_H

#include <argp.h>

enum { MOST_THREADS = 8 };

typedef struct bench_threads {
  int n, counts[MOST_THREADS];
} bench_threads;

/* Takes "1,2", which it cuts; ends the parse where a number is none. */
void bench_threads_take(bench_threads *t, char *text, const struct argp_state *state);

#endif
