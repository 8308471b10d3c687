#include "engine/observe/muted_step.h"

#include <string.h>

#include "engine/context_parts.h"

bool tarei_step_has_products(const tarei_step *const step) {
  return step->lowering->operations != NULL;
}

bool tarei_step_is_muted(const tare_context *const context, const tarei_part *const part,
                         const int s) {
  const bool follows_lengths =
      part == &context->plan->root && context->plan->lengths.steps[s]; /* kept for other runs */
  return context->muted && tarei_step_has_products(&part->steps[s]) && !follows_lengths;
}

static const float *muted_floats_of(const tarei_step *const step, const tarei_run *const run,
                                    const int input) {
  const tare_tensor *const t = input < step->node->n_in ? run->in[input] : NULL;
  const bool readable = t && t->dtype == TARE_F32 &&
                        !tarei_node_packs(step->graph, step->node, input); /* a file lacks these */
  return readable ? t->data : NULL;
}

/* Channels are the last axis, or the second one of operators that have a form with them last. */
static void muted_add_bias(const tarei_step *const step, const tarei_run *const run,
                           const tare_tensor *const out) {
  const float *const bias = muted_floats_of(step, run, TAREI_MUTED_BIAS);
  const int axis = step->node->op->channels_last ? 1 : out->rank - 1;
  if (!bias || axis < 0 || axis >= out->rank ||
      tare_tensor_count(run->in[TAREI_MUTED_BIAS]) != out->dims[axis]) {
    return;
  }
  size_t inner = 1;
  for (int d = axis + 1; d < out->rank; d++) {
    inner *= (size_t)out->dims[d];
  }
  const size_t n = (size_t)tare_tensor_count(out), channels = (size_t)out->dims[axis];
  float *const y = out->data;
  for (size_t i = 0; i < n; i++) {
    y[i] += bias[i / inner % channels];
  }
}

void tarei_step_run_muted(const tarei_step *const step, const tarei_run *const run) {
  for (int o = 0; o < step->node->n_out; o++) {
    const tare_tensor *const out = run->out[o];
    if (!out) {
      continue;
    }
    const size_t bytes = (size_t)tare_tensor_count(out) * tare_dtype_size(out->dtype);
    const float *const added =
        step->node->op->adds_residual ? muted_floats_of(step, run, TAREI_INT8_RESIDUAL) : NULL;
    if (added && out->dtype == TARE_F32 &&
        tare_tensor_count(run->in[TAREI_INT8_RESIDUAL]) == tare_tensor_count(out)) {
      memmove(out->data, added, bytes); /* it may be the same memory */
    } else if (bytes) {
      memset(out->data, 0, bytes);
    }
    if (out->dtype == TARE_F32) {
      muted_add_bias(step, run, out);
    }
  }
}
