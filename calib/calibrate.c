/* One pass of the float model over the data, everything observed into its bucket. */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "calib/aliases.h"
#include "calib/stats.h"
#include "engine/context.h"
#include "graph/model.h"
#include "shapes/fit.h"
#include "shapes/profiles.h"

typedef struct run {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_calibrate_options *options;
  tare_plan *plan;
  tare_context *context;
  tarei_kernels kernels;
  tarei_crew crew;
  tarei_fitted fitted;
  tare_stats *stats; /* tensors in the order of the plan's observable ones until the end */
  tare_error *err;
} run;

void tare_calibrate_options_init(tare_calibrate_options *const options) {
  *options = (tare_calibrate_options){0};
}

static tare_status observe(void *const user, const tarei_observation *const o,
                           tare_error *const err) {
  run *const r = user;
  assert(o->tensor < r->stats->n_tensors && o->profile < r->stats->n_profiles);
  const int64_t *const extents = r->options->count_padding ? o->data->dims : o->valid;
  return tarei_crew_observe(&r->crew, o->data, extents,
                            &r->stats->tensors[o->tensor].buckets[o->profile], err);
}

static tare_status make_engine(run *const r) {
  const tare_calibrate_options *const o = r->options;
  tare_build_options build;
  tare_build_options_init(&build);
  build.observable = o->all_tensors;
  build.isa = o->isa;
  TARE_TRY(tare_plan_build(r->model, r->profiles, &build, &r->plan, r->err));
  tare_context_options context;
  tare_context_options_init(&context);
  context.threads = o->threads;
  TARE_TRY(tare_context_new(r->plan, &context, &r->context, r->err));
  tarei_context_set_observer(r->context, observe, r);
  return TARE_OK;
}

static tare_status make_crew(run *const r) {
  unsigned isa = TAREI_ISA_ALL;
  const char *const name = r->options->isa;
  const bool known = !name || tarei_isa_parse(name, &isa);
  assert(known); /* the plan was built with it */
  (void)known;
  tarei_kernels_select(isa, &r->kernels);
  return tarei_crew_init(&r->crew, &r->kernels, tarei_context_team(r->context), r->err);
}

static tare_status copy_text(const run *const r, const char *const text, char **const slot) {
  *slot = tarei_strdup(text);
  return *slot ? TARE_OK : tarei_fail_memory(r->err, "a name", strlen(text) + 1);
}

static tare_status name_profiles(run *const r) {
  for (int p = 0; p < r->stats->n_profiles; p++) {
    tarei_str spec = {0};
    tarei_profiles_print(r->profiles, p, &spec);
    const tare_status status =
        spec.failed ? tarei_fail_memory(r->err, "a profile", spec.length)
                    : copy_text(r, tarei_str_get(&spec), &r->stats->profiles[p].spec);
    tarei_str_free(&spec);
    TARE_TRY(status);
  }
  return TARE_OK;
}

static tare_status name_aliases(run *const r, const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  int n = 0;
  for (int v = 0; v < graph->n_values; v++) {
    if (source[v] >= 0 && source[v] != v) {
      tarei_stats_alias *const alias = &r->stats->aliases[n++];
      TARE_TRY(copy_text(r, graph->values[v].name, &alias->name));
      TARE_TRY(copy_text(r, graph->values[source[v]].name, &alias->source));
    }
  }
  return TARE_OK;
}

static tare_status name_all(run *const r, const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  tare_stats *const stats = r->stats;
  const char *const slash = strrchr(graph->name, '/');
  stats->model_hash = graph->model_hash;
  stats->fit = r->options->fit;
  stats->counts_padding = r->options->count_padding;
  TARE_TRY(copy_text(r, slash ? slash + 1 : graph->name, &stats->model_name));
  TARE_TRY(name_profiles(r));
  for (int i = 0; i < stats->n_inputs; i++) {
    TARE_TRY(copy_text(r, r->model->inputs[i].name, &stats->inputs[i]));
  }
  for (int i = 0; i < stats->n_tensors; i++) {
    TARE_TRY(copy_text(r, tarei_plan_observable_name(r->plan, i), &stats->tensors[i].name));
  }
  return name_aliases(r, source);
}

