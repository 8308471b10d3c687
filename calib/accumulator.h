/*
 * Statistics of one tensor in one bucket: counts and extremes, which do not depend on the order of
 * the values, on chunks or on threads.
 */
#ifndef TAREI_CALIB_ACCUMULATOR_H
#define TAREI_CALIB_ACCUMULATOR_H

#include <tare/tensor.h>

#include "base/error.h"
#include "base/team.h"
#include "calib/evidence/origins.h"
#include "calib/histogram.h"

#define TAREI_ROW_BINS 256
#define TAREI_ROW_BIN_ZERO 0         /* amax zero or denormal */
#define TAREI_ROW_BIN_NOT_FINITE 255 /* no finite value in the row */

typedef struct tarei_accumulator {
  int64_t n_samples;
  int64_t count, n_nan, n_inf;  /* count includes all elements */
  float min, max;               /* of the finite values; INFINITY and -INFINITY if there are none */
  int64_t rows[TAREI_ROW_BINS]; /* rows (last axis) by the exponent field of their amax */
  tarei_histogram histogram;
  tarei_origins origins;
} tarei_accumulator;

void tarei_accumulator_init(tarei_accumulator *a);
/* Empties it. */
void tarei_accumulator_fini(tarei_accumulator *a);

/* Counts contiguous rows. False if memory runs out. */
bool tarei_accumulator_add_rows(tarei_accumulator *a, const tarei_kernels *kernels, const float *x,
                                int64_t n_rows, int64_t n_columns);

/* What is counted between these two calls is of one sample, or of a piece of it: its extremes are
 * noted. `range` keeps those of before. */
typedef struct tarei_accumulator_range {
  float min, max;
} tarei_accumulator_range;
tarei_accumulator_range tarei_accumulator_begin(tarei_accumulator *a);
void tarei_accumulator_end(tarei_accumulator *a, tarei_accumulator_range range,
                           tarei_sample_hash sample);

/* Adds another accumulator, including its samples. */
bool tarei_accumulator_merge(tarei_accumulator *a, const tarei_accumulator *other);

/* Largest magnitude of the finite values; 0 if there are none. */
float tarei_accumulator_amax(const tarei_accumulator *a);

/* Whether the numbers are consistent, as required of a file. */
bool tarei_accumulator_is_sound(const tarei_accumulator *a);

/* Threads that fill one accumulator, each through its own. */
typedef struct tarei_crew {
  const tarei_kernels *kernels;
  tarei_team *team;          /* not owned */
  tarei_accumulator *locals; /* of all threads but the first */
} tarei_crew;

/* The team must outlive the crew. */
tare_status tarei_crew_init(tarei_crew *crew, const tarei_kernels *kernels, tarei_team *team,
                            tare_error *err);
void tarei_crew_fini(tarei_crew *crew);

/* Counts one sample: the box `valid` (extents per axis, <= dims) of a float tensor. */
tare_status tarei_crew_observe(tarei_crew *crew, const tare_tensor *data, const int64_t *valid,
                               tarei_accumulator *a, tare_error *err);

#endif
