#include "engine/part.h"

#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/lower/measured.h"
#include "engine/plan.h"
#include "engine/plan_profiles.h"
#include "graph/closed.h"

#define MAX_OPERANDS 512 /* inputs of one node; Concat is the only wide one */

/* --- which nodes run, and where values are ---------------------------------------------------- */

static bool part_is_late(const tarei_part *const part, const tarei_value *const v) {
  bool late = part->graph->is_body;
  for (int d = 0; d < v->rank; d++) {
    late |= tarei_expr_uses_measured(part->graph->exprs, v->dims[d]);
  }
  return late;
}

static bool contents_known(const tarei_part *const part, const tarei_value *const v) {
  if (!v->contents || v->data || v->is_input || (v->dtype != TARE_I64 && v->dtype != TARE_I32)) {
    return false;
  }
  for (int i = 0; i < v->n_contents; i++) {
    if (v->contents[i] == TAREI_EXPR_NONE ||
        tarei_expr_uses_measured(part->graph->exprs, v->contents[i])) {
      return false;
    }
  }
  return v->n_contents > 0 && !part->graph->is_body;
}

/* A node that runs writes all its outputs, also those that nobody reads. */
static void keep_outputs(const tarei_node *const node, tarei_value_slot *const slots,
                         const bool runs) {
  for (int o = 0; runs && o < node->n_out; o++) {
    if (node->out[o] >= 0 && slots[node->out[o]].storage == TAREI_STORE_NONE) {
      slots[node->out[o]].storage = TAREI_STORE_ARENA;
      slots[node->out[o]].from_shape = false;
    }
  }
}

/* Marks what the outputs need, backwards. Values whose contents follow from the symbols need no
 * node: whole shape subgraphs fall away here. */
static void part_mark_needed(const tarei_graph *const g, tarei_value_slot *const slots,
                             bool *const runs) {
  for (int i = 0; i < g->n_outputs; i++) {
    slots[g->outputs[i]].storage = TAREI_STORE_ARENA;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    for (int o = 0; o < node->n_out; o++) {
      const int v = node->out[o];
      runs[n] |= v >= 0 && slots[v].storage != TAREI_STORE_NONE && !slots[v].from_shape;
    }
    keep_outputs(node, slots, runs[n]);
    for (int i = 0; runs[n] && i < node->n_in; i++) {
      if (node->in[i] >= 0) {
        slots[node->in[i]].storage = TAREI_STORE_ARENA;
      }
    }
  }
}

static void place_values(const tarei_part *const part) {
  const tarei_graph *const g = part->graph;
  for (int v = 0; v < g->n_values; v++) {
    tarei_value_slot *const slot = &part->slots[v];
    if (g->values[v].data) {
      slot->storage = TAREI_STORE_CONST;
    } else if (g->values[v].is_input) {
      slot->storage = TAREI_STORE_INPUT;
    } else if (slot->storage == TAREI_STORE_ARENA && part_is_late(part, &g->values[v])) {
      slot->storage = TAREI_STORE_POOL;
    }
    int64_t ignored;
    for (int d = 0; d < g->values[v].rank; d++) {
      slot->dynamic |= !tarei_expr_is_const(g->exprs, g->values[v].dims[d], &ignored);
    }
  }
}

static void place(const tarei_part *const part) {
  const tarei_graph *const g = part->graph;
  for (int v = 0; v < g->n_values; v++) {
    part->slots[v].root = v;
    part->slots[v].first_use = part->slots[v].last_use = -1;
    part->slots[v].from_shape = contents_known(part, &g->values[v]);
  }
  part_mark_needed(g, part->slots, part->runs);
  for (int v = 0; v < g->n_values; v++) {
    part->slots[v].from_shape &= part->slots[v].storage != TAREI_STORE_NONE;
  }
  place_values(part);
}

tare_status tarei_part_place(tarei_part *const part, tare_error *const err) {
  const size_t n_values = (size_t)part->graph->n_values;
  part->slots = tarei_calloc(n_values, sizeof *part->slots);
  part->bounds = tarei_calloc(n_values, sizeof *part->bounds);
  part->runs = tarei_calloc((size_t)part->graph->n_nodes, sizeof *part->runs);
  if (!part->slots || !part->bounds || !part->runs) {
    return tarei_fail_memory(err, "plan", n_values * sizeof *part->slots);
  }
  place(part);
  return TARE_OK;
}

