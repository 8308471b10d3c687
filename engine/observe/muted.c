#include "engine/observe/muted.h"

#include <stdlib.h>

#include "base/mem.h"
#include "engine/context_parts.h"
#include "engine/observe/muted_step.h"

static bool has_loop(const tarei_part *const part) {
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int i = 0; i < node->n_attrs; i++) {
      if (node->attrs[i].kind == TAREI_ATTR_GRAPH && node->op != &tarei_op_if) {
        return true;
      }
    }
  }
  for (int i = 0; i < part->n_children; i++) {
    if (has_loop(part->children[i])) {
      return true;
    }
  }
  return false;
}

static bool part_has_products(const tarei_part *const part) {
  for (int s = 0; s < part->n_steps; s++) {
    if (tarei_step_has_products(&part->steps[s])) {
      return true;
    }
  }
  for (int i = 0; i < part->n_children; i++) {
    if (part_has_products(part->children[i])) {
      return true;
    }
  }
  return false;
}

bool tarei_plan_is_mutable(const tare_plan *const plan) {
  return part_has_products(&plan->root) && !has_loop(&plan->root);
}

static const tarei_step *muted_step_of(const tarei_part *const part, const int node, int *const s) {
  while (*s >= 0 && part->steps[*s].node > &part->graph->nodes[node]) {
    (*s)--;
  }
  return *s >= 0 && part->steps[*s].node == &part->graph->nodes[node] ? &part->steps[*s] : NULL;
}

/* From the outputs back: muted steps read no more than what is added to their products. */
static void muted_find_needed(const tare_context *const c, bool *const values, bool *const steps) {
  const tarei_part *const part = &c->plan->root;
  const tarei_graph *const g = part->graph;
  int s = part->n_steps - 1;
  for (int i = 0; i < g->n_outputs; i++) {
    values[g->outputs[i]] = true;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    const tarei_step *const step = muted_step_of(part, n, &s);
    bool needed = false;
    for (int o = 0; o < node->n_out; o++) {
      needed = needed || (node->out[o] >= 0 && values[node->out[o]]);
    }
    const int first = step && tarei_step_is_muted(c, part, s) ? TAREI_MUTED_BIAS : 0;
    for (int i = first; needed && i < node->n_in; i++) {
      if (node->in[i] >= 0) {
        values[node->in[i]] = true;
      }
    }
    if (step) {
      steps[s] = needed;
    }
  }
}

/* Dims of late steps are known when they run, and those behind them need them. */
static bool has_late(const tarei_part *const part) {
  for (int s = 0; s < part->n_steps; s++) {
    if (part->steps[s].late) {
      return true;
    }
  }
  return false;
}

static tare_status make_needed(tare_context *const c, tare_error *const err) {
  const tarei_part *const part = &c->plan->root;
  const size_t n = (size_t)part->graph->n_values;
  bool *const values = tarei_calloc(n, sizeof *values);
  c->needed = tarei_calloc((size_t)part->n_steps, sizeof *c->needed);
  if (values && c->needed) {
    muted_find_needed(c, values, c->needed);
  }
  free(values);
  return values && c->needed ? TARE_OK : tarei_fail_memory(err, "muted run", n);
}

tare_status tarei_context_run_muted(tare_context *const c, const tare_tensor *const inputs,
                                    const int64_t *const valid_symbols, const int bucket,
                                    tare_tensor *const outputs, tare_error *const err) {
  const bool whole = c->watch || has_late(&c->plan->root);
  c->muted = true;
  tare_status status = whole || c->needed ? TARE_OK : make_needed(c, err);
  c->only_needed = !whole;
  if (status == TARE_OK) {
    status = tarei_context_run_valid(c, inputs, valid_symbols, bucket, outputs, err);
  }
  c->muted = c->only_needed = false;
  return status;
}
