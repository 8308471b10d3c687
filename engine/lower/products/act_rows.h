/*
 * Rows of an activation with a lower bound (graph/quantize/lower_bound.h) as bytes, each with a
 * scale of its own.
 *
 * A row whose largest value fits is rounded to one of 256 places and looked up, as where a layer
 * has one scale (act_table.h). The scales are those with which zero is a byte, bound / -z for some
 * whole z, so that a few tables serve all rows.
 */
#ifndef TAREI_ENGINE_LOWER_PRODUCTS_ACT_ROWS_H
#define TAREI_ENGINE_LOWER_PRODUCTS_ACT_ROWS_H

#include "engine/lower/act_table.h"
#include "engine/step.h"

#define TAREI_ACT_ROWS_TABLES 32

typedef struct tarei_act_rows {
  tarei_act act;
  float bound;                        /* below zero; 0: the layer writes no rows */
  const tarei_act_table *tables;      /* the coarsest first */
  float reach[TAREI_ACT_ROWS_TABLES]; /* the largest value that each takes; falling */
} tarei_act_rows;

/* Takes the blob of the tables for a layer that has a bound. */
tare_status tarei_act_rows_take(tarei_act_rows *rows, const tarei_step *step, tarei_act act,
                                tarei_blobs *blobs, tare_error *err);

/* m rows of k floats, ldx elements apart, which are what the activation is applied to, and are
 * spoiled. Rows of `out` are k bytes. */
void tarei_act_rows_fill(const tarei_act_rows *rows, float *x, size_t ldx, size_t m, size_t k,
                         uint8_t *out, float *scales, const tarei_kernels *kernels);

#endif
