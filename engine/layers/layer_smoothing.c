/* Tensors that the table of a build smooths. */

#include "base/mem.h"
#include "engine/layers/layers.h"
#include "engine/layers/unused.h"
#include "graph/quantize/smooth.h"

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
    status = tarei_plan_keep_unused(plan, TAREI_NAMED(&table->smoothings), unused,
                                    &plan->unused_smoothings, err);
  }
  free(unused);
  return status;
}

int tare_plan_n_unused_smoothings(const tare_plan *const plan) {
  return plan->unused_smoothings.n;
}

const char *tare_plan_unused_smoothing(const tare_plan *const plan, const int i) {
  if (!tarei_has_number(i, plan->unused_smoothings.n)) {
    return NULL;
  }
  return plan->unused_smoothings.names[i];
}
