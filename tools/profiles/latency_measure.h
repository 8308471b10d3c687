/* Measures how long a plan runs at several lengths, with made-up inputs. */
#ifndef TAREI_TOOLS_PROFILES_LATENCY_MEASURE_H
#define TAREI_TOOLS_PROFILES_LATENCY_MEASURE_H

#include "tools/options/options.h"
#include "tools/profiles/latency_curve.h"

/* What is measured. */
typedef struct latency_case {
  const char *path;   /* a plan; or a model, whose float plan is built for `spec` */
  const char *spec;   /* the lengths of the data, as --profile takes them */
  const char *symbol; /* whose lengths are measured, the others at their opt */
  int64_t min, max;
  const opt_common *common;
} latency_case;

/* TARE_E_USAGE if there is no such symbol; TARE_E_SHAPE if no profile covers a length. */
tare_status latency_measure(const latency_case *c, latency_curve *out, tare_error *err);

#endif
