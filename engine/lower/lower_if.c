#include <string.h>

#include "base/mem.h"
#include "engine/call.h"

static int taken(const tarei_step *const step, const tarei_run *const run) {
  const bool condition = *(const bool *)run->in[0]->data;
  const char *const wanted = condition ? "then_branch" : "else_branch";
  return tarei_node_body(step->node, 0) == tarei_node_body_named(step->node, wanted) ? 0 : 1;
}

static tare_status run_branch(const tarei_step *const step, const tarei_run *const run,
                              tare_error *const err) {
  TARE_TRY(tarei_call_check_one(run->in[0], "condition", err));
  return tarei_call(step, run, taken(step, run), NULL /* no formal inputs */, err);
}

static tare_status measure(const tarei_step *const step, const tarei_run *const run,
                           int64_t *const values, tare_error *const err) {
  TARE_TRY(run_branch(step, run, err));
  for (int o = 0; o < step->node->n_out; o++) {
    const tare_tensor *const result = tarei_call_output(step, run, taken(step, run), o);
    for (int d = 0; d < result->rank && o * TARE_MAX_RANK + d < step->n_measured; d++) {
      values[o * TARE_MAX_RANK + d] = result->dims[d];
    }
  }
  return TARE_OK;
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  if (!step->n_measured) {
    TARE_TRY(run_branch(step, r, err));
  }
  for (int o = 0; o < step->node->n_out; o++) {
    const tare_tensor *const result = tarei_call_output(step, r, taken(step, r), o);
    if (r->out[o] && tare_tensor_count(result)) {
      memcpy(r->out[o]->data, result->data,
             (size_t)tare_tensor_count(result) * tare_dtype_size(result->dtype));
    }
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_if = {.measure = measure, .run = run};
