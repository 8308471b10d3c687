/* From a final graph to something that runs. Both a plan that is built and one that is loaded from
 * a file go through here. */
#include <stdlib.h>

#include "base/mem.h"
#include "engine/lengths.h"
#include "engine/memory_plan.h"
#include "engine/part.h"
#include "engine/plan.h"
#include "engine/plan_profiles.h"
#include "engine/sizes.h"
#include "graph/noise_name.h"

/* Where values are that are not views: in memory of their own, or in that of an input that their
 * step writes over. */
typedef struct homes {
  int *of;   /* per root: the root whose memory it is in */
  int *last; /* per such root: the last step that uses its memory */
} homes;

static void homes_init(const tarei_part *const part, const homes *const h) {
  for (int v = 0; v < part->graph->n_values; v++) {
    h->of[v] = v;
    h->last[v] = -1;
  }
  for (int v = 0; v < part->graph->n_values; v++) {
    int *const last = &h->last[part->slots[v].root];
    *last = part->slots[v].last_use > *last ? part->slots[v].last_use : *last;
  }
}

/* Whether step number s can write its output over input i: nobody reads that, or a view of it, at a
 * later time, nor as another input. */
static bool can_overwrite(const tarei_part *const part, const homes *const h, const int s,
                          const int i) {
  const tarei_node *const node = part->steps[s].node;
  const int root = part->slots[node->in[i]].root, home = h->of[root];
  const tarei_value_slot *const from = &part->slots[root], *const to = &part->slots[node->out[0]];
  for (int k = 0; k < node->n_in; k++) {
    if (k != i && node->in[k] >= 0 && h->of[part->slots[node->in[k]].root] == home) {
      return false;
    }
  }
  return from->storage == TAREI_STORE_ARENA && to->storage == TAREI_STORE_ARENA &&
         !from->from_shape && part->slots[node->in[i]].bytes == to->bytes && h->last[home] == s;
}

/* The input over which step number s writes its output, or -1. */
static int overwritten(const tarei_part *const part, const homes *const h, const int s) {
  const tarei_step *const step = &part->steps[s];
  for (int i = 0; step->lowering->overwrites && step->node->out[0] >= 0 && i < step->node->n_in;
       i++) {
    if (step->node->in[i] >= 0 && step->lowering->overwrites(step, i) &&
        can_overwrite(part, h, s, i)) {
      return i;
    }
  }
  return -1;
}

static void share_homes(const tarei_part *const part, const homes *const h) {
  for (int s = 0; s < part->n_steps; s++) {
    const int input = overwritten(part, h, s);
    if (input >= 0) {
      const int out = part->steps[s].node->out[0];
      const int home = h->of[part->slots[part->steps[s].node->in[input]].root];
      h->of[out] = home;
      h->last[home] = h->last[out];
    }
  }
}

/* Memory is needed from the first to the last use of all values that are in it. */
static void find_usages(const tarei_part *const part, const homes *const h,
                        tarei_usage *const usages) {
  for (int v = 0; v < part->graph->n_values; v++) {
    const tarei_value_slot *const slot = &part->slots[v];
    if (slot->first_use < 0 || part->slots[slot->root].storage != TAREI_STORE_ARENA) {
      continue;
    }
    tarei_usage *const u = &usages[h->of[slot->root]];
    u->first = u->bytes && u->first < slot->first_use ? u->first : slot->first_use;
    u->last = u->bytes && u->last > slot->last_use ? u->last : slot->last_use;
    u->bytes = slot->bytes > u->bytes ? slot->bytes : u->bytes;
  }
}

tare_status tarei_plan_memory(tare_plan *const plan, tare_error *const err) {
  const tarei_part *const root = &plan->root;
  const size_t n = (size_t)root->graph->n_values;
  tarei_usage *const usages = tarei_calloc(n, sizeof *usages);
  const homes h = {tarei_calloc(n, sizeof *h.of), tarei_calloc(n, sizeof *h.last)};
  tare_status status = TARE_OK;
  if (!usages || !h.of || !h.last) {
    status = tarei_fail_memory(err, "memory plan", n * sizeof *usages);
  } else {
    homes_init(root, &h);
    share_homes(root, &h);
    find_usages(root, &h, usages);
    status = tarei_memory_plan(usages, root->graph->n_values, &plan->arena_bytes, err);
    for (size_t v = 0; v < n; v++) {
      root->slots[v].offset = usages[h.of[v]].offset;
    }
  }
  free(usages);
  free(h.of);
  free(h.last);
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
  TAREI_TRY(tarei_plan_memory(plan, err));
  TAREI_TRY(tarei_lengths_find(plan, err));
  plan->draws = tarei_graph_count_draws(plan->root.graph);
  return tarei_plan_number_observables(plan, err);
}

int tare_plan_n_random(const tare_plan *const plan) {
  return plan->draws;
}
