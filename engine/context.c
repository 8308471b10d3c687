#include "engine/context.h"

#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "base/cores.h"
#include "base/mem.h"
#include "base/team.h"
#include "engine/context_parts.h"
#include "engine/frame.h"
#include "engine/lengths.h"
#include "engine/samples/noise.h"
#include "engine/part.h"
#include "engine/plan_limits.h"
#include "engine/plan_profiles.h"
#include "engine/sizes.h"
#include "shapes/profiles.h"

void tare_context_options_init(tare_context_options *const options) {
  *options = (tare_context_options){.threads = 0, .profile = -1};
}

/* A lowering may write a number for each axis, also those that no dim needs. */
static int most_measured(const tarei_part *const part) {
  int most = TARE_MAX_RANK;
  for (int s = 0; s < part->n_steps; s++) {
    most = part->steps[s].n_measured > most ? part->steps[s].n_measured : most;
  }
  for (int i = 0; i < part->n_children; i++) {
    const int inside = most_measured(part->children[i]);
    most = inside > most ? inside : most;
  }
  return most;
}

static bool context_make(tare_context *const c, const tare_plan *const plan, const int threads,
                         const int64_t kept_bytes) {
  const size_t n_symbols = (size_t)plan->n_symbols;
  c->scratch_bytes = tarei_part_scratch_bytes(&plan->root, threads);
  c->arena = tarei_alloc_resident(plan->arena_bytes);
  c->scratch = tarei_alloc_resident(c->scratch_bytes);
  c->symbols = tarei_calloc(n_symbols, sizeof *c->symbols);
  c->new_symbols = tarei_calloc(n_symbols, sizeof *c->new_symbols);
  c->valid = tarei_calloc(n_symbols, sizeof *c->valid);
  c->sizes = tarei_calloc((size_t)plan->sizes.n_results, sizeof *c->sizes);
  c->seconds = tarei_calloc((size_t)plan->n_layers, sizeof *c->seconds);
  c->numbers = tarei_calloc((size_t)most_measured(&plan->root), sizeof *c->numbers);
  return c->arena && c->scratch && c->symbols && c->new_symbols && c->valid && c->sizes &&
         c->seconds && c->numbers && tarei_frame_make(&c->root, &plan->root, c) &&
         tarei_kept_make(c, kept_bytes);
}

tare_status tare_context_new(const tare_plan *const plan, const tare_context_options *const options,
                             tare_context **const out, tare_error *const err) {
  tare_context_options defaults;
  tare_context_options_init(&defaults);
  const tare_context_options *const o = options ? options : &defaults;
  *out = NULL;
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_context_options, options, err));
  if (o->threads < 0) {
    return tarei_fail(err, TARE_E_USAGE, "%d threads: expected 0 or more", o->threads);
  }
  const int last = tare_profiles_count(plan->profiles) - 1;
  if (o->profile < -1 || o->profile > last) {
    return tarei_fail(err, TARE_E_USAGE, "profile %d: the plan has profiles 0..%d", o->profile,
                      last);
  }
  const int wanted = o->threads ? o->threads : tare_cores();
  const int threads = wanted > TAREI_TEAM_MOST_THREADS ? TAREI_TEAM_MOST_THREADS : wanted;
  TAREI_TRY(tarei_plan_check_limits(plan, threads, err));
  tare_context *c = tarei_calloc(1, sizeof *c);
  if (!c) {
    return tarei_fail_memory(err, "context", sizeof *c);
  }
  c->plan = plan;
  c->pinned = o->profile;
  c->profile = -1;
  c->seed = o->seed;
  tare_status status = TARE_OK;
  if (!context_make(c, plan, threads, o->kept_bytes)) {
    status = tarei_fail_memory(err, "context: activations at the profiles' maximum",
                               tarei_plus(plan->arena_bytes, c->scratch_bytes));
  }
  if (status == TARE_OK) {
    status = tarei_team_new(threads, &c->team, err);
  }
  if (status != TARE_OK) {
    tare_context_free(&c);
    return status;
  }
  c->weights_stay = tarei_blobs_bytes(&plan->blobs) <= (size_t)threads * tarei_core_cache_bytes();
  *out = c;
  return TARE_OK;
}

