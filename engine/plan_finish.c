/* From a final graph to something that runs: which nodes run, where each value lives, how large it
 * can get. Both a plan that is built and one that is loaded from a file go through here. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "engine/lower/measured.h"
#include "engine/memory_plan.h"
#include "engine/plan.h"
#include "engine/sizes.h"

#define MAX_OPERANDS 512 /* inputs of one node; Concat is the only wide one */

static bool plan_finish_is_late(const tare_plan *const plan, const tarei_value *const v) {
  bool late = plan->parent != NULL;
  for (int d = 0; d < v->rank; d++) {
    late |= tarei_expr_uses_measured(plan->graph->exprs, v->dims[d]);
  }
  return late;
}

static bool contents_known(const tare_plan *const plan, const tarei_value *const v) {
  if (!v->contents || v->data || v->is_input || (v->dtype != TARE_I64 && v->dtype != TARE_I32)) {
    return false;
  }
  for (int i = 0; i < v->n_contents; i++) {
    if (v->contents[i] == TAREI_EXPR_NONE ||
        tarei_expr_uses_measured(plan->graph->exprs, v->contents[i])) {
      return false;
    }
  }
  return v->n_contents > 0 && !plan->parent;
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
static void plan_finish_mark_needed(const tarei_graph *const g, tarei_value_slot *const slots,
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

static void place_values(const tare_plan *const plan) {
  const tarei_graph *const g = plan->graph;
  for (int v = 0; v < g->n_values; v++) {
    tarei_value_slot *const slot = &plan->slots[v];
    if (g->values[v].data) {
      slot->storage = TAREI_STORE_CONST;
    } else if (g->values[v].is_input) {
      slot->storage = TAREI_STORE_INPUT;
    } else if (slot->storage == TAREI_STORE_ARENA && plan_finish_is_late(plan, &g->values[v])) {
      slot->storage = TAREI_STORE_POOL;
    }
    int64_t ignored;
    for (int d = 0; d < g->values[v].rank; d++) {
      slot->dynamic |= !tarei_expr_is_const(g->exprs, g->values[v].dims[d], &ignored);
    }
  }
}

static void profile_point(const tare_plan *const plan, const int profile, const int which,
                          int64_t *const symbols) {
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  for (int s = 0; s < tare_profiles_n_symbols(plan->profiles); s++) {
    const tare_range r = tare_profiles_range(plan->profiles, profile, s);
    values[s] = which == 0 ? r.min : which == 1 ? r.opt : r.max;
  }
  tarei_plan_symbols(plan, values, symbols);
}

static tare_status plan_finish_check_profiles(const tare_plan *const plan, int64_t *const symbols,
                                              tare_error *const err) {
  static const char *const names[] = {"min", "opt", "max"};
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    for (int which = 0; which < 3; which++) {
      profile_point(plan, p, which, symbols);
      if (tarei_plan_check_dims(plan, symbols, err) != TARE_OK) {
        return tarei_fail_in(err, TARE_E_SHAPE, "profile %d at its %s", p, names[which]);
      }
    }
  }
  return TARE_OK;
}

/* Largest dims over all profiles. */
static tare_status bound_value(const tare_plan *const plan, const int v, int64_t *const lo,
                               int64_t *const hi, tare_error *const err) {
  const tarei_value *const value = &plan->graph->values[v];
  tare_tensor *const bound = &plan->bounds[v];
  *bound = (tare_tensor){.dtype = value->dtype, .rank = value->rank};
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    profile_point(plan, p, 0, lo);
    profile_point(plan, p, 2, hi);
    for (int d = 0; d < value->rank; d++) {
      int64_t min, max;
      if (!tarei_expr_bounds(plan->graph->exprs, value->dims[d], lo, hi, &min, &max)) {
        return tarei_fail(err, TARE_E_SHAPE, "'%s': axis %d has no upper bound in profile %d",
                          value->name, d, p);
      }
      bound->dims[d] = max > bound->dims[d] ? max : bound->dims[d];
    }
  }
  return TARE_OK;
}

