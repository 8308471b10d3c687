#include "engine/observe/readers.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"
#include "engine/plan.h"

/* Linear and recurrent layers read the rows of a tensor as they are; the windows of convolutions
 * may differ. */
static bool readers_share_rows(const tarei_step *const step, const tarei_row_reader *const reader) {
  return step->lowering->rows_of_input || step->graph->values[reader->weights.value].rank == 2;
}

/* `first`: of each value of the graph, its first reader of rows as they are, or -1. */
static tare_status readers_add(tare_plan *const plan, tarei_step *const step, int *const first,
                               tare_error *const err) {
  tarei_row_reader reader = {.graph = step->graph, .node = step->node, .rows_of = plan->n_readers};
  if (!step->lowering->row || tarei_attr_int(step->node, "group", 1) != 1 ||
      !tarei_row_weights_of(step->graph, step->node, &reader.weights)) {
    return TARE_OK;
  }
  if (!TAREI_GROW(plan->readers, plan->n_readers, plan->cap_readers)) {
    return tarei_fail_memory(err, "layers with weights", sizeof reader);
  }
  if (readers_share_rows(step, &reader)) {
    int *const known = &first[step->node->in[0]];
    *known = *known < 0 ? plan->n_readers : *known;
    reader.rows_of = *known;
  }
  step->reader = plan->n_readers;
  plan->readers[plan->n_readers++] = reader;
  return TARE_OK;
}

static tare_status readers_find(tare_plan *const plan, const tarei_part *const part,
                                tare_error *const err) {
  const size_t n = (size_t)part->graph->n_values;
  int *const first = tarei_calloc(n, sizeof *first);
  tare_status status = first ? TARE_OK : tarei_fail_memory(err, "layers with weights", n);
  for (size_t v = 0; first && v < n; v++) {
    first[v] = -1;
  }
  for (int s = 0; s < part->n_steps && status == TARE_OK; s++) {
    status = readers_add(plan, &part->steps[s], first, err);
  }
  free(first);
  for (int i = 0; i < part->n_children && status == TARE_OK; i++) {
    status = readers_find(plan, part->children[i], err);
  }
  return status;
}

tare_status tarei_plan_find_readers(tare_plan *const plan, tare_error *const err) {
  return readers_find(plan, &plan->root, err);
}

int tarei_plan_n_readers(const tare_plan *const plan) {
  return plan->n_readers;
}

const tarei_row_reader *tarei_plan_reader(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_readers);
  return &plan->readers[i];
}

void tarei_reading_row(const tarei_reading *const reading, const size_t position,
                       float *const out) {
  reading->step->lowering->row(reading->step, reading->run, position, out);
}
