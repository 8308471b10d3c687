/* How long a plan runs at several lengths of one symbol. */
#ifndef TAREI_TOOLS_PROFILES_LATENCY_CURVE_H
#define TAREI_TOOLS_PROFILES_LATENCY_CURVE_H

#include <stdint.h>

enum { LATENCY_POINTS = 9 };

typedef struct latency_curve {
  int n;
  int threads;
  int64_t lengths[LATENCY_POINTS]; /* ascending */
  double ms[LATENCY_POINTS];       /* median of the runs; never less than at a shorter length */
} latency_curve;

/* Time at a length in nanoseconds, interpolated between those that were measured. */
int64_t latency_curve_ns(const latency_curve *curve, int64_t length);

#endif
