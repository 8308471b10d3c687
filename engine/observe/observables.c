/* Which tensors of a plan an observer is shown, numbered densely. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/context.h"
#include "engine/plan.h"
#include "graph/quantize/quantize_uses.h"

static bool is_shown(const tarei_part *const part, const int v, const bool read_as_bytes,
                     const bool observe_all) {
  const tarei_value *const value = &part->graph->values[v];
  const tarei_storage storage = part->slots[v].storage;
  /* what a movement operator gives holds the values of its input, which is observed */
  const bool moved = value->producer >= 0 && part->graph->nodes[value->producer].op->movement;
  const bool port = (value->is_input || value->is_output) && !part->graph->is_body;
  return value->observable && value->dtype == TARE_F32 && !moved &&
         (storage == TAREI_STORE_ARENA || storage == TAREI_STORE_POOL ||
          storage == TAREI_STORE_INPUT) &&
         (observe_all || read_as_bytes || port);
}

/* A body's input may be a tensor of the graph around it, under the same name. */
static bool observables_is_known(const tare_plan *const plan, const char *const name) {
  for (int i = 0; i < plan->n_observables; i++) {
    if (strcmp(plan->observables[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static tare_status observables_number(tare_plan *const plan, const tarei_part *const part,
                                      tare_error *const err) {
  const tarei_graph *const g = part->graph;
  unsigned char *const uses = tarei_calloc((size_t)g->n_values, sizeof *uses);
  if (!uses) {
    return tarei_fail_memory(err, "observable tensors", (size_t)g->n_values);
  }
  tarei_graph_mark_uses(g, uses);
  bool ok = true;
  for (int v = 0; ok && v < g->n_values; v++) {
    part->slots[v].observable = -1;
    if (is_shown(part, v, uses[v] & TAREI_READ_AS_BYTES, plan->observe_all) &&
        !(g->is_body && observables_is_known(plan, g->values[v].name))) {
      ok = TAREI_GROW(plan->observables, plan->n_observables, plan->cap_observables);
      if (ok) {
        part->slots[v].observable = plan->n_observables;
        plan->observables[plan->n_observables++] = g->values[v].name;
      }
    }
  }
  free(uses);
  for (int i = 0; ok && i < part->n_children; i++) {
    TAREI_TRY(observables_number(plan, part->children[i], err));
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "observable tensors", sizeof(char *));
}

tare_status tarei_plan_number_observables(tare_plan *const plan, tare_error *const err) {
  return observables_number(plan, &plan->root, err);
}

int tarei_plan_n_observable(const tare_plan *const plan) {
  return plan->n_observables;
}

const char *tarei_plan_observable_name(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_observables);
  return plan->observables[i];
}
