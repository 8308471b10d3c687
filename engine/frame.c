#include "engine/frame.h"

#include <assert.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/late.h"
#include "engine/observe/muted_step.h"

static int count_operands(const tarei_part *const part) {
  int n = 0;
  for (int s = 0; s < part->n_steps; s++) {
    n += part->steps[s].node->n_in + part->steps[s].node->n_out;
  }
  return n;
}

static void wire_operands(const tarei_frame *const frame) {
  int at = 0;
  for (int s = 0; s < frame->part->n_steps; s++) {
    const tarei_node *const node = frame->part->steps[s].node;
    frame->first_operand[s] = at;
    for (int i = 0; i < node->n_in; i++) {
      frame->operands[at++] = node->in[i] < 0 ? NULL : &frame->tensors[node->in[i]];
    }
    for (int o = 0; o < node->n_out; o++) {
      frame->operands[at++] = node->out[o] < 0 ? NULL : &frame->tensors[node->out[o]];
    }
  }
}

static void place_tensors(const tarei_frame *const frame) {
  const tarei_graph *const g = frame->part->graph;
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value_slot *const slot = &frame->part->slots[v];
    tare_tensor *const t = &frame->tensors[v];
    *t = frame->part->bounds[v];
    if (slot->storage == TAREI_STORE_CONST) {
      t->data = g->values[slot->root].data->data;
    } else if (slot->storage == TAREI_STORE_ARENA) {
      t->data = frame->context->arena + frame->part->slots[slot->root].offset;
    }
  }
}

bool tarei_frame_make(tarei_frame *const frame, const tarei_part *const part,
                      tare_context *const context) {
  frame->context = context;
  frame->part = part;
  frame->pool.total = &context->pooled;
  frame->tensors = tarei_calloc((size_t)part->graph->n_values, sizeof *frame->tensors);
  frame->operands = tarei_calloc((size_t)count_operands(part), sizeof *frame->operands);
  frame->first_operand = tarei_calloc((size_t)part->n_steps, sizeof *frame->first_operand);
  frame->children = tarei_calloc((size_t)part->n_children, sizeof *frame->children);
  if (!frame->tensors || !frame->operands || !frame->first_operand || !frame->children) {
    return false;
  }
  wire_operands(frame);
  place_tensors(frame);
  for (int i = 0; i < part->n_children; i++) {
    frame->children[i] = tarei_calloc(1, sizeof *frame->children[i]);
    if (!frame->children[i] || !tarei_frame_make(frame->children[i], part->children[i], context)) {
      return false;
    }
  }
  return true;
}

void tarei_frame_fini(tarei_frame *const frame) {
  for (int i = 0; frame->children && i < frame->part->n_children; i++) {
    if (frame->children[i]) {
      tarei_frame_fini(frame->children[i]);
      free(frame->children[i]);
    }
  }
  tarei_pool_fini(&frame->pool);
  free(frame->results);
  free(frame->children);
  free(frame->tensors);
  free(frame->operands);
  free(frame->first_operand);
}

/* Outputs of the run before were the caller's until now, and what lay in the pool when it failed.
 */
static void give_outputs(tarei_frame *const frame) {
  tarei_pool_give_all(&frame->pool);
  for (int v = 0; frame->pool.n_blocks && v < frame->part->graph->n_values; v++) {
    if (frame->part->slots[v].storage == TAREI_STORE_POOL) {
      frame->tensors[v].data = NULL;
    }
  }
}

static void frame_valid(const tarei_frame *const frame, const int v, int64_t *const valid) {
  const tarei_graph *const g = frame->part->graph;
  for (int d = 0; d < frame->tensors[v].rank; d++) {
    int64_t extent;
    const int64_t dim = frame->tensors[v].dims[d];
    const bool known =
        tarei_expr_eval(g->exprs, g->values[v].dims[d], frame->context->valid, &extent);
    valid[d] = known && extent < dim ? (extent > 0 ? extent : 0) : dim;
  }
}

static tare_status frame_watch(const tarei_frame *const frame, const int v, tare_error *const err) {
  const tare_context *const context = frame->context;
  if (!context->watch || frame != &context->root) {
    return TARE_OK;
  }
  int64_t valid[TARE_MAX_RANK];
  frame_valid(frame, v, valid);
  return context->watch(context->watch_user, v, &frame->tensors[v], valid, err);
}

static tare_status frame_show(const tarei_frame *const frame, const int v, tare_error *const err) {
  const tare_context *const context = frame->context;
  const int tensor = frame->part->slots[v].observable;
  TAREI_TRY(frame_watch(frame, v, err));
  if (!context->observe || tensor < 0) {
    return TARE_OK;
  }
  int64_t valid[TARE_MAX_RANK];
  frame_valid(frame, v, valid);
  const tarei_observation seen = {.tensor = tensor,
                                  .name = context->plan->observables[tensor].name,
                                  .data = &frame->tensors[v],
                                  .valid = valid,
                                  .profile = context->bucket};
  return context->observe(context->observe_user, &seen, err);
}