void tare_context_free(tare_context **const context) {
  tare_context *const c = *context;
  if (c) {
    tarei_team_free(c->team);
    tarei_frame_fini(&c->root);
    tarei_kept_fini(&c->kept);
    free(c->arena);
    free(c->scratch);
    free(c->symbols);
    free(c->new_symbols);
    free(c->valid);
    free(c->sizes);
    free(c->seconds);
    free(c->numbers);
    free(c->needed);
    free(c);
    *context = NULL;
  }
}

/* Dims for new symbol values. The profile holds them, so that every size is within what was
 * planned; a length in between may still give a node nothing to do. */
static tare_status context_take_shape(tare_context *const c, const int64_t *const symbols,
                                      tare_error *const err) {
  c->profile = -1;
  TAREI_TRY(tarei_sizes_fill(c->plan, symbols, c->sizes, c->root.tensors, err));
  memcpy(c->symbols, symbols, (size_t)c->plan->n_symbols * sizeof *symbols);
  return TARE_OK;
}

static tare_status check_inputs(const tare_context *const c, const tare_tensor *const inputs,
                                tare_error *const err) {
  for (int i = 0; i < c->plan->root.graph->n_inputs; i++) {
    if (inputs[i].dtype != c->plan->inputs[i].dtype) {
      return tarei_fail(err, TARE_E_USAGE, "input '%s': expected %s, got %s",
                        c->plan->inputs[i].name, tare_dtype_name(c->plan->inputs[i].dtype),
                        tare_dtype_name(inputs[i].dtype));
    }
  }
  return TARE_OK;
}

static tare_status context_choose_profile(const tare_context *const c, const int64_t *const values,
                                          int *const profile, tare_error *const err) {
  const tare_profiles *const profiles = c->plan->profiles;
  *profile = tare_profiles_find(profiles, values);
  if (c->pinned < 0) {
    return *profile >= 0 ? TARE_OK : tarei_profiles_explain_inputs(profiles, values, err);
  }
  *profile = c->pinned;
  for (int s = 0; s < tare_profiles_n_symbols(profiles); s++) {
    const tare_range r = tare_profiles_range(profiles, c->pinned, s);
    if (values[s] < r.min || values[s] > r.max) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "input '%s': %s=%lld is outside profile %d: expected %lld..%lld",
                        tarei_profiles_input_of(profiles, s), tare_profiles_symbol(profiles, s),
                        (long long)values[s], c->pinned, (long long)r.min, (long long)r.max);
    }
  }
  return TARE_OK;
}

/* The values of inputs, and of views of inputs, lie in the caller's memory. */
static void point_at_inputs(tare_context *const c, const tare_tensor *const inputs) {
  const tarei_graph *const g = c->plan->root.graph;
  for (int i = 0; i < g->n_inputs; i++) {
    c->root.tensors[g->inputs[i]].data = inputs[i].data;
  }
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value_slot *const slot = &c->plan->root.slots[v];
    if (slot->storage == TAREI_STORE_INPUT && slot->root != v) {
      c->root.tensors[v].data = c->root.tensors[slot->root].data;
    }
  }
}

/* A dim that this run has not measured makes no size, whatever an earlier run measured. */
static void forget_measured(tare_context *const c) {
  for (int s = 0; s < c->plan->n_symbols; s++) {
    if (c->plan->symbols[s] < 0) {
      c->symbols[s] = -1;
    }
  }
}

static bool is_new_shape(tare_context *const c, const int64_t *const values) {
  tarei_plan_symbols(c->plan, values, c->new_symbols);
  for (int s = 0; s < c->plan->n_symbols; s++) {
    if (c->plan->symbols[s] >= 0 && c->new_symbols[s] != c->symbols[s]) {
      return true;
    }
  }
  return c->profile < 0;
}

