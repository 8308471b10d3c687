#include "tools/compare/compare_eval.h"

tare_status compare_build(const compare_eval *const e, const tare_table *const table,
                          tare_plan **const plan, tare_error *const err) {
  tare_build_options o = opt_build_options(e->build, e->common, table);
  if (!table) {
    o.layer_precisions = o.layer_output_types = NULL;
  }
  return tare_plan_build(e->model, e->profiles, &o, plan, err);
}