/* --- steps ------------------------------------------------------------------------------------ */

/* A view of a graph input that is a graph output would end with the caller's memory: it is copied
 * by being a step like any other. */
static bool is_view(const tarei_part *const part, const tarei_node *const node,
                    const tarei_lowering *const lowering) {
  if (!lowering->view) {
    return false;
  }
  const tarei_storage from = part->slots[part->slots[node->in[0]].root].storage;
  if (from == TAREI_STORE_POOL || part->slots[node->out[0]].storage == TAREI_STORE_POOL) {
    return false; /* a copy: memory goes back to the pool with the value itself */
  }
  return from == TAREI_STORE_ARENA || !part->graph->values[node->out[0]].is_output;
}

static bool has_late_operand(const tarei_part *const part, const tarei_node *const node) {
  bool late = part->graph->is_body;
  for (int i = 0; i < node->n_in; i++) {
    late |= node->in[i] >= 0 && part->slots[node->in[i]].storage == TAREI_STORE_POOL;
  }
  for (int o = 0; o < node->n_out; o++) {
    late |= node->out[o] >= 0 && part->slots[node->out[o]].storage == TAREI_STORE_POOL;
  }
  return late;
}

static tare_status make_child(tarei_part *const part, tarei_graph *const body,
                              tare_error *const err) {
  if (!TAREI_GROW(part->children, part->n_children, part->cap_children)) {
    return tarei_fail_memory(err, "plan", sizeof *part->children);
  }
  tarei_part *const child = tarei_calloc(1, sizeof *child);
  if (!child) {
    return tarei_fail_memory(err, "plan", sizeof *child);
  }
  part->children[part->n_children++] = child;
  child->plan = part->plan;
  child->graph = body;
  TAREI_TRY(tarei_part_place(child, err));
  TAREI_TRY(tarei_part_bound(child, err));
  return tarei_part_make_steps(child, err);
}

/* Whether a part that failed may stay closed: the branch of an If of a plan that is built. */
static bool may_close(const tarei_part *const part, const tarei_node *const node,
                      const tarei_attr *const branch, const tare_status why) {
  return node->op == &tarei_op_if && !part->plan->blobs.loading && why != TARE_E_MEMORY &&
         why != TARE_E_LIMIT && !tarei_closed_reason(branch->graph, NULL);
}

/* A form of an operator that has no step, in a branch, refuses only runs that take it. */
static tare_status make_branch(tarei_part *const part, tarei_node *const node,
                               tarei_attr *const branch, tare_error *const err) {
  const int n_children = part->n_children, n_blobs = tarei_blobs_taken(&part->plan->blobs);
  tare_error inner = {0}, why = {0};
  const tare_status status = make_child(part, branch->graph, &inner);
  if (status == TARE_OK || !may_close(part, node, branch, status)) {
    return status == TARE_OK ? TARE_OK : tarei_fail(err, status, "%s", inner.message);
  }
  while (part->n_children > n_children) {
    tarei_part *const child = part->children[--part->n_children];
    tarei_part_fini(child);
    free(child);
  }
  tarei_blobs_give(&part->plan->blobs, n_blobs);
  (void)tarei_fail(&why, status, "%s: %s", branch->graph->name, inner.message);
  TAREI_TRY(tarei_branch_close(part->graph, branch, &why, err));
  return make_child(part, branch->graph, err);
}

/* A finished part for each graph among the node's attributes, in their order. */
static tare_status make_children(tarei_part *const part, tarei_node *const node,
                                 tare_error *const err) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH) {
      TAREI_TRY(make_branch(part, node, &node->attrs[i], err));
    }
  }
  return TARE_OK;
}

static tare_status make_step(tarei_part *const part, tarei_node *const node,
                             tare_error *const err) {
  tarei_step *const step = &part->steps[part->n_steps++];
  *step = (tarei_step){.lowering = tarei_lowering_of(node->op),
                       .graph = part->graph,
                       .node = node,
                       .kernels = &part->plan->kernels,
                       .n_profiles = tare_profiles_count(part->plan->profiles),
                       .reader = -1,
                       .first_child = part->n_children,
                       .late = has_late_operand(part, node)};
  TAREI_TRY(tarei_measured_find(step, err));
  step->late |= step->n_measured > 0; /* also where inference made symbols that no dim kept */
  TAREI_TRY(make_children(part, node, err));
  tarei_blobs *const blobs = &part->plan->blobs;
  step->first_blob = tarei_blobs_taken(blobs);
  TAREI_TRY(tarei_step_prepare(step, blobs, err));
  step->n_blobs = tarei_blobs_taken(blobs) - step->first_blob;
  return TARE_OK;
}

