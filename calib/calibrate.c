/* One pass of the float model over the data, everything observed into its bucket. */
#include <assert.h>
#include <string.h>
#include <tare/tare.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/refusals.h"
#include "calib/aliases.h"
#include "calib/gather.h"
#include "calib/methods/clipping.h"
#include "calib/methods/input_means.h"
#include "calib/methods/smoothing.h"
#include "calib/methods/rounding.h"
#include "engine/context.h"
#include "graph/model.h"
#include "shapes/profiles.h"

typedef struct run {
  const tare_model *model;
  const tare_profiles *profiles;
  const tare_calibrate_options *options;
  tare_plan *plan;
  tare_stats *stats; /* tensors in the order of the plan's observable ones until the end */
  tare_error *err;
} run;

void tare_calibrate_options_init(tare_calibrate_options *const options) {
  *options = (tare_calibrate_options){0};
}

static tare_status make_plan(run *const r) {
  tare_build_options build;
  tare_build_options_init(&build);
  build.observable = r->options->all_tensors;
  build.isa = r->options->isa;
  return tare_plan_build(r->model, r->profiles, &build, &r->plan, r->err);
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
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status name_aliases(run *const r, const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  int n = 0;
  for (int v = 0; v < graph->n_values; v++) {
    if (source[v] >= 0 && source[v] != v) {
      tarei_stats_alias *const alias = &r->stats->aliases[n++];
      TAREI_TRY(copy_text(r, graph->values[v].name, &alias->name));
      TAREI_TRY(copy_text(r, graph->values[source[v]].name, &alias->source));
    }
  }
  return TARE_OK;
}

static tare_status name_all(run *const r, const tare_dataset *const dataset,
                            const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  tare_stats *const stats = r->stats;
  const char *const slash = strrchr(graph->name, '/');
  stats->model_hash = graph->model_hash;
  stats->fit = r->options->fit;
  stats->counts_padding = r->options->count_padding;
  stats->all_tensors = r->options->all_tensors;
  const char *const gain_range = tare_dataset_gain_range(dataset);
  TAREI_TRY(copy_text(r, slash ? slash + 1 : graph->name, &stats->model_name));
  TAREI_TRY(*gain_range ? copy_text(r, gain_range, &stats->gain_range) : TARE_OK);
  TAREI_TRY(name_profiles(r));
  for (int i = 0; i < stats->n_inputs; i++) {
    TAREI_TRY(copy_text(r, r->model->inputs[i].name, &stats->inputs[i]));
  }
  for (int i = 0; i < stats->n_tensors; i++) {
    TAREI_TRY(copy_text(r, tarei_plan_observable_name(r->plan, i), &stats->tensors[i].name));
  }
  return name_aliases(r, source);
}

/* Marks the observed values of the model; other values that only move one of them get its mark.
 * `observed` has their names. */
static int find_sources(const run *const r, const tarei_names *const observed, int *const source) {
  const tarei_graph *const graph = r->model->graph;
  for (int v = 0; v < graph->n_values; v++) {
    source[v] = tarei_names_find(observed, graph->values[v].name) >= 0 ? v : -1;
  }
  tarei_find_aliases(graph, source);
  int n_aliases = 0;
  for (int v = 0; v < graph->n_values; v++) {
    n_aliases += source[v] >= 0 && source[v] != v;
  }
  return n_aliases;
}

static tare_status name_observed(const run *const r, tarei_names *const out) {
  const int n = tarei_plan_n_observable(r->plan);
  if (!tarei_names_init(out, (size_t)n)) {
    return tarei_fail_memory(r->err, "names", (size_t)n * sizeof *out->slots);
  }
  for (int i = 0; i < n; i++) {
    const char *const name = tarei_plan_observable_name(r->plan, i);
    if (tarei_names_find(out, name) < 0) {
      tarei_names_add(out, name, i);
    }
  }
  return TARE_OK;
}

static tare_status make_stats(run *const r, const tare_dataset *const dataset) {
  int *const source = tarei_calloc((size_t)r->model->graph->n_values, sizeof *source);
  if (!source) {
    return tarei_fail_memory(r->err, "aliases", (size_t)r->model->graph->n_values);
  }
  tarei_names observed = {0};
  tare_status status = name_observed(r, &observed);
  const int n_aliases = status == TARE_OK ? find_sources(r, &observed, source) : 0;
  tarei_names_fini(&observed);
  if (status == TARE_OK) {
    status = tarei_stats_new(tare_profiles_count(r->profiles), r->model->graph->n_inputs,
                             tarei_plan_n_observable(r->plan), n_aliases, &r->stats, r->err);
  }
  if (status == TARE_OK) {
    status = name_all(r, dataset, source);
  }
  free(source);
  return status;
}

tare_status tare_calibrate_check(const tare_model *const model, tare_error *const err) {
  const int stated = tare_model_get_info(model).n_stated;
  return stated == 0
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_USAGE,
                   "%s is a quantized model (Q/DQ) with scales for %d activations: build it "
                   "without a table (tare build MODEL -o PLAN), or calibrate the float model",
                   model->graph->name, stated);
}

