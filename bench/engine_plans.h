/* Plans to measure: from a file, or built from a model with a table that is made here. */
#ifndef TAREI_BENCH_ENGINE_PLANS_H
#define TAREI_BENCH_ENGINE_PLANS_H

#include <tare/tare.h>

enum { MOST_POINTS = 32 };

/* Symbol values to run at. */
typedef struct points {
  int n;
  int64_t values[MOST_POINTS][TARE_MAX_SYMBOLS];
} points;

typedef struct plans {
  tare_model *model;      /* NULL for a plan file */
  tare_plan *int8, *fp32; /* NULL where not asked for; a plan file is taken as int8 */
  points points;
  double load_ms;                 /* of the plan file */
  int64_t file_bytes, peak_bytes; /* peak: what loading and the longest run add to memory */
} plans;

typedef struct plan_wishes {
  const char *path;  /* model or plan */
  const char *table; /* scales; NULL: calibrated on made-up samples */
  const char *save;  /* where the int8 plan goes; NULL: nowhere */
  const char *isa;
  const char *const *lengths; /* "S=16,64": values of one symbol, the points in turn */
  int n_lengths;
  bool int8, fp32;
} plan_wishes;

tare_status plans_new(const plan_wishes *wishes, plans *out, tare_error *err);
void plans_fini(plans *p);

/* The plan that says what the inputs are. */
const tare_plan *plans_any(const plans *p);

#endif
