#include "calib/tune/plan_group.h"

#include <assert.h>

#include "base/error.h"
#include "base/machine.h"

enum { PART_OF_MEMORY = 4 };

tarei_plan_group tarei_plan_group_new(void) {
  return (tarei_plan_group){.most = tarei_machine_memory() / PART_OF_MEMORY};
}

bool tarei_plan_group_has_room(const tarei_plan_group *const g) {
  return g->n == 0 || (g->n < TARE_MOST_TRIALS && g->bytes + g->last <= g->most);
}

void tarei_plan_group_add(tarei_plan_group *const g, tare_plan *const plan) {
  assert(g->n < TARE_MOST_TRIALS);
  g->last = tare_plan_weight_bytes(plan) + tare_plan_context_bytes(plan);
  g->bytes += g->last;
  g->plans[g->n++] = plan;
}

tare_status tarei_plan_group_build(tarei_plan_group *const g, tarei_plan_build_fn *const build,
                                   const void *const user, const char *const *const requests,
                                   const int n, tare_error *const err) {
  while (g->n < n && tarei_plan_group_has_room(g)) {
    tare_plan *plan = NULL;
    TAREI_TRY(build(user, requests[g->n], &plan, err));
    tarei_plan_group_add(g, plan);
  }
  return TARE_OK;
}

void tarei_plan_group_clear(tarei_plan_group *const g) {
  for (int i = 0; i < g->n; i++) {
    tare_plan_free(&g->plans[i]);
  }
  g->n = 0;
  g->bytes = g->last = 0;
}