static tare_status value_bytes(const tare_plan *const plan, const int v, size_t *const bytes,
                               tare_error *const err) {
  if (!tarei_sizes_bytes(&plan->bounds[v], bytes)) {
    return tarei_fail_limit(err, &plan->graph->limits, TAREI_LIMIT_memory, -1,
                            "at the profiles' maximum, tensor '%s' takes",
                            plan->graph->values[v].name);
  }
  return TARE_OK;
}

/* What lies in pools, or is handed to a body, has no bound. */
static bool is_bounded(const tare_plan *const plan, const int v) {
  const tarei_storage storage = plan->slots[v].storage;
  return storage == TAREI_STORE_CONST || storage == TAREI_STORE_ARENA ||
         (storage == TAREI_STORE_INPUT && !plan->parent);
}

static tare_status bound_values(const tare_plan *const plan, int64_t *const lo, int64_t *const hi,
                                tare_error *const err) {
  for (int v = 0; v < plan->graph->n_values; v++) {
    const tarei_value *const value = &plan->graph->values[v];
    plan->bounds[v] = (tare_tensor){.dtype = value->dtype, .rank = value->rank};
    if (is_bounded(plan, v)) {
      TAREI_TRY(bound_value(plan, v, lo, hi, err));
      TAREI_TRY(value_bytes(plan, v, &plan->slots[v].bytes, err));
    }
  }
  return TARE_OK;
}

/* A view of a graph input that is a graph output would end with the caller's memory: it is copied
 * by being a step like any other. */
static bool is_view(const tare_plan *const plan, const tarei_node *const node,
                    const tarei_lowering *const lowering) {
  if (!lowering->view) {
    return false;
  }
  const tarei_storage from = plan->slots[plan->slots[node->in[0]].root].storage;
  if (from == TAREI_STORE_POOL || plan->slots[node->out[0]].storage == TAREI_STORE_POOL) {
    return false; /* a copy: memory goes back to the pool with the value itself */
  }
  return from == TAREI_STORE_ARENA || !plan->graph->values[node->out[0]].is_output;
}

static bool has_late_operand(const tare_plan *const plan, const tarei_node *const node) {
  bool late = plan->parent != NULL;
  for (int i = 0; i < node->n_in; i++) {
    late |= node->in[i] >= 0 && plan->slots[node->in[i]].storage == TAREI_STORE_POOL;
  }
  for (int o = 0; o < node->n_out; o++) {
    late |= node->out[o] >= 0 && plan->slots[node->out[o]].storage == TAREI_STORE_POOL;
  }
  return late;
}

static tare_status make_child(tare_plan *const plan, tarei_graph *const body,
                              tare_error *const err) {
  if (!TAREI_GROW(plan->children, plan->n_children, plan->cap_children)) {
    return tarei_fail_memory(err, "plan", sizeof *plan);
  }
  tare_plan *const child = tarei_calloc(1, sizeof *child);
  if (!child) {
    return tarei_fail_memory(err, "plan", sizeof *child);
  }
  plan->children[plan->n_children++] = child;
  child->parent = plan;
  child->graph = body;
  child->profiles = plan->profiles;
  return tarei_plan_finish(child, err);
}

/* A finished part for each graph among the node's attributes, in their order. */
static tare_status make_children(tare_plan *const plan, const tarei_node *const node,
                                 tare_error *const err) {
  for (int i = 0; i < node->n_attrs; i++) {
    if (node->attrs[i].kind == TAREI_ATTR_GRAPH) {
      TAREI_TRY(make_child(plan, node->attrs[i].graph, err));
    }
  }
  return TARE_OK;
}

static tare_status make_step(tare_plan *const plan, const tarei_node *const node,
                             tare_error *const err) {
  tarei_step *const step = &plan->steps[plan->n_steps++];
  *step = (tarei_step){.lowering = tarei_lowering_of(node->op),
                       .graph = plan->graph,
                       .node = node,
                       .kernels = &tarei_plan_whole(plan)->kernels,
                       .n_profiles = tare_profiles_count(plan->profiles),
                       .first_child = plan->n_children,
                       .late = has_late_operand(plan, node)};
  TAREI_TRY(tarei_measured_find(step, err));
  step->late |= step->n_measured > 0; /* also where inference made symbols that no dim kept */
  TAREI_TRY(make_children(plan, node, err));
  return tarei_step_prepare(step, &tarei_plan_whole(plan)->blobs, err);
}

