/* Which tensors of a plan and its parts an observer is shown, numbered densely. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/context.h"
#include "engine/plan.h"
#include "graph/quantize/quantize_uses.h"

static bool is_shown(const tare_plan *const plan, const int v, const bool read_as_bytes,
                     const bool observe_all) {
  const tarei_value *const value = &plan->graph->values[v];
  const tarei_storage storage = plan->slots[v].storage;
  /* what a movement operator gives holds the values of its input, which is observed */
  const bool moved = value->producer >= 0 && plan->graph->nodes[value->producer].op->movement;
  const bool port = (value->is_input || value->is_output) && !plan->parent;
  return value->observable && value->dtype == TARE_F32 && !moved &&
         (storage == TAREI_STORE_ARENA || storage == TAREI_STORE_POOL ||
          storage == TAREI_STORE_INPUT) &&
         (observe_all || read_as_bytes || port);
}

/* A body's input may be a tensor of the graph around it, under the same name. */
static bool observables_is_known(const tare_plan *const whole, const char *const name) {
  for (int i = 0; i < whole->n_observables; i++) {
    if (strcmp(whole->observables[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static tare_status observables_number(tare_plan *const whole, const tare_plan *const plan,
                                      tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  unsigned char *const uses = tarei_calloc((size_t)g->n_values, sizeof *uses);
  if (!uses) {
    return tarei_fail_memory(err, "observable tensors", (size_t)g->n_values);
  }
  tarei_graph_mark_uses(g, uses);
  bool ok = true;
  for (int v = 0; ok && v < g->n_values; v++) {
    plan->slots[v].observable = -1;
    if (is_shown(plan, v, uses[v] & TAREI_READ_AS_BYTES, whole->observe_all) &&
        !(plan->parent && observables_is_known(whole, g->values[v].name))) {
      ok = TAREI_GROW(whole->observables, whole->n_observables, whole->cap_observables);
      if (ok) {
        plan->slots[v].observable = whole->n_observables;
        whole->observables[whole->n_observables++] = g->values[v].name;
      }
    }
  }
  free(uses);
  for (int i = 0; ok && i < plan->n_children; i++) {
    TAREI_TRY(observables_number(whole, plan->children[i], err));
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "observable tensors", sizeof(char *));
}

tare_status tarei_plan_number_observables(tare_plan *const plan, tare_error *const err) {
  return observables_number(plan, plan, err);
}

int tarei_plan_n_observable(const tare_plan *const plan) {
  return plan->n_observables;
}

const char *tarei_plan_observable_name(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_observables);
  return plan->observables[i];
}
