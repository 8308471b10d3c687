/* Weights that the table of a build rounds. */
#include <assert.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/plan_ports.h"
#include "graph/quantize/round_weights.h"

static tare_status keep_unused(tare_plan *const plan, const tarei_rounder *const rounder,
                               tare_error *const err) {
  const tare_table *const table = rounder->table;
  const size_t n = (size_t)table->roundings.n;
  plan->unused_roundings = tarei_calloc(n, sizeof *plan->unused_roundings);
  if (!plan->unused_roundings) {
    return tarei_fail_memory(err, "roundings of weights", n * sizeof *plan->unused_roundings);
  }
  for (int i = 0; i < table->roundings.n; i++) {
    if (rounder->unused[i]) {
      tarei_str name = {0};
      tarei_str_add(&name, "%s", table->roundings.items[i].layer);
      const char *const kept = tarei_plan_keep(plan, &name);
      if (!kept) {
        return tarei_fail_memory(err, "roundings of weights", n);
      }
      plan->unused_roundings[plan->n_unused_roundings++] = kept;
    }
  }
  return TARE_OK;
}

tare_status tarei_plan_round_weights(tare_plan *const plan, const tare_build_options *const o,
                                     tare_error *const err) {
  if (!o->table || !o->table->roundings.n || o->weight_rounding == TARE_ROUNDING_NEAREST) {
    return TARE_OK;
  }
  tarei_rounder rounder;
  tare_status status;
  TAREI_TRY_GOTO(tarei_rounder_init(&rounder, o->table, err), done);
  TAREI_TRY_GOTO(tarei_rounder_apply(&rounder, plan->root.graph, err), done);
  status = keep_unused(plan, &rounder, err);
done:
  tarei_rounder_fini(&rounder);
  return status;
}

int tare_plan_n_unused_roundings(const tare_plan *const plan) {
  return plan->n_unused_roundings;
}

const char *tare_plan_unused_rounding(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_unused_roundings);
  return plan->unused_roundings[i];
}
