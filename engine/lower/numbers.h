/*
 * Numbers that a run brings: axes, counts, steps, sizes, conditions. Every lowering takes them
 * through these readers, which look at type, number of elements and range before a value is used.
 * Messages begin with `what`, e.g. "trip count 'n' has 2 elements, expected one".
 */
#ifndef TAREI_ENGINE_LOWER_NUMBERS_H
#define TAREI_ENGINE_LOWER_NUMBERS_H

#include "engine/step.h"
#include "shapes/number.h"

#define TAREI_MAX_INTS (2 * TARE_MAX_RANK)

typedef struct tarei_ints {
  int n; /* 0 where neither input nor attribute is there, or the list is empty */
  int64_t at[TAREI_MAX_INTS];
} tarei_ints;

/* Input i, or NULL where it is absent. */
const tare_tensor *tarei_operand(const tarei_step *step, const tarei_run *run, int i);

/* Input i, which is there, is int64, int32 or bool: for tarei_index_at. */
tare_status tarei_want_integers(const tarei_step *step, const tarei_run *run, int i,
                                tare_error *err);

/* The integers of input i where it is there, else of the attribute (NULL: there is none). */
tare_status tarei_read_ints(const tarei_step *step, const tarei_run *run, int i,
                            const char *attribute, tarei_ints *out, tare_error *err);

/* The one integer of input i, which is there, in min..max. */
tare_status tarei_read_int(const tarei_step *step, const tarei_run *run, int i, const char *what,
                           int64_t min, int64_t max, int64_t *out, tare_error *err);

/* The one number of input i, which is there, of any type. NaN and Inf are refused. */
tare_status tarei_read_real(const tarei_step *step, const tarei_run *run, int i, const char *what,
                            double *out, tare_error *err);

/* The truth of input i; `fallback` where it is absent. */
tare_status tarei_read_flag(const tarei_step *step, const tarei_run *run, int i, const char *what,
                            bool fallback, bool *out, tare_error *err);
/* Of a tensor that is no operand. */
tare_status tarei_flag_of(const tare_tensor *t, const char *what, bool *out, tare_error *err);

/* The axis that input i holds, for a tensor of so many axes; not negative. */
tare_status tarei_read_axis(const tarei_step *step, const tarei_run *run, int i, int rank,
                            int *axis, tare_error *err);

#endif
