/*
 * Rows of layers for Gram matrices. Of each run some rows are taken, evenly spread over its real
 * data, and rounded to 8 bits: which ones, and to what, follows from the run alone. A row counts by
 * its direction and not by its size, unless it is much quieter than the loudest row of the run.
 */
#ifndef TAREI_CALIB_GRAM_ROWS_H
#define TAREI_CALIB_GRAM_ROWS_H

#include <pthread.h>

#include "calib/gram.h"
#include "calib/input_sums.h"
#include "engine/observe/readers.h"

/* Gram matrices of a pass over data, which its workers share. */
typedef struct tarei_grams {
  int n;
  int64_t most_k;           /* inputs of a layer */
  tarei_gram *all;          /* of each reader that is the first of its rows; others are empty */
  tarei_input_sums *inputs; /* of each, empty where no means are wanted */
  int64_t *every;           /* of each: how many rows there are for one that is taken, at least */
  pthread_mutex_t mutex;    /* guards the sums */
} tarei_grams;

/* For n readers, without sums of any. */
tare_status tarei_grams_init_empty(tarei_grams *grams, int n, tare_error *err);
/* One for each reader that was found in the plan, empty; with sums of inputs if `means`. */
tare_status tarei_grams_init(tarei_grams *grams, const tare_plan *plan, bool means,
                             tare_error *err);
void tarei_grams_fini(tarei_grams *grams);
void tarei_grams_reset(tarei_grams *grams);

/* What a worker collects until there are enough rows to add. */
typedef struct tarei_gram_rows {
  tarei_grams *grams;
  const tarei_kernels *kernels;
  uint8_t **bytes; /* per reader: [TAREI_GRAM_BATCH][k] */
  size_t *n_rows;
  float *floats; /* of one run */
  size_t cap_floats;
  double *sums; /* [most_k], of the rows of one run */
  tarei_gram_work work;
} tarei_gram_rows;

tare_status tarei_gram_rows_init(tarei_gram_rows *rows, tarei_grams *grams,
                                 const tarei_kernels *kernels, tare_error *err);
void tarei_gram_rows_fini(tarei_gram_rows *rows);

/* Takes rows of a run; `extents` are those of the output that count. */
tare_status tarei_gram_rows_take(tarei_gram_rows *rows, const tarei_reading *reading,
                                 const int64_t *extents, tare_error *err);
/* Adds what is left of all readers; or forgets it. */
void tarei_gram_rows_flush(tarei_gram_rows *rows);
void tarei_gram_rows_drop(tarei_gram_rows *rows);

#endif
