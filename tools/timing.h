/* Times of repeated runs. */
#ifndef TAREI_TOOLS_TIMING_H
#define TAREI_TOOLS_TIMING_H

#include <stddef.h>

typedef struct timing {
  double *ms; /* sorted once timing_sort was called */
  size_t n, capacity;
} timing;

void timing_add(timing *t, double ms);
void timing_sort(timing *t);

/* n must be > 0, and the times sorted. */
double timing_mean(const timing *t);
double timing_median(const timing *t);

/* The 95 % confidence interval of the median; all values if there are few. */
void timing_median_interval(const timing *t, double *low, double *high);

/* trtexec's percentile: element max(n - 1 - int((1 - p / 100) * n), 0). */
double timing_percentile(const timing *t, double p);
void timing_fini(timing *t);

#endif