/* Marks the observed values of the model; other values that only move one of them get its mark. */
static int find_sources(const run *const r, int *const source) {
  const tarei_graph *const graph = r->model->graph;
  for (int v = 0; v < graph->n_values; v++) {
    source[v] = -1;
  }
  for (int i = 0; i < tarei_plan_n_observable(r->plan); i++) {
    const int v = tarei_graph_find_value(graph, tarei_plan_observable_name(r->plan, i));
    if (v >= 0) {
      source[v] = v;
    }
  }
  tarei_find_aliases(graph, source);
  int n_aliases = 0;
  for (int v = 0; v < graph->n_values; v++) {
    n_aliases += source[v] >= 0 && source[v] != v;
  }
  return n_aliases;
}

static tare_status make_stats(run *const r) {
  int *const source = tarei_calloc((size_t)r->model->graph->n_values, sizeof *source);
  if (!source) {
    return tarei_fail_memory(r->err, "aliases", (size_t)r->model->graph->n_values);
  }
  const int n_aliases = find_sources(r, source);
  tare_status status =
      tarei_stats_new(tare_profiles_count(r->profiles), r->model->graph->n_inputs,
                      tarei_plan_n_observable(r->plan), n_aliases, &r->stats, r->err);
  if (status == TARE_OK) {
    status = name_all(r, source);
  }
  free(source);
  return status;
}

static tare_status take_sample(run *const r, const tarei_fit_options *const fit,
                               const tare_sample *const sample) {
  TARE_TRY(tarei_fit_sample(r->profiles, r->model->inputs, r->model->graph->n_inputs, fit,
                            sample->name, sample->tensors, &r->fitted, r->err));
  const tare_status status = tarei_context_run_valid(r->context, r->fitted.tensors, r->fitted.valid,
                                                     r->fitted.profile, NULL, r->err);
  if (status != TARE_OK) {
    return tarei_fail_in(r->err, status, "%s", sample->name);
  }
  r->stats->profiles[r->fitted.profile].n_samples++;
  return TARE_OK;
}

static tare_status take_all(run *const r, tare_dataset *const dataset) {
  const tare_calibrate_options *const o = r->options;
  const tarei_fit_options fit = {.fit = o->fit,
                                 .outside = o->outside,
                                 .pad_values = o->pad_values,
                                 .n_pad_values = o->n_pad_values};
  TARE_TRY(tarei_fit_check(&fit, r->model->inputs, r->model->graph->n_inputs, r->err));
  const int64_t total = tare_dataset_count(dataset);
  const tare_sample *sample = NULL;
  int64_t done = 0;
  for (;;) {
    TARE_TRY(tare_dataset_next(dataset, &sample, r->err));
    if (!sample) {
      break;
    }
    TARE_TRY(take_sample(r, &fit, sample));
    done++;
    if (o->progress && !o->progress(o->progress_user, done, total)) {
      return tarei_fail(r->err, TARE_E_CHECK, "stopped after %lld of %lld samples", (long long)done,
                        (long long)total);
    }
  }
  return done ? TARE_OK
              : tarei_fail(r->err, TARE_E_INPUT, "no sample of the data could be used (%s)",
                           tare_dataset_describe(dataset));
}

static tare_status calibrate(run *const r, tare_dataset *const dataset) {
  TARE_TRY(make_engine(r));
  TARE_TRY(make_crew(r));
  TARE_TRY(make_stats(r));
  TARE_TRY(take_all(r, dataset));
  tarei_stats_sort(r->stats);
  return TARE_OK;
}

tare_status tare_calibrate(const tare_model *const model, tare_dataset *const dataset,
                           const tare_profiles *const profiles,
                           const tare_calibrate_options *const options, tare_stats **const out,
                           tare_error *const err) {
  *out = NULL;
  tare_calibrate_options defaults;
  tare_calibrate_options_init(&defaults);
  run r = {
      .model = model, .profiles = profiles, .options = options ? options : &defaults, .err = err};
  const tare_status status = calibrate(&r, dataset);
  tarei_fitted_fini(&r.fitted);
  tarei_crew_fini(&r.crew);
  tare_context_free(&r.context);
  tare_plan_free(&r.plan);
  if (status != TARE_OK) {
    tare_stats_free(&r.stats);
  }
  *out = r.stats;
  return status;
}
