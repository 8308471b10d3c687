/*
 * Jobs in child processes, a few at a time, so that a crash or a hang is a result and not the end.
 */
#ifndef TAREI_TESTS_CONFORMANCE_POOL_H
#define TAREI_TESTS_CONFORMANCE_POOL_H

#include <stdio.h>

typedef struct pool {
  int n;       /* jobs 0..n-1 */
  int width;   /* children at a time, 1..POOL_MOST */
  int seconds; /* that a job may take */
  /* In the child: does the job and writes what there is to know, 32 KiB at most. */
  void (*run)(void *user, int job, FILE *to);
  /* In the parent, as jobs end: what the child wrote, and how it ended: "" where it did so by
   * itself, else "signal 11 (Segmentation fault)", "no end within 20 s", ... */
  void (*done)(void *user, int job, char *text, const char *end);
  void *user;
} pool;

enum { POOL_MOST = 64 };

void pool_run(const pool *p);

#endif
