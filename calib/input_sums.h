/*
 * Sums of the inputs of a layer over its rows, in fixed point: they do not depend on the order of
 * the runs, nor on threads.
 */
#ifndef TAREI_CALIB_INPUT_SUMS_H
#define TAREI_CALIB_INPUT_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

__extension__ typedef __int128 tarei_fixed; /* units of 2^-60 */

typedef struct tarei_input_sums {
  size_t k;
  int64_t n_rows;
  tarei_fixed *sums; /* [k], or NULL: none are wanted */
} tarei_input_sums;

tare_status tarei_input_sums_init(tarei_input_sums *sums, int64_t k, tare_error *err);
void tarei_input_sums_fini(tarei_input_sums *sums);
void tarei_input_sums_reset(tarei_input_sums *sums); /* back to zeros */

/* Adds n_rows rows of one run, whose sums[k] are those of the rows in their order. Runs with sums
 * beyond 2^60 are left out. */
void tarei_input_sums_add(tarei_input_sums *to, const double *sums, int64_t n_rows);

/* Mean of an input; 0 without rows. */
double tarei_input_mean(const tarei_input_sums *sums, size_t input);

#endif
