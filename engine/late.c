/* Steps some of whose dims are known only when their turn comes. */
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/sizes.h"

tare_status tarei_context_take(tare_context *const c, const size_t bytes, const char *const what,
                               void **const out, tare_error *const err) {
  const tare_context *const whole = c->whole;
  const tare_limits *const limits = &c->plan->graph->limits;
  size_t all = whole->plan->arena_bytes + whole->scratch_bytes + whole->pooled;
  if (!tarei_add_size(all, tarei_pool_growth(&c->pool, bytes), &all) ||
      all > (size_t)limits->memory) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_memory,
                            all > (size_t)limits->memory ? (int64_t)all : -1,
                            "with '%s', the run needs", what);
  }
  *out = tarei_pool_take(&c->pool, bytes);
  return *out ? TARE_OK : tarei_fail_memory(err, what, bytes);
}

static tare_status take_scratch(tare_context *const c, const tarei_step *const step,
                                tarei_run *const run, tare_error *const err) {
  tare_context *const whole = c->whole;
  const size_t bytes = tarei_step_scratch_bytes(step, run->in, run->threads);
  const tare_limits *const limits = &c->plan->graph->limits;
  if (bytes > (size_t)limits->memory) {
    return tarei_fail_limit(err, limits, TAREI_LIMIT_memory, (int64_t)bytes,
                            "scratch memory at this length takes");
  }
  if (bytes > whole->scratch_bytes) {
    free(whole->scratch);
    whole->scratch = tarei_alloc_resident(bytes);
    whole->scratch_bytes = whole->scratch ? bytes : 0;
    if (!whole->scratch) {
      return tarei_fail_memory(err, "scratch", bytes);
    }
  }
  run->scratch = whole->scratch;
  return TARE_OK;
}

#define NOT_SAID INT64_MIN /* no dim has the symbol any more: passes have decided them since */

static tare_status late_measure(tare_context *const c, const tarei_step *const step,
                                const tarei_run *const run, tare_error *const err) {
  int64_t *const numbers = c->whole->numbers;
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
      c->whole->symbols[step->measured[k]] = number;
      c->whole->valid[step->measured[k]] = number;
    }
  }
  return TARE_OK;
}

static tare_status size_value(const tare_context *const c, const int v, size_t *const bytes,
                              tare_error *const err) {
  const tarei_graph *const g = c->plan->graph;
  tare_tensor *const t = &c->tensors[v];
  for (int d = 0; d < t->rank; d++) {
    if (!tarei_expr_eval(g->exprs, g->values[v].dims[d], c->whole->symbols, &t->dims[d]) ||
        t->dims[d] < 0) {
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

static tare_status late_take_output(tare_context *const c, const int v, tare_error *const err) {
  if (v < 0 || c->plan->slots[v].storage != TAREI_STORE_POOL) {
    return TARE_OK;
  }
  size_t bytes = 0;
  TAREI_TRY(size_value(c, v, &bytes, err));
  return tarei_context_take(c, bytes, c->plan->graph->values[v].name, &c->tensors[v].data, err);
}

static tare_status check_move(const tare_context *const c, const tarei_node *const node,
                              tare_error *const err) {
  if (!node->op->movement || node->out[0] < 0) {
    return TARE_OK;
  }
  const int64_t had = tare_tensor_count(&c->tensors[node->in[0]]),
                has = tare_tensor_count(&c->tensors[node->out[0]]);
  return had == has
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_SHAPE, "'%s' would have %lld elements, but its input has %lld",
                   c->plan->graph->values[node->out[0]].name, (long long)has, (long long)had);
}

tare_status tarei_late_begin(tare_context *const c, const tarei_step *const step,
                             tarei_run *const run, tare_error *const err) {
  const tarei_node *const node = step->node;
  if (step->n_measured) {
    TAREI_TRY(take_scratch(c, step, run, err)); /* by what it reads; for its outputs again below */
    TAREI_TRY(late_measure(c, step, run, err));
  }
  for (int o = 0; o < node->n_out; o++) {
    TAREI_TRY(late_take_output(c, node->out[o], err));
  }
  TAREI_TRY(check_move(c, node, err));
  return take_scratch(c, step, run, err);
}

static void late_give(tare_context *const c, const int v, const int s) {
  const tarei_value_slot *const slot = v < 0 ? NULL : &c->plan->slots[v];
  if (slot && slot->storage == TAREI_STORE_POOL && slot->last_use == s) {
    tarei_pool_give(&c->pool, c->tensors[v].data);
    c->tensors[v].data = NULL;
  }
}

void tarei_late_end(tare_context *const c, const int s) {
  const tarei_node *const node = c->plan->steps[s].node;
  for (int i = 0; i < node->n_in; i++) {
    late_give(c, node->in[i], s);
  }
  for (int o = 0; o < node->n_out; o++) {
    late_give(c, node->out[o], s);
  }
}
