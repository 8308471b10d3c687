#include "base/mem.h"
#include "engine/lower/measured.h"

#include <stdlib.h>

static tare_status measured_make_room(tarei_step *const step, const int k, tare_error *const err) {
  if (k < step->n_measured) {
    return TARE_OK;
  }
  int *const grown = tarei_realloc(step->measured, ((size_t)k + 1) * sizeof *grown);
  if (!grown) {
    return tarei_fail_memory(err, step->node->name, ((size_t)k + 1) * sizeof *grown);
  }
  step->measured = grown;
  while (step->n_measured <= k) {
    grown[step->n_measured++] = -1;
  }
  return TARE_OK;
}

tare_status tarei_measured_find(tarei_step *const step, tare_error *const err) {
  const tarei_exprs *const exprs = step->graph->exprs;
  for (int s = 0; s < tarei_exprs_n_symbols(exprs); s++) {
    const int k = tarei_exprs_measured_number(exprs, s, step->node->number);
    if (k >= 0) {
      TAREI_TRY(measured_make_room(step, k, err));
      step->measured[k] = s;
    }
  }
  return !step->n_measured || step->lowering->measure
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "the output's shape depends on data");
}

void tarei_measured_dims(const tarei_step *const step, const int o, const int64_t *const dims,
                         int64_t *const values) {
  const tarei_value *const value = &step->graph->values[step->node->out[o]];
  for (int k = 0; k < step->n_measured; k++) {
    for (int d = 0; step->measured[k] >= 0 && d < value->rank; d++) {
      if (tarei_expr_uses(step->graph->exprs, value->dims[d], step->measured[k])) {
        values[k] = dims[d];
      }
    }
  }
}
