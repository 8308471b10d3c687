/* Times of the layers of two plans, measured in turns. */
#ifndef TAREI_TOOLS_COMMANDS_DIFF_TIMES_H
#define TAREI_TOOLS_COMMANDS_DIFF_TIMES_H

#include <tare/tare.h>

typedef struct diff_times {
  double *ms[2];   /* of each layer of each plan in one run */
  double total[2]; /* of a run */
  char *shape;     /* the lengths, "samples=16000" */
  int64_t runs;
} diff_times;

/* Runs both plans on generated inputs for so many seconds, one run of each after the other, at the
 * lengths of `symbols` (NULL: the opt of profile 0 of the first plan). */
tare_status diff_times_measure(const tare_plan *const plans[2], const char *symbols, int threads,
                               double seconds, diff_times *out, tare_error *err);
void diff_times_fini(diff_times *t);

#endif
