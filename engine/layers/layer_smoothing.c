/* Tensors that the table of a build smooths. */
#include <assert.h>

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/plan_ports.h"
#include "graph/quantize/smooth.h"

static tare_status keep_unsmoothed(tare_plan *const plan, const tare_table *const table,
                                   const bool *const unused, tare_error *const err) {
  const size_t n = (size_t)table->smoothings.n;
  plan->unused_smoothings = tarei_calloc(n, sizeof *plan->unused_smoothings);
  if (!plan->unused_smoothings) {
    return tarei_fail_memory(err, "smoothed tensors", n * sizeof *plan->unused_smoothings);
  }
  for (size_t i = 0; i < n; i++) {
    if (unused[i]) {
      tarei_str name = {0};
      tarei_str_add(&name, "%s", table->smoothings.items[i].tensor);
      const char *const kept = tarei_plan_keep(plan, &name);
      if (!kept) {
        return tarei_fail_memory(err, "smoothed tensors", n);
      }
      plan->unused_smoothings[plan->n_unused_smoothings++] = kept;
    }
  }
  return TARE_OK;
}

tare_status tarei_plan_smooth(tare_plan *const plan, const tare_build_options *const o,
                              tare_error *const err) {
  const tare_table *const table = o->table;
  if (!table->smoothings.n || o->no_smoothing) {
    return TARE_OK;
  }
  bool *const unused = tarei_calloc((size_t)table->smoothings.n, sizeof *unused);
  if (!unused) {
    return tarei_fail_memory(err, "smoothed tensors", (size_t)table->smoothings.n);
  }
  tare_status status = tarei_graph_smooth(plan->root.graph, table, unused, NULL, err);
  if (status == TARE_OK) {
    status = keep_unsmoothed(plan, table, unused, err);
  }
  free(unused);
  return status;
}

int tare_plan_n_unused_smoothings(const tare_plan *const plan) {
  return plan->n_unused_smoothings;
}

const char *tare_plan_unused_smoothing(const tare_plan *const plan, const int i) {
  assert(i >= 0 && i < plan->n_unused_smoothings);
  return plan->unused_smoothings[i];
}