static tare_status make_steps(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  plan->steps = tarei_calloc((size_t)g->n_nodes, sizeof *plan->steps);
  if (!plan->steps) {
    return tarei_fail_memory(err, "steps", (size_t)g->n_nodes * sizeof *plan->steps);
  }
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    if (!plan->runs[n]) {
      continue;
    }
    if (node->n_in > MAX_OPERANDS || node->n_out > MAX_OPERANDS) {
      return tarei_fail(err, TARE_E_LIMIT, "node '%s' has more than %d operands", node->name,
                        MAX_OPERANDS);
    }
    if (is_view(plan, node, tarei_lowering_of(node->op))) {
      tarei_value_slot *const slot = &plan->slots[node->out[0]];
      slot->root = plan->slots[node->in[0]].root;
      slot->storage = plan->slots[slot->root].storage;
      continue;
    }
    const tare_status status = make_step(plan, node, err);
    if (status != TARE_OK) {
      return tarei_fail_in(err, status, "node '%s' (%s)", node->name, node->op->name);
    }
  }
  return TARE_OK;
}

static void use_at(const tare_plan *const plan, tarei_usage *const usages, const int v,
                   const int step) {
  const int root = plan->slots[v].root;
  if (plan->slots[v].last_use < step) {
    plan->slots[v].last_use = step;
  }
  if (plan->slots[root].storage == TAREI_STORE_ARENA) {
    tarei_usage *const u = &usages[root];
    u->first = u->bytes && u->first < step ? u->first : step;
    u->last = u->bytes && u->last > step ? u->last : step;
    u->bytes = plan->slots[v].bytes > u->bytes ? plan->slots[v].bytes : u->bytes;
  }
}

static tare_status plan_memory(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  tarei_usage *const usages = tarei_calloc((size_t)g->n_values, sizeof *usages);
  if (!usages) {
    return tarei_fail_memory(err, "memory plan", (size_t)g->n_values * sizeof *usages);
  }
  for (int v = 0; v < g->n_values; v++) {
    if (plan->slots[v].from_shape) { /* written at a new shape, good for all runs of it */
      use_at(plan, usages, v, 0);
      use_at(plan, usages, v, plan->n_steps);
    }
  }
  for (int s = 0; s < plan->n_steps; s++) {
    const tarei_node *const node = plan->steps[s].node;
    for (int i = 0; i < node->n_in; i++) {
      if (node->in[i] >= 0) {
        use_at(plan, usages, node->in[i], s);
      }
    }
    for (int o = 0; o < node->n_out; o++) {
      if (node->out[o] >= 0) {
        use_at(plan, usages, node->out[o], s);
      }
    }
  }
  for (int i = 0; i < g->n_outputs; i++) {
    use_at(plan, usages, g->outputs[i], plan->n_steps);
  }
  const tare_status status = tarei_memory_plan(usages, g->n_values, &plan->arena_bytes, err);
  for (int v = 0; v < g->n_values; v++) {
    plan->slots[v].offset = usages[v].offset;
  }
  free(usages);
  return status;
}

static int profile_symbol(const tare_plan *const plan, const char *const name) {
  for (int p = 0; p < tare_profiles_n_symbols(plan->profiles); p++) {
    if (strcmp(tare_profiles_symbol(plan->profiles, p), name) == 0) {
      return p;
    }
  }
  return -1;
}

static tare_status map_symbols(tare_plan *const plan, tare_error *const err) {
  const tarei_exprs *const exprs = plan->graph->exprs;
  const int n = tarei_exprs_n_symbols(exprs);
  plan->symbols = tarei_calloc((size_t)n, sizeof *plan->symbols);
  if (!plan->symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)n * sizeof *plan->symbols);
  }
  plan->n_symbols = n;
  for (int s = 0; s < n; s++) {
    const char *const name = tarei_exprs_symbol_name(exprs, s);
    plan->symbols[s] = tarei_exprs_is_measured(exprs, s) ? -1 : profile_symbol(plan, name);
    if (plan->symbols[s] < 0 && !tarei_exprs_is_measured(exprs, s)) {
      return tarei_fail(err, TARE_E_USAGE, "no profile gives a range for symbol '%s'", name);
    }
  }
  return TARE_OK;
}

