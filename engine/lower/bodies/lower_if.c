#include <string.h>

#include "base/mem.h"
#include "engine/lower/bodies/branch.h"
#include "engine/call.h"
#include "engine/lower/numbers.h"

/* Which body runs. */
static tare_status taken(const tarei_step *const step, const tarei_run *const run, int *const body,
                         tare_error *const err) {
  bool condition;
  TAREI_TRY(tarei_read_flag(step, run, 0, "condition", false, &condition, err));
  const char *const wanted = condition ? "then_branch" : "else_branch";
  *body = tarei_node_body(step->node, 0) == tarei_node_body_named(step->node, wanted) ? 0 : 1;
  return TARE_OK;
}

static tare_status run_branch(const tarei_step *const step, const tarei_run *const run,
                              tare_error *const err) {
  int body = 0;
  TAREI_TRY(taken(step, run, &body, err));
  return tarei_branch_call(step, run, body, err);
}

static tare_status if_measure(const tarei_step *const step, const tarei_run *const run,
                              int64_t *const values, tare_error *const err) {
  int body = 0;
  TAREI_TRY(run_branch(step, run, err));
  TAREI_TRY(taken(step, run, &body, err));
  for (int o = 0; o < step->node->n_out; o++) {
    const tare_tensor *const result = tarei_call_output(step, run, body, o);
    for (int d = 0; d < result->rank && o * TARE_MAX_RANK + d < step->n_measured; d++) {
      values[o * TARE_MAX_RANK + d] = result->dims[d];
    }
  }
  return TARE_OK;
}

static tare_status if_run(const tarei_step *const step, const tarei_run *const r,
                          tare_error *const err) {
  if (!step->n_measured) {
    TAREI_TRY(run_branch(step, r, err));
  }
  int body = 0;
  TAREI_TRY(taken(step, r, &body, err));
  for (int o = 0; o < step->node->n_out; o++) {
    const tare_tensor *const result = tarei_call_output(step, r, body, o);
    if (r->out[o] && tare_tensor_count(result)) {
      memcpy(r->out[o]->data, result->data,
             (size_t)tare_tensor_count(result) * tare_dtype_size(result->dtype));
    }
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_if = {.measure = if_measure, .run = if_run};
