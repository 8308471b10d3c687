#include "tools/compare/compare_eval.h"

#include <stdlib.h>

#include "tools/compare/options/compare_precisions.h"

tare_status compare_build(const compare_eval *const e, const tare_table *const table,
                          const int precision, tare_plan **const plan, tare_error *const err) {
  tare_build_options o = opt_build_options(e->build, e->common, table);
  if (!table) {
    o.layer_output_types = NULL;
  }
  char *const requests = table ? compare_precision_requests(precision, o.layer_precisions) : NULL;
  o.layer_precisions = requests;
  const tare_status status = tare_plan_build(e->model, e->profiles, &o, plan, err);
  free(requests);
  return status;
}