tare_status tarei_context_run_valid(tare_context *const c, const tare_tensor *const inputs,
                                    const int64_t *const valid_symbols, const int bucket,
                                    tare_tensor *const outputs, tare_error *const err) {
  const tarei_graph *const g = c->plan->root.graph;
  int64_t values[TARE_MAX_SYMBOLS] = {0};
  int profile;
  TAREI_TRY(check_inputs(c, inputs, err));
  TAREI_TRY(tare_profiles_bind(c->plan->profiles, inputs, values, err));
  TAREI_TRY(context_choose_profile(c, values, &profile, err));
  tarei_plan_symbols(c->plan, valid_symbols ? valid_symbols : values, c->valid);
  if (is_new_shape(c, values)) {
    TAREI_TRY(context_take_shape(c, c->new_symbols, err));
  }
  forget_measured(c);
  c->profile = profile;
  c->bucket = bucket < 0 ? profile : bucket;
  point_at_inputs(c, inputs);
  c->turns = 0;
  tarei_noise_begin(c, inputs);
  tarei_deadline_start(&c->deadline);
  tarei_team_wake(c->team);
  tarei_kept_begin(c);
  const tare_status status = tarei_frame_run(&c->root, err);
  tarei_kept_end(c, status == TARE_OK);
  TAREI_TRY(status);
  for (int i = 0; outputs && i < g->n_outputs; i++) {
    outputs[i] = c->root.tensors[g->outputs[i]];
  }
  return TARE_OK;
}

tare_status tare_context_run(tare_context *const context, const tare_tensor *const inputs,
                             tare_tensor *const outputs, tare_error *const err) {
  return tarei_context_run_valid(context, inputs, NULL, -1, outputs, err);
}

tare_status tarei_context_output_valid(const tare_context *const c, const int output,
                                       const int64_t *const valid_symbols, int64_t *const extents,
                                       tare_error *const err) {
  const tarei_graph *const g = c->plan->root.graph;
  const int v = g->outputs[output];
  tarei_plan_symbols(c->plan, valid_symbols, c->new_symbols);
  for (int d = 0; d < c->root.tensors[v].rank; d++) {
    int64_t extent;
    if (c->plan->root.slots[v].storage == TAREI_STORE_POOL) {
      extent = c->root.tensors[v].dims[d]; /* of measured dims all is valid */
    } else if (!tarei_expr_eval(g->exprs, g->values[v].dims[d], c->new_symbols, &extent)) {
      return tarei_fail(err, TARE_E_SHAPE, "output '%s': axis %d exceeds 64 bits",
                        g->values[v].name, d);
    }
    const int64_t dim = c->root.tensors[v].dims[d];
    extents[d] = extent < 0 ? 0 : extent < dim ? extent : dim;
  }
  return TARE_OK;
}

tarei_team *tarei_context_team(const tare_context *const context) {
  return context->team;
}

int tare_context_profile(const tare_context *const context) {
  return context->profile;
}

void tare_context_set_timer(tare_context *const context, tare_layer_timer *const timer,
                            void *const user) {
  context->timer = timer;
  context->timer_user = user;
}

void tare_context_set_profiling(tare_context *const context, const bool on) {
  context->profiling = on;
  memset(context->seconds, 0, (size_t)context->plan->n_layers * sizeof *context->seconds);
}

double tare_context_layer_seconds(const tare_context *const context, const int layer) {
  if (!tarei_has_number(layer, context->plan->n_layers)) {
    return 0;
  }
  return context->seconds[layer];
}

void tarei_context_set_observer(tare_context *const context, const tarei_observer_fn observe,
                                void *const user) {
  context->observe = observe;
  context->observe_user = user;
}

void tarei_context_set_reading(tare_context *const context, const tarei_reading_fn read,
                               void *const user) {
  context->read = read;
  context->read_user = user;
}

void tarei_context_set_watcher(tare_context *const context, const tarei_watcher_fn watch,
                               void *const user) {
  context->watch = watch;
  context->watch_user = user;
}

void tarei_context_set_sample(tare_context *const context, const tarei_sample_hash *const sample,
                              const int64_t run) {
  context->has_sample = sample != NULL;
  if (sample) {
    context->sample = *sample;
    context->sample_run = run;
  }
}

void tare_context_set_seed(tare_context *const context, const uint64_t seed) {
  context->seed = seed;
}
