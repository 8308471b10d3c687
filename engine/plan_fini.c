#include "engine/plan_fini.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/sizes.h"

void tarei_plan_fini(tare_plan *const plan) {
  for (int i = 0; i < plan->n_children; i++) {
    tarei_plan_fini(plan->children[i]);
    free(plan->children[i]);
  }
  for (int s = 0; s < plan->n_steps; s++) {
    tarei_step_fini(&plan->steps[s]);
  }
  tarei_sizes_fini(&plan->sizes);
  free(plan->children);
  free(plan->steps);
  free(plan->runs);
  free(plan->slots);
  free(plan->bounds);
  free(plan->symbols);
}
