#include "engine/observe/readers.h"

#include <assert.h>

#include "base/mem.h"
#include "engine/plan.h"

static bool is_linear(const tarei_row_reader *const reader) {
  return reader->graph->values[reader->weights.value].rank == 2;
}

/* Windows on one tensor may differ. */
static bool reads_same_rows(const tarei_row_reader *const a, const tarei_row_reader *const b) {
  return a->graph == b->graph && a->node->in[0] == b->node->in[0] && is_linear(a) && is_linear(b);
}

static int first_of_rows(const tare_plan *const plan, const tarei_row_reader *const reader) {
  for (int i = 0; i < plan->n_readers; i++) {
    if (reads_same_rows(&plan->readers[i], reader)) {
      return i;
    }
  }
  return plan->n_readers;
}

static tare_status readers_number(tare_plan *const plan, tarei_part *const part,
                                  tare_error *const err) {
  for (int s = 0; s < part->n_steps; s++) {
    tarei_step *const step = &part->steps[s];
    tarei_row_reader reader = {.graph = part->graph, .node = step->node};
    step->reader = -1;
    if (!step->lowering->row || tarei_attr_int(step->node, "group", 1) != 1 ||
        !tarei_weight_view_of(part->graph, step->node, &reader.weights)) {
      continue;
    }
    reader.rows_of = first_of_rows(plan, &reader);
    if (!TAREI_GROW(plan->readers, plan->n_readers, plan->cap_readers)) {
      return tarei_fail_memory(err, "layers with weights", sizeof reader);
    }
    step->reader = plan->n_readers;
    plan->readers[plan->n_readers++] = reader;
  }
  for (int i = 0; i < part->n_children; i++) {
    TAREI_TRY(readers_number(plan, part->children[i], err));
  }
  return TARE_OK;
}

tare_status tarei_plan_number_readers(tare_plan *const plan, tare_error *const err) {
  return readers_number(plan, &plan->root, err);
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
