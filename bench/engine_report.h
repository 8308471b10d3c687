/* What was measured, for people: Markdown tables. */
#ifndef TAREI_BENCH_ENGINE_REPORT_H
#define TAREI_BENCH_ENGINE_REPORT_H

#include "bench/runners.h"

/* One line of the summary: tare beside the best of its peers. */
typedef struct summary {
  char point[128];
  int threads;
  double gop;                                  /* 1e9 operations of a run */
  const char *int8_name, *f32_name;            /* of the best peers; NULL for none */
  double int8, int8_median, fp32, fp32_median; /* ms of tare; 0 where not run */
  double int8_share, fp32_share;               /* of the peak, 0..1 */
  double peer_int8, peer_int8_median, peer_f32, peer_f32_median; /* ms of the best peers */
  double first; /* a length's first run over the median of its repeated ones, int8 */
} summary;

/* Prints a table of all that ran at a point, and sums it up. */
void report_point(const plans *plans, const runners *r, int point, summary *out);
void report_summaries(const summary *items, int n);

#endif