void tarei_plan_symbols(const tare_plan *const plan, const int64_t *const profile_symbols,
                        int64_t *const symbols) {
  for (int s = 0; s < plan->n_symbols; s++) {
    symbols[s] = plan->symbols[s] < 0 ? 1 : profile_symbols[plan->symbols[s]];
  }
}

static void place(tare_plan *const plan) {
  const tarei_graph *const g = plan->graph;
  for (int v = 0; v < g->n_values; v++) {
    plan->slots[v].root = v;
    plan->slots[v].last_use = -1;
    plan->slots[v].from_shape = contents_known(plan, &g->values[v]);
  }
  plan_finish_mark_needed(g, plan->slots, plan->runs);
  for (int v = 0; v < g->n_values; v++) {
    plan->slots[v].from_shape &= plan->slots[v].storage != TAREI_STORE_NONE;
  }
  place_values(plan);
}

/* Checks the profiles and bounds the values, which are those of the symbols at their ends. */
static tare_status plan_finish_bound(const tare_plan *const plan, tare_error *const err) {
  int64_t *const symbols = tarei_calloc(2 * (size_t)plan->n_symbols, sizeof *symbols);
  if (!symbols) {
    return tarei_fail_memory(err, "symbols", 2 * (size_t)plan->n_symbols * sizeof *symbols);
  }
  tare_status status = plan->parent ? TARE_OK : plan_finish_check_profiles(plan, symbols, err);
  if (status == TARE_OK) {
    status = bound_values(plan, symbols, symbols + plan->n_symbols, err);
  }
  free(symbols);
  return status;
}

tare_status tarei_plan_finish(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  if (!plan->parent) {
    tarei_kernels_select(plan->isa, &plan->kernels);
  }
  TAREI_TRY(map_symbols(plan, err));
  plan->slots = tarei_calloc((size_t)g->n_values, sizeof *plan->slots);
  plan->bounds = tarei_calloc((size_t)g->n_values, sizeof *plan->bounds);
  plan->runs = tarei_calloc((size_t)g->n_nodes, sizeof *plan->runs);
  if (!plan->slots || !plan->bounds || !plan->runs) {
    return tarei_fail_memory(err, "plan", (size_t)g->n_values * sizeof *plan->slots);
  }
  place(plan);
  TAREI_TRY(plan_finish_bound(plan, err));
  TAREI_TRY(tarei_sizes_compile(plan, err));
  TAREI_TRY(make_steps(plan, err));
  TAREI_TRY(plan_memory(plan, err));
  return plan->parent ? TARE_OK : tarei_plan_number_observables(plan, err);
}

size_t tarei_step_scratch_bytes(const tarei_step *const step,
                                const tare_tensor *const *const operands, const int threads) {
  return step->lowering->scratch
             ? step->lowering->scratch(step, operands, operands + step->node->n_in, threads)
             : 0;
}

size_t tarei_plan_scratch_bytes(const tare_plan *const plan, const int threads) {
  size_t most = 0;
  for (int s = 0; s < plan->n_steps; s++) {
    const tarei_step *const step = &plan->steps[s];
    if (!step->lowering->scratch || step->late) {
      continue;
    }
    const tare_tensor *operands[2 * MAX_OPERANDS];
    int n = 0;
    for (int i = 0; i < step->node->n_in; i++) {
      operands[n++] = step->node->in[i] < 0 ? NULL : &plan->bounds[step->node->in[i]];
    }
    for (int o = 0; o < step->node->n_out; o++) {
      operands[n++] = step->node->out[o] < 0 ? NULL : &plan->bounds[step->node->out[o]];
    }
    const size_t bytes = tarei_step_scratch_bytes(step, operands, threads);
    most = bytes > most ? bytes : most;
  }
  return most;
}
