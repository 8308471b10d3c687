#include "engine/late.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/sizes.h"

tare_status tarei_late_take(tarei_frame *const frame, const size_t bytes, const char *const what,
                            void **const out, tare_error *const err) {
  const tare_context *const context = frame->context;
  const tare_limits *const limits = &frame->part->graph->limits;
  size_t all =
      context->plan->arena_bytes + context->scratch_bytes + context->kept.bytes + context->pooled;
  if (!tarei_add_size(all, tarei_pool_growth(&frame->pool, bytes), &all) ||
      all > (size_t)limits->memory) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_memory,
                            all > (size_t)limits->memory ? (int64_t)all : -1,
                            "with '%s', the run needs", what);
  }
  *out = tarei_pool_take(&frame->pool, bytes);
  return *out ? TARE_OK : tarei_fail_memory(err, what, bytes);
}

static tare_status take_scratch(const tarei_frame *const frame, const tarei_step *const step,
                                tarei_run *const run, tare_error *const err) {
  tare_context *const context = frame->context;
  const size_t bytes = tarei_step_scratch_bytes(step, run->in, run->threads);
  const tare_limits *const limits = &frame->part->graph->limits;
  if (bytes > (size_t)limits->memory) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_memory, (int64_t)bytes,
                            "scratch memory at this length takes");
  }
  if (bytes > context->scratch_bytes) {
    free(context->scratch);
    context->scratch = tarei_alloc_resident(bytes);
    context->scratch_bytes = context->scratch ? bytes : 0;
    if (!context->scratch) {
      return tarei_fail_memory(err, "scratch", bytes);
    }
  }
  run->scratch = context->scratch;
  return TARE_OK;
}

#define NOT_SAID INT64_MIN /* no dim has the symbol any more: passes have decided them since */

static tare_status late_measure(const tarei_frame *const frame, const tarei_step *const step,
                                const tarei_run *const run, tare_error *const err) {
  int64_t *const numbers = frame->context->numbers;
  for (int k = 0; k < step->n_measured; k++) {
    numbers[k] = NOT_SAID;
  }
  TAREI_TRY(step->lowering->measure(step, run, numbers, err));
  for (int k = 0; k < step->n_measured; k++) {
    if (step->measured[k] >= 0 && numbers[k] < 0 && numbers[k] != NOT_SAID) {
      return tarei_fail(err, TARE_E_SHAPE, "a dim of the output would be %lld",
                        (long long)numbers[k]);
    }
    if (step->measured[k] >= 0) {
      const int64_t number = numbers[k] == NOT_SAID ? -1 : numbers[k]; /* makes no size */
      frame->context->symbols[step->measured[k]] = number;
      frame->context->valid[step->measured[k]] = number;
    }
  }
  return TARE_OK;
}

/* No window fits into what is there. */
static bool late_lacks_window(const tarei_frame *const frame, const int v, const int64_t size) {
  const tarei_graph *const g = frame->part->graph;
  const tarei_node *const node = &g->nodes[g->values[v].producer];
  return size == 0 && node->op->slides && tare_tensor_count(&frame->tensors[node->in[0]]) > 0;
}

static tare_status size_value(const tarei_frame *const frame, const int v, size_t *const bytes,
                              tare_error *const err) {
  const tarei_graph *const g = frame->part->graph;
  tare_tensor *const t = &frame->tensors[v];
  for (int d = 0; d < t->rank; d++) {
    if (!tarei_expr_eval(g->exprs, g->values[v].dims[d], frame->context->symbols, &t->dims[d]) ||
        t->dims[d] < 0 || late_lacks_window(frame, v, t->dims[d])) {
      return tarei_fail(err, TARE_E_SHAPE, "axis %d of '%s' would be %lld at this length", d,
                        g->values[v].name, (long long)t->dims[d]);
    }
  }
  const bool counted = tarei_sizes_bytes(t, bytes);
  return counted && *bytes <= (size_t)g->limits.tensor
             ? TARE_OK
             : tarei_fail_limit(err, &g->limits, TAREI_LIMIT_tensor, counted ? (int64_t)*bytes : -1,
                                "tensor '%s' takes in this run", g->values[v].name);
}

static tare_status late_take_output(tarei_frame *const frame, const int v, tare_error *const err) {
  if (v < 0 || frame->part->slots[v].storage != TAREI_STORE_POOL) {
    return TARE_OK;
  }
  size_t bytes = 0;
  TAREI_TRY(size_value(frame, v, &bytes, err));
  return tarei_late_take(frame, bytes, frame->part->graph->values[v].name, &frame->tensors[v].data,
                         err);
}

static tare_status check_move(const tarei_frame *const frame, const tarei_node *const node,
                              tare_error *const err) {
  if (!node->op->movement || node->out[0] < 0) {
    return TARE_OK;
  }
  const int64_t had = tare_tensor_count(&frame->tensors[node->in[0]]),
                has = tare_tensor_count(&frame->tensors[node->out[0]]);
  return had == has
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_SHAPE, "'%s' would have %lld elements, but its input has %lld",
                   frame->part->graph->values[node->out[0]].name, (long long)has, (long long)had);
}

tare_status tarei_late_begin(tarei_frame *const frame, const tarei_step *const step,
                             tarei_run *const run, tare_error *const err) {
  const tarei_node *const node = step->node;
  if (step->n_measured) {
    /* by what it reads; for its outputs again below */
    TAREI_TRY(take_scratch(frame, step, run, err));
    TAREI_TRY(late_measure(frame, step, run, err));
  }
  for (int o = 0; o < node->n_out; o++) {
    TAREI_TRY(late_take_output(frame, node->out[o], err));
  }
  TAREI_TRY(check_move(frame, node, err));
  return take_scratch(frame, step, run, err);
}

static void late_give(tarei_frame *const frame, const int v, const int s) {
  const tarei_value_slot *const slot = v < 0 ? NULL : &frame->part->slots[v];
  if (slot && slot->storage == TAREI_STORE_POOL && slot->last_use == s) {
    tarei_pool_give(&frame->pool, frame->tensors[v].data);
    frame->tensors[v].data = NULL;
  }
}

void tarei_late_end(tarei_frame *const frame, const int s) {
  const tarei_node *const node = frame->part->steps[s].node;
  for (int i = 0; i < node->n_in; i++) {
    late_give(frame, node->in[i], s);
  }
  for (int o = 0; o < node->n_out; o++) {
    late_give(frame, node->out[o], s);
  }
}
