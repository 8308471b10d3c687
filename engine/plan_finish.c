/* From a final graph to something that runs: which nodes run, where each value lives, how large it
 * can get. Both a plan that is built and one that is loaded from a file go through here. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "engine/memory_plan.h"
#include "engine/plan.h"
#include "engine/sizes.h"
#include "graph/quantize_uses.h"

#define MAX_OPERANDS 512 /* inputs of one node; Concat is the only wide one */

static bool contents_known(const tarei_value *const v) {
  if (!v->contents || v->data || v->is_input || (v->dtype != TARE_I64 && v->dtype != TARE_I32)) {
    return false;
  }
  for (int i = 0; i < v->n_contents; i++) {
    if (v->contents[i] == TAREI_EXPR_NONE) {
      return false;
    }
  }
  return v->n_contents > 0;
}

/* Marks what the outputs need, backwards. Values whose contents follow from the symbols need no
 * node: whole shape subgraphs fall away here. */
static void mark_needed(const tarei_graph *const g, tarei_slot *const slots, bool *const runs) {
  for (int i = 0; i < g->n_outputs; i++) {
    slots[g->outputs[i]].storage = TAREI_STORE_ARENA;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    for (int o = 0; o < node->n_out; o++) {
      const int v = node->out[o];
      runs[n] |= v >= 0 && slots[v].storage != TAREI_STORE_NONE && !slots[v].from_shape;
    }
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
    tarei_slot *const slot = &plan->slots[v];
    if (g->values[v].data) {
      slot->storage = TAREI_STORE_CONST;
    } else if (g->values[v].is_input) {
      slot->storage = TAREI_STORE_INPUT;
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

static tare_status check_profiles(const tare_plan *const plan, tare_error *const err) {
  static const char *const names[] = {"min", "opt", "max"};
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    for (int which = 0; which < 3; which++) {
      int64_t symbols[TARE_MAX_SYMBOLS];
      profile_point(plan, p, which, symbols);
      if (tarei_plan_check_dims(plan, symbols, err) != TARE_OK) {
        return tarei_fail_in(err, TARE_E_SHAPE, "profile %d at its %s", p, names[which]);
      }
    }
  }
  return TARE_OK;
}

/* Largest dims over all profiles. */
static tare_status bound_value(const tare_plan *const plan, const int v, tare_error *const err) {
  const tarei_value *const value = &plan->graph->values[v];
  tare_tensor *const bound = &plan->bounds[v];
  *bound = (tare_tensor){.dtype = value->dtype, .rank = value->rank};
  for (int p = 0; p < tare_profiles_count(plan->profiles); p++) {
    int64_t lo[TARE_MAX_SYMBOLS], hi[TARE_MAX_SYMBOLS];
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
  const int64_t count = tare_tensor_count(&plan->bounds[v]);
  if (count < 0 || !tarei_mul_size((size_t)count, tare_dtype_size(plan->bounds[v].dtype), bytes) ||
      *bytes > (size_t)1 << 46) {
    return tarei_fail(err, TARE_E_LIMIT, "'%s' would be too large at the profiles' maximum",
                      plan->graph->values[v].name);
  }
  return TARE_OK;
}

static tare_status bound_values(const tare_plan *const plan, tare_error *const err) {
  for (int v = 0; v < plan->graph->n_values; v++) {
    if (plan->slots[v].storage != TAREI_STORE_NONE) {
      TARE_TRY(bound_value(plan, v, err));
      TARE_TRY(value_bytes(plan, v, &plan->slots[v].bytes, err));
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
  return from == TAREI_STORE_ARENA || !plan->graph->values[node->out[0]].is_output;
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
    const tarei_lowering *const lowering = tarei_lowering_of(node->op);
    if (node->n_in > MAX_OPERANDS || node->n_out > MAX_OPERANDS) {
      return tarei_fail(err, TARE_E_LIMIT, "node '%s' has more than %d operands", node->name,
                        MAX_OPERANDS);
    }
    if (is_view(plan, node, lowering)) {
      tarei_slot *const slot = &plan->slots[node->out[0]];
      slot->root = plan->slots[node->in[0]].root;
      slot->storage = plan->slots[slot->root].storage;
      continue;
    }
    tarei_step *const step = &plan->steps[plan->n_steps++];
    *step = (tarei_step){.lowering = lowering,
                         .graph = g,
                         .node = node,
                         .kernels = &plan->kernels,
                         .n_profiles = tare_profiles_count(plan->profiles)};
    if (lowering->prepare) {
      const tare_status status = lowering->prepare(step, &plan->blobs, err);
      if (status != TARE_OK) {
        return tarei_fail_in(err, status, "node '%s' (%s)", node->name, node->op->name);
      }
    }
  }
  return TARE_OK;
}

static void use_at(const tare_plan *const plan, tarei_usage *const usages, const int v,
                   const int step) {
  const int root = plan->slots[v].root;
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

static bool is_shown(const tare_plan *const plan, const int v, const bool read_as_bytes) {
  const tarei_value *const value = &plan->graph->values[v];
  const tarei_storage storage = plan->slots[v].storage;
  /* what a movement operator gives holds the values of its input, which is observed */
  const bool moved = value->producer >= 0 && plan->graph->nodes[value->producer].op->movement;
  return value->observable && value->dtype == TARE_F32 && !moved &&
         (storage == TAREI_STORE_ARENA || storage == TAREI_STORE_INPUT) &&
         (plan->observe_all || read_as_bytes || value->is_input || value->is_output);
}

static tare_status number_observables(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  plan->observables = tarei_calloc((size_t)g->n_values, sizeof *plan->observables);
  unsigned char *const uses = tarei_calloc((size_t)g->n_values, sizeof *uses);
  if (!plan->observables || !uses) {
    free(uses);
    return tarei_fail_memory(err, "observable tensors", (size_t)g->n_values * sizeof(int));
  }
  tarei_graph_mark_uses(g, uses);
  for (int v = 0; v < g->n_values; v++) {
    const bool shown = is_shown(plan, v, uses[v] & TAREI_READ_AS_BYTES);
    plan->slots[v].observable = shown ? plan->n_observables : -1;
    if (shown) {
      plan->observables[plan->n_observables++] = v;
    }
  }
  free(uses);
  return TARE_OK;
}

static tare_status map_symbols(tare_plan *const plan, tare_error *const err) {
  const tarei_exprs *const exprs = plan->graph->exprs;
  const int n = tarei_exprs_n_symbols(exprs);
  if (n > TARE_MAX_SYMBOLS) {
    return tarei_fail(err, TARE_E_LIMIT, "the model has %d symbols, at most %d are supported", n,
                      TARE_MAX_SYMBOLS);
  }
  plan->symbols = tarei_calloc((size_t)n, sizeof *plan->symbols);
  if (!plan->symbols) {
    return tarei_fail_memory(err, "symbols", (size_t)n * sizeof *plan->symbols);
  }
  for (int s = 0; s < n; s++) {
    const char *const name = tarei_exprs_symbol_name(exprs, s);
    plan->symbols[s] = -1;
    for (int p = 0; p < tare_profiles_n_symbols(plan->profiles); p++) {
      if (strcmp(tare_profiles_symbol(plan->profiles, p), name) == 0) {
        plan->symbols[s] = p;
      }
    }
    if (plan->symbols[s] < 0) {
      return tarei_fail(err, TARE_E_USAGE, "the profiles do not know symbol '%s' of the model",
                        name);
    }
  }
  return TARE_OK;
}

void tarei_plan_symbols(const tare_plan *const plan, const int64_t *const profile_symbols,
                        int64_t *const symbols) {
  for (int s = 0; s < tarei_exprs_n_symbols(plan->graph->exprs); s++) {
    symbols[s] = profile_symbols[plan->symbols[s]];
  }
}

tare_status tarei_plan_finish(tare_plan *const plan, tare_error *const err) {
  const tarei_graph *const g = plan->graph;
  tarei_kernels_select(plan->isa, &plan->kernels);
  TARE_TRY(map_symbols(plan, err));
  plan->slots = tarei_calloc((size_t)g->n_values, sizeof *plan->slots);
  plan->bounds = tarei_calloc((size_t)g->n_values, sizeof *plan->bounds);
  plan->runs = tarei_calloc((size_t)g->n_nodes, sizeof *plan->runs);
  if (!plan->slots || !plan->bounds || !plan->runs) {
    return tarei_fail_memory(err, "plan", (size_t)g->n_values * sizeof *plan->slots);
  }
  for (int v = 0; v < g->n_values; v++) {
    plan->slots[v].root = v;
    plan->slots[v].from_shape = contents_known(&g->values[v]);
  }
  mark_needed(g, plan->slots, plan->runs);
  for (int v = 0; v < g->n_values; v++) {
    plan->slots[v].from_shape &= plan->slots[v].storage != TAREI_STORE_NONE;
  }
  place_values(plan);
  TARE_TRY(check_profiles(plan, err));
  TARE_TRY(bound_values(plan, err));
  TARE_TRY(tarei_sizes_compile(plan, err));
  TARE_TRY(make_steps(plan, err));
  TARE_TRY(plan_memory(plan, err));
  return number_observables(plan, err);
}

size_t tarei_plan_scratch_bytes(const tare_plan *const plan, const int threads) {
  size_t most = 0;
  for (int s = 0; s < plan->n_steps; s++) {
    const tarei_step *const step = &plan->steps[s];
    if (!step->lowering->scratch) {
      continue;
    }
    const tare_tensor *in[MAX_OPERANDS], *out[MAX_OPERANDS];
    for (int i = 0; i < step->node->n_in; i++) {
      in[i] = step->node->in[i] < 0 ? NULL : &plan->bounds[step->node->in[i]];
    }
    for (int o = 0; o < step->node->n_out; o++) {
      out[o] = step->node->out[o] < 0 ? NULL : &plan->bounds[step->node->out[o]];
    }
    const size_t bytes = step->lowering->scratch(step, in, out, threads);
    most = bytes > most ? bytes : most;
  }
  return most;
}
