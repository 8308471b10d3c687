#include "engine/plan_children.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/sizes.h"

static tare_status make_child(tare_plan *const plan, tarei_graph *const body,
                              tare_error *const err) {
  if (!TAREI_GROW(plan->children, plan->n_children, plan->cap_children)) {
    return tarei_fail_memory(err, "plan", sizeof *plan);
  }
  tare_plan *const child = tarei_calloc(1, sizeof *child);
  if (!child) {
    return tarei_fail_memory(err, "plan", sizeof *child);
  }
  plan->children[plan->n_children++] = child;
  child->parent = plan;
  child->graph = body;
  child->profiles = plan->profiles;
  return tarei_plan_finish(child, err);
}

tare_status tarei_plan_make_children(tare_plan *const plan, const tarei_node *const node,
                                     tare_error *const err) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH) {
      TARE_TRY(make_child(plan, node->attrs[i].graph, err));
    }
  }
  return TARE_OK;
}

void tarei_plan_fini(tare_plan *const plan) {
  for (int i = 0; i < plan->n_children; i++) {
    tarei_plan_fini(plan->children[i]);
    free(plan->children[i]);
  }
  for (int s = 0; s < plan->n_steps; s++) {
    free(plan->steps[s].state);
    free(plan->steps[s].measured);
  }
  tarei_sizes_fini(&plan->sizes);
  free(plan->children);
  free(plan->steps);
  free(plan->runs);
  free(plan->slots);
  free(plan->bounds);
  free(plan->symbols);
}