/* Outputs that no step writes. */
static tare_status frame_watch_views(const tarei_frame *const frame, tare_error *const err) {
  const tarei_graph *const g = frame->part->graph;
  for (int i = 0; i < g->n_outputs; i++) {
    if (frame->part->slots[g->outputs[i]].root != g->outputs[i]) {
      TAREI_TRY(frame_watch(frame, g->outputs[i], err));
    }
  }
  return TARE_OK;
}

/* Positions of padding are no rows of the data. */
static tare_status frame_show_rows(const tarei_frame *const frame, const tarei_step *const step,
                                   const tarei_run *const run, tare_error *const err) {
  const tare_context *const context = frame->context;
  const int reader = step->reader;
  if (!context->read || reader < 0 || context->plan->readers[reader].rows_of != reader) {
    return TARE_OK;
  }
  int64_t valid[TARE_MAX_RANK];
  const bool of_input = step->lowering->rows_of_input;
  frame_valid(frame, of_input ? step->node->in[0] : step->node->out[0], valid);
  const tarei_reading reading = {.reader = reader,
                                 .step = step,
                                 .run = run,
                                 .positions = of_input ? run->in[0] : run->out[0],
                                 .valid = valid};
  return context->read(context->read_user, &reading, err);
}

static tare_status frame_compute(const tarei_frame *const frame, const int s,
                                 const tarei_run *const run, tare_error *const err) {
  const tarei_step *const step = &frame->part->steps[s];
  if (tarei_step_is_muted(frame->context, frame->part, s)) {
    tarei_step_run_muted(step, run);
    return TARE_OK;
  }
  return step->lowering->run(step, run, err);
}

static tare_status frame_run_step(tarei_frame *const frame, const int s, tare_error *const err) {
  const tarei_step *const step = &frame->part->steps[s];
  const tare_tensor **const operands = frame->operands + frame->first_operand[s];
  tare_context *const context = frame->context;
  tarei_run run = {.in = operands,
                   .out = operands + step->node->n_in,
                   .scratch = context->scratch,
                   .profile = context->profile,
                   .threads = tarei_team_threads(context->team),
                   .team = context->team,
                   .weights_stay = context->weights_stay,
                   .kernels = step->kernels,
                   .frame = frame};
  assert(step->late || !step->n_measured);
  /* no more at any dims than at the largest, for which a context has room */
  assert(step->late ||
         tarei_step_scratch_bytes(step, operands, run.threads) <= context->scratch_bytes);
  const bool timed = context->profiling;
  const double start = timed ? tarei_now() : 0, inside = context->inside;
  tare_status status = step->late ? tarei_late_begin(frame, step, &run, err) : TARE_OK;
  if (status == TARE_OK) {
    status = frame_show_rows(frame, step, &run, err);
  }
  if (status == TARE_OK) {
    status = frame_compute(frame, s, &run, err);
  }
  if (status == TARE_OK) {
    status =
        tarei_deadline_check(&context->deadline, &frame->part->graph->limits, "the run takes", err);
  }
  if (timed) {
    const double end = tarei_now(), all = end - start;
    context->seconds[step->layer] += all - (context->inside - inside);
    context->inside = inside + all; /* what the step around this one is not to count */
    if (context->timer) {
      context->timer(context->timer_user, step->layer, start, end);
    }
  }
  return status == TARE_OK
             ? TARE_OK
             : tarei_fail_in(err, status, "node '%s' (%s)", step->node->name, step->node->op->name);
}

/* What the step computes was kept from an earlier run of the same length, or is not needed. */
static bool frame_skips(const tarei_frame *const frame, const int s) {
  const tare_context *const context = frame->context;
  if (frame != &context->root) {
    return false;
  }
  return context->plan->lengths.steps[s] ? context->kept.skips
                                         : context->only_needed && !context->needed[s];
}

tare_status tarei_frame_run(tarei_frame *const frame, tare_error *const err) {
  const tarei_graph *const g = frame->part->graph;
  give_outputs(frame);
  for (int i = 0; i < frame->part->n_children; i++) {
    frame->children[i]->calls = 0;
  }
  for (int i = 0; i < g->n_inputs; i++) {
    TAREI_TRY(frame_show(frame, g->inputs[i], err));
  }
  for (int s = 0; s < frame->part->n_steps; s++) {
    if (frame_skips(frame, s)) {
      continue;
    }
    TAREI_TRY(frame_run_step(frame, s, err));
    const tarei_node *const node = frame->part->steps[s].node;
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        TAREI_TRY(frame_show(frame, node->out[o], err));
      }
    }
    if (frame->part->steps[s].late) {
      tarei_late_end(frame, s);
    }
  }
  return frame_watch_views(frame, err);
}
