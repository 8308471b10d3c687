/* Which tensors of a plan an observer is shown, numbered densely. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/context.h"
#include "engine/plan.h"
#include "graph/quantize/quantize_uses.h"

static bool is_shown(const tarei_part *const part, const int v, const int tensor,
                     const bool read_as_bytes, const bool observe_all) {
  const tarei_value *const value = &part->graph->values[v];
  const tarei_value *const of = &part->graph->values[tensor];
  const tarei_storage storage = part->slots[v].storage;
  /* what a movement operator gives holds the values of its input, which is observed */
  const bool moved = value->producer >= 0 && part->graph->nodes[value->producer].op->movement;
  const bool port = (of->is_input || of->is_output) && !part->graph->is_body;
  return value->dtype == TARE_F32 && !moved &&
         (storage == TAREI_STORE_ARENA || storage == TAREI_STORE_POOL ||
          storage == TAREI_STORE_INPUT) &&
         (observe_all || read_as_bytes || port);
}

/* A body's input may be a tensor of the graph around it, under the same name. */
static tarei_observable *find_observable(const tare_plan *const plan, const char *const name) {
  for (int i = 0; i < plan->n_observables; i++) {
    if (strcmp(plan->observables[i].name, name) == 0) {
      return &plan->observables[i];
    }
  }
  return NULL;
}

static bool observables_add(tare_plan *const plan, tarei_part *const part, const int v,
                            const char *const name, const bool is_read) {
  tarei_observable *const known = part->graph->is_body ? find_observable(plan, name) : NULL;
  if (known) {
    known->is_read = known->is_read || is_read;
    return true;
  }
  if (!TAREI_GROW(plan->observables, plan->n_observables, plan->cap_observables)) {
    return false;
  }
  part->slots[v].observable = plan->n_observables;
  plan->observables[plan->n_observables++] = (tarei_observable){name, is_read};
  return true;
}

static tare_status observables_number(tare_plan *const plan, tarei_part *const part,
                                      tare_error *const err) {
  const tarei_graph *const g = part->graph;
  unsigned char *const uses = tarei_calloc((size_t)g->n_values, sizeof *uses);
  if (!uses) {
    return tarei_fail_memory(err, "observable tensors", (size_t)g->n_values);
  }
  tarei_graph_mark_uses(g, uses);
  bool ok = true;
  for (int v = 0; ok && v < g->n_values; v++) {
    const bool is_read = uses[v] & TAREI_READ_AS_BYTES;
    const int tensor = tarei_tensor_of(g, v);
    part->slots[v].observable = -1;
    ok = tensor < 0 || !is_shown(part, v, tensor, is_read, plan->observe_all) ||
         observables_add(plan, part, v, g->values[tensor].name, is_read);
  }
  free(uses);
  for (int i = 0; ok && i < part->n_children; i++) {
    TAREI_TRY(observables_number(plan, part->children[i], err));
  }
  return ok ? TARE_OK : tarei_fail_memory(err, "observable tensors", sizeof *plan->observables);
}

tare_status tarei_plan_number_observables(tare_plan *const plan, tare_error *const err) {
  return observables_number(plan, &plan->root, err);
}

int tarei_plan_n_observable(const tare_plan *const plan) {
  return plan->n_observables;
}

const char *tarei_plan_observable_name(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_observables);
  return plan->observables[i].name;
}

bool tarei_plan_observable_is_read(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_observables);
  return plan->observables[i].is_read;
}
