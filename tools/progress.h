/* Progress on stderr: how far, how fast, how long yet. */
#ifndef TAREI_TOOLS_PROGRESS_H
#define TAREI_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "tools/options/options.h"

typedef struct progress {
  const char *what;
  bool shown, terminal;
  double start, last;
  bool drawn; /* a line stands on the terminal */
} progress;

/* Shown on a terminal or when asked for, never with --quiet. */
progress progress_start(const char *what, const opt_common *options);

/* A tare_progress_fn; user is the progress. */
bool progress_tick(void *user, int64_t done, int64_t total);

/* Clears the line. */
void progress_end(progress *p);

#endif