static tare_status make_steps(tarei_part *const part, tare_error *const err) {
  const tarei_graph *const g = part->graph;
  part->steps = tarei_calloc((size_t)g->n_nodes, sizeof *part->steps);
  if (!part->steps) {
    return tarei_fail_memory(err, "steps", (size_t)g->n_nodes * sizeof *part->steps);
  }
  for (int n = 0; n < g->n_nodes; n++) {
    tarei_node *const node = &g->nodes[n];
    if (!part->runs[n]) {
      continue;
    }
    if (node->n_in > MAX_OPERANDS || node->n_out > MAX_OPERANDS) {
      return tarei_fail(err, TARE_E_LIMIT, "node '%s' has more than %d operands", node->name,
                        MAX_OPERANDS);
    }
    if (is_view(part, node, tarei_lowering_of(node->op))) {
      tarei_value_slot *const slot = &part->slots[node->out[0]];
      slot->root = part->slots[node->in[0]].root;
      slot->storage = part->slots[slot->root].storage;
      continue;
    }
    const tare_status status = make_step(part, node, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "node '%s' (%s)", node->name, node->op->name);
    }
  }
  return TARE_OK;
}

static void use_at(const tarei_part *const part, const int v, const int step) {
  if (v >= 0) {
    tarei_value_slot *const slot = &part->slots[v];
    slot->first_use = slot->first_use < 0 ? step : slot->first_use;
    slot->last_use = step;
  }
}

/* In the order of the steps, so that the last use that is found is the last. */
static void find_uses(const tarei_part *const part) {
  const tarei_graph *const g = part->graph;
  for (int v = 0; v < g->n_values; v++) {
    if (part->slots[v].from_shape) { /* written at a new shape, good for all runs of it */
      use_at(part, v, 0);
    }
  }
  for (int s = 0; s < part->n_steps; s++) {
    const tarei_node *const node = part->steps[s].node;
    for (int i = 0; i < node->n_in; i++) {
      use_at(part, node->in[i], s);
    }
    for (int o = 0; o < node->n_out; o++) {
      use_at(part, node->out[o], s);
    }
  }
  for (int v = 0; v < g->n_values; v++) {
    if (part->slots[v].from_shape) {
      use_at(part, v, part->n_steps);
    }
  }
  for (int i = 0; i < g->n_outputs; i++) {
    use_at(part, g->outputs[i], part->n_steps);
  }
}

tare_status tarei_part_make_steps(tarei_part *const part, tare_error *const err) {
  TAREI_TRY(make_steps(part, err));
  find_uses(part);
  return TARE_OK;
}

size_t tarei_part_step_scratch(const tarei_part *const part, const tarei_step *const step,
                               const int threads) {
  if (!step->lowering->scratch || step->late) {
    return 0;
  }
  const tare_tensor *operands[2 * MAX_OPERANDS];
  int n = 0;
  for (int i = 0; i < step->node->n_in; i++) {
    operands[n++] = step->node->in[i] < 0 ? NULL : &part->bounds[step->node->in[i]];
  }
  for (int o = 0; o < step->node->n_out; o++) {
    operands[n++] = step->node->out[o] < 0 ? NULL : &part->bounds[step->node->out[o]];
  }
  return tarei_step_scratch_bytes(step, operands, threads);
}

size_t tarei_part_scratch_bytes(const tarei_part *const part, const int threads) {
  size_t most = 0;
  for (int s = 0; s < part->n_steps; s++) {
    const size_t bytes = tarei_part_step_scratch(part, &part->steps[s], threads);
    most = bytes > most ? bytes : most;
  }
  return most;
}

void tarei_part_fini(tarei_part *const part) {
  for (int i = 0; i < part->n_children; i++) {
    tarei_part_fini(part->children[i]);
    free(part->children[i]);
  }
  for (int s = 0; s < part->n_steps; s++) {
    tarei_step_fini(&part->steps[s]);
  }
  free(part->children);
  free(part->steps);
  free(part->runs);
  free(part->slots);
  free(part->bounds);
}
