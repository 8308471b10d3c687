#include "calib/eval/eval_ports.h"

#include <string.h>

#include "base/error.h"

static tare_status check_port(const char *const kind, const tare_port *const a,
                              const tare_port *const b, tare_error *const err) {
  if (strcmp(a->name, b->name) != 0) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %s '%s' here, '%s' in the reference",
                      kind, a->name, b->name);
  }
  if (a->dtype != b->dtype || a->rank != b->rank) {
    return tarei_fail(err, TARE_E_USAGE,
                      "the plans differ: %s '%s' is %s of rank %d here, %s of rank %d in the "
                      "reference",
                      kind, a->name, tare_dtype_name(a->dtype), a->rank, tare_dtype_name(b->dtype),
                      b->rank);
  }
  return TARE_OK;
}

static tare_status check_ports(const char *const kind, const tare_port *const a, const int n_a,
                               const tare_port *const b, const int n_b, tare_error *const err) {
  if (n_a != n_b) {
    return tarei_fail(err, TARE_E_USAGE, "the plans differ: %d %ss here, %d in the reference", n_a,
                      kind, n_b);
  }
  for (int i = 0; i < n_a; i++) {
    TAREI_TRY(check_port(kind, &a[i], &b[i], err));
  }
  return TARE_OK;
}

tare_status tarei_eval_check_ports(const tare_plan *const plan, const tare_plan *const other,
                                   tare_error *const err) {
  const tare_port *inputs = NULL, *outputs = NULL, *other_inputs = NULL, *other_outputs = NULL;
  const int n_inputs = tare_plan_inputs(plan, &inputs);
  const int n_outputs = tare_plan_outputs(plan, &outputs);
  const int n_other_inputs = tare_plan_inputs(other, &other_inputs);
  const int n_other_outputs = tare_plan_outputs(other, &other_outputs);
  TAREI_TRY(check_ports("input", inputs, n_inputs, other_inputs, n_other_inputs, err));
  return check_ports("output", outputs, n_outputs, other_outputs, n_other_outputs, err);
}

const char *tarei_eval_metric_name(const tare_eval_options *const options) {
  return options->custom_metric ? options->custom_metric->name : options->metric;
}