/* Weights are clipped as smoothing left them, and rounded to the scales that this left them. */
static tare_status gather_and_decide(run *const r, tare_dataset *const dataset,
                                     tarei_grams *const grams, tarei_channels *const channels) {
  unsigned isa = TAREI_ISA_ALL;
  const bool known = !r->options->isa || tarei_isa_parse(r->options->isa, &isa);
  assert(known); /* the plan was built with it */
  (void)known;
  tarei_kernels kernels;
  tarei_kernels_select(isa, &kernels);
  const int wanted = r->options->threads > 0 ? r->options->threads : tare_cores();
  const int threads = wanted < TAREI_TEAM_MOST_THREADS ? wanted : TAREI_TEAM_MOST_THREADS;
  const tarei_gather_job job = {.model = r->model,
                                .profiles = r->profiles,
                                .options = r->options,
                                .plan = r->plan,
                                .kernels = &kernels,
                                .threads = threads,
                                .dataset = dataset,
                                .grams = grams,
                                .channels = channels};
  TAREI_TRY(tarei_gather(&job, r->stats, r->err));
  TAREI_TRY(tarei_smooth_tensors(r->plan, channels, r->options->smoothing, r->stats, r->err));
  TAREI_TRY(tarei_clip_weights(r->plan, grams, r->options->clipping, threads, r->stats, r->err));
  TAREI_TRY(r->options->bias_correction ? tarei_take_input_means(r->plan, grams, r->stats, r->err)
                                        : TARE_OK);
  return grams->n && !r->options->round_to_nearest
             ? tarei_round_weights(r->plan, grams, &kernels, threads, r->options, r->stats, r->err)
             : TARE_OK;
}

static tare_status calib_calibrate(run *const r, tare_dataset *const dataset) {
  TAREI_TRY(tare_calibrate_check(r->model, r->err));
  TAREI_TRY(make_plan(r));
  TAREI_TRY(make_stats(r, dataset));
  const bool needs_rows = !r->options->round_to_nearest || r->options->bias_correction;
  TAREI_TRY(needs_rows ? tarei_plan_find_readers(r->plan, r->err) : TARE_OK);
  tarei_grams grams;
  tarei_channels channels;
  tare_status status;
  tarei_channels_init(&channels, tare_profiles_count(r->profiles));
  TAREI_TRY_GOTO(tarei_grams_init(&grams, r->plan, r->options->bias_correction, r->err), done);
  if (r->options->smoothing != TARE_SMOOTHING_OFF) {
    TAREI_TRY_GOTO(tarei_channels_find(&channels, r->plan, r->err), done);
  }
  TAREI_TRY_GOTO(gather_and_decide(r, dataset, &grams, &channels), done);
  tarei_stats_sort(r->stats);
  status = TARE_OK;
done:
  tarei_grams_fini(&grams);
  tarei_channels_fini(&channels);
  return status;
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
  const unsigned refusals = tarei_refusals();
  const tare_status status =
      tarei_settle(refusals, calib_calibrate(&r, dataset), model->graph->name, err);
  tare_plan_free(&r.plan);
  if (status != TARE_OK) {
    tare_stats_free(&r.stats);
  }
  *out = r.stats;
  return status;
}
