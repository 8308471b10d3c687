/* From a final graph to something that runs. Both a plan that is built and one that is loaded from
 * a file go through here. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/memory_plan.h"
#include "engine/plan.h"
#include "engine/plan_profiles.h"
#include "engine/sizes.h"

/* The memory of each root is needed from the first to the last use of all values that are in it. */
static void find_usages(const tarei_part *const part, tarei_usage *const usages) {
  for (int v = 0; v < part->graph->n_values; v++) {
    const tarei_value_slot *const slot = &part->slots[v];
    if (slot->first_use < 0 || part->slots[slot->root].storage != TAREI_STORE_ARENA) {
      continue;
    }
    tarei_usage *const u = &usages[slot->root];
    u->first = u->bytes && u->first < slot->first_use ? u->first : slot->first_use;
    u->last = u->bytes && u->last > slot->last_use ? u->last : slot->last_use;
    u->bytes = slot->bytes > u->bytes ? slot->bytes : u->bytes;
  }
}

static tare_status plan_memory(tare_plan *const plan, tare_error *const err) {
  const tarei_part *const root = &plan->root;
  const int n = root->graph->n_values;
  tarei_usage *const usages = tarei_calloc((size_t)n, sizeof *usages);
  if (!usages) {
    return tarei_fail_memory(err, "memory plan", (size_t)n * sizeof *usages);
  }
  find_usages(root, usages);
  const tare_status status = tarei_memory_plan(usages, n, &plan->arena_bytes, err);
  for (int v = 0; v < n; v++) {
    root->slots[v].offset = usages[v].offset;
  }
  free(usages);
  return status;
}

tare_status tarei_plan_finish(tare_plan *const plan, tare_error *const err) {
  plan->root.plan = plan;
  tarei_kernels_select(plan->isa, &plan->kernels);
  TAREI_TRY(tarei_plan_map_symbols(plan, err));
  TAREI_TRY(tarei_part_place(&plan->root, err));
  TAREI_TRY(tarei_plan_check_profiles(plan, err));
  TAREI_TRY(tarei_part_bound(&plan->root, err));
  TAREI_TRY(tarei_sizes_compile(plan, err));
  TAREI_TRY(tarei_part_make_steps(&plan->root, err));
  TAREI_TRY(plan_memory(plan, err));
  return tarei_plan_number_observables(plan, err);
}
