#include "engine/call.h"

#include <assert.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/frame.h"
#include "engine/late.h"
#include "engine/samples/noise.h"

static tarei_frame *frame_of(const tarei_step *const step, const tarei_run *const run,
                             const int body) {
  assert(step->first_child + body < run->frame->part->n_children);
  return run->frame->children[step->first_child + body];
}

tare_status tarei_call(const tarei_step *const step, const tarei_run *const run, const int body,
                       const tare_tensor *const formal, tare_error *const err) {
  tarei_frame *const f = frame_of(step, run, body);
  const tarei_graph *const g = f->part->graph;
  for (int i = 0; i < g->n_inputs; i++) {
    f->tensors[g->inputs[i]] = i < g->n_formal ? formal[i] : *run->in[g->captures[i - g->n_formal]];
  }
  f->noise = tarei_noise_join(run->frame->noise, f->calls++);
  return tarei_frame_run(f, err);
}

const tare_tensor *tarei_call_output(const tarei_step *const step, const tarei_run *const run,
                                     const int body, const int output) {
  const tarei_frame *const f = frame_of(step, run, body);
  return &f->tensors[f->part->graph->outputs[output]];
}

void tarei_call_measured(const tarei_step *const step, const tarei_run *const run, const int k,
                         const int64_t value) {
  if (k < step->n_measured && step->measured[k] >= 0) {
    run->frame->context->symbols[step->measured[k]] = value;
    run->frame->context->valid[step->measured[k]] = value;
  }
}

tare_tensor *tarei_call_results(const tarei_step *const step, const tarei_run *const run,
                                const int n) {
  tarei_frame *const f = frame_of(step, run, 0);
  if (!f->results) {
    f->results = tarei_calloc((size_t)n, sizeof *f->results);
  }
  return f->results;
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
  TAREI_TRY(tarei_deadline_check(&run->frame->context->deadline, limits, "the run takes", err));
  return ++run->frame->context->turns <= limits->loop_turns
             ? TARE_OK
             : tarei_fail_limit(err, limits, TAREI_LIMIT_loop_turns, -1,
                                "the loops of one run take");
}

tare_status tarei_call_take(const tarei_step *const step, const tarei_run *const run,
                            const size_t bytes, void **const out, tare_error *const err) {
  return tarei_late_take(run->frame, bytes, step->node->name, out, err);
}

void tarei_call_give(const tarei_run *const run, const void *const data) {
  tarei_pool_give(&run->frame->pool, data);
}
