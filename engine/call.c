#include "engine/call.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/context_parts.h"

static tare_context *context_of(const tarei_step *const step, const tarei_run *const run,
                                const int body) {
  assert(step->first_child + body < run->context->plan->n_children);
  return run->context->children[step->first_child + body];
}

tare_status tarei_call(const tarei_step *const step, const tarei_run *const run, const int body,
                       const tare_tensor *const formal, tare_error *const err) {
  tare_context *const c = context_of(step, run, body);
  const tarei_graph *const g = c->plan->graph;
  for (int i = 0; i < g->n_inputs; i++) {
    c->tensors[g->inputs[i]] = i < g->n_formal ? formal[i] : *run->in[g->captures[i - g->n_formal]];
  }
  return tarei_context_run_steps(c, err);
}

const tare_tensor *tarei_call_output(const tarei_step *const step, const tarei_run *const run,
                                     const int body, const int output) {
  const tare_context *const c = context_of(step, run, body);
  return &c->tensors[c->plan->graph->outputs[output]];
}

void tarei_call_measured(const tarei_step *const step, const tarei_run *const run, const int k,
                         const int64_t value) {
  if (k < step->n_measured && step->measured[k] >= 0) {
    run->context->whole->symbols[step->measured[k]] = value;
    run->context->whole->valid[step->measured[k]] = value;
  }
}

tare_tensor *tarei_call_results(const tarei_step *const step, const tarei_run *const run,
                                const int n) {
  tare_context *const c = context_of(step, run, 0);
  if (!c->results) {
    c->results = tarei_calloc((size_t)n, sizeof *c->results);
  }
  return c->results;
}

void tarei_call_dims(const tarei_step *const step, tare_tensor *const results,
                     int64_t *const values) {
  for (int o = 0; o < step->node->n_out; o++) {
    if (!results[o].data && step->node->out[o] >= 0) {
      const tarei_value *const v = &step->graph->values[step->node->out[o]];
      results[o] = (tare_tensor){.dtype = v->dtype, .rank = v->rank};
    }
  }
  for (int k = 0; k < step->n_measured; k++) {
    const int o = k / TARE_MAX_RANK;
    values[k] = o < step->node->n_out ? results[o].dims[k % TARE_MAX_RANK] : 0;
  }
}

void tarei_call_hand_out(const tarei_step *const step, const tarei_run *const run,
                         tare_tensor *const results, const int n) {
  for (int o = 0; o < n; o++) {
    const tare_tensor *const out = o < step->node->n_out ? run->out[o] : NULL;
    const size_t bytes = (size_t)tare_tensor_count(&results[o]) * tare_dtype_size(results[o].dtype);
    if (out && bytes) {
      memcpy(out->data, results[o].data, bytes);
    }
    tarei_call_give(run, results[o].data);
    results[o] = (tare_tensor){0};
  }
}

tare_status tarei_call_turn(const tarei_step *const step, const tarei_run *const run,
                            tare_error *const err) {
  const tare_limits *const limits = &step->graph->limits;
  return ++run->context->whole->turns <= limits->loop_turns
             ? TARE_OK
             : tarei_fail_limit(err, limits, TAREI_LIMIT_loop_turns, -1,
                                "the loops of one run take");
}

tare_status tarei_call_take(const tarei_step *const step, const tarei_run *const run,
                            const size_t bytes, void **const out, tare_error *const err) {
  return tarei_context_take(run->context, bytes, step->node->name, out, err);
}

void tarei_call_give(const tarei_run *const run, const void *const data) {
  tarei_pool_give(&run->context->pool, data);
}
