/*
 * Readers: the layers with weights of a float plan, as products of rows and weights. A row is what
 * one output position reads: a token of a linear layer, the window of a convolution.
 */
#ifndef TAREI_ENGINE_OBSERVE_READERS_H
#define TAREI_ENGINE_OBSERVE_READERS_H

#include <tare/plan.h>

#include "engine/step.h"
#include "graph/quantize/weights/weight_view.h"

typedef struct tarei_row_reader {
  const tarei_graph *graph;
  const tarei_node *node;
  tarei_weight_view weights;
  int rows_of; /* first reader of the same rows, perhaps this one */
} tarei_row_reader;

/* Rows of one run of a step, before it runs. */
typedef struct tarei_reading {
  int reader; /* its number in the plan */
  const tarei_step *step;
  const tarei_run *run;
  const tare_tensor *positions; /* a tensor that has a row at each place of its axes but the last */
  const int64_t *valid;         /* of these axes: the extent of real data */
} tarei_reading;

/* Called between steps, on the thread that runs the context, for the readers that are the first of
 * their rows. If it fails, the run ends with that status. */
typedef tare_status (*tarei_reading_fn)(void *user, const tarei_reading *reading, tare_error *err);

/* Finds the readers of a float plan, before contexts are made of it. Plans have none before. */
tare_status tarei_plan_find_readers(tare_plan *plan, tare_error *err);
int tarei_plan_n_readers(const tare_plan *plan);
const tarei_row_reader *tarei_plan_reader(const tare_plan *plan, int i);

/* Copies the row of a position, counted over all axes of `positions` but the last. */
void tarei_reading_row(const tarei_reading *reading, size_t position, float *out);

#endif
