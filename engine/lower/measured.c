#include "engine/lower/measured.h"

void tarei_measured_dims(const tarei_step *const step, const int o, const int64_t *const dims,
                         int64_t *const values) {
  const tarei_exprs *const pool = step->graph->exprs;
  const tarei_value *const value = &step->graph->values[step->node->out[o]];
  for (int k = 0, symbol; (symbol = tarei_exprs_find_measured(pool, step->node->name, k)) >= 0;
       k++) {
    for (int d = 0; d < value->rank; d++) {
      if (tarei_expr_uses(pool, value->dims[d], symbol)) {
        values[k] = dims[d];
      }
    }
  }
}
