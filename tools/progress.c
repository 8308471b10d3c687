#include "tools/progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

static const double TERMINAL_STEP = 0.1, LOG_STEP = 2.0; /* seconds between two lines */

progress progress_start(const char *const what, const opt_common *const options) {
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const double now = cli_now();
  return (progress){.what = what,
                    .shown = !options->quiet && (terminal || options->progress),
                    .terminal = terminal,
                    .start = now,
                    .last = now};
}

static void progress_draw(const progress *const p, const int64_t done, const int64_t total,
                          const double seconds) {
  const double rate = (double)done / seconds;
  fprintf(stderr, "%s%s %" PRId64 "/%" PRId64 " %3.0f%% %.1f/s, %.0f s left%s",
          p->terminal ? "\r\033[K" : "", p->what, done, total, 100.0 * (double)done / (double)total,
          rate, (double)(total - done) / rate, p->terminal ? "" : "\n");
}

bool progress_tick(void *const user, const int64_t done, const int64_t total) {
  progress *const p = user;
  const double now = cli_now();
  const double step = p->terminal ? TERMINAL_STEP : LOG_STEP;
  if (!p->shown || done <= 0 || total <= 0 || (now - p->last < step && done < total) ||
      now <= p->start) {
    return true;
  }
  progress_draw(p, done, total, now - p->start);
  p->last = now;
  p->drawn = true;
  return true;
}

void progress_end(progress *const p) {
  if (p->drawn && p->terminal) {
    fputs("\r\033[K", stderr);
  }
  p->drawn = false;
}
