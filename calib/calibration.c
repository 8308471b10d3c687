#include "calib/calibration.h"

#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "calib/aliases.h"
#include "engine/context.h"
#include "graph/model.h"
#include "shapes/profiles.h"

static tare_status make_plan(tarei_calibration *const r) {
  tare_build_options build;
  tare_build_options_init(&build);
  build.observable = r->options->all_tensors;
  build.fold_norms = r->options->fold_norms;
  build.isa = r->options->isa;
  return tarei_plan_build_observed(r->model, r->profiles, &build, &r->plan, r->err);
}

tare_status tarei_calibration_copy_text(const tarei_calibration *const r, const char *const text,
                                        char **const slot) {
  *slot = tarei_strdup(text);
  return *slot ? TARE_OK : tarei_fail_memory(r->err, "a name", strlen(text) + 1);
}

static tare_status name_profiles(tarei_calibration *const r) {
  for (int p = 0; p < r->stats->n_profiles; p++) {
    tarei_str spec = {0};
    tarei_profiles_print(r->profiles, p, &spec);
    const tare_status status =
        spec.failed
            ? tarei_fail_memory(r->err, "a profile", spec.length)
            : tarei_calibration_copy_text(r, tarei_str_get(&spec), &r->stats->profiles[p].spec);
    tarei_str_free(&spec);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status name_aliases(tarei_calibration *const r, const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  int n = 0;
  for (int v = 0; v < graph->n_values; v++) {
    if (source[v] >= 0 && source[v] != v) {
      tarei_stats_alias *const alias = &r->stats->aliases[n++];
      TAREI_TRY(tarei_calibration_copy_text(r, graph->values[v].name, &alias->name));
      TAREI_TRY(tarei_calibration_copy_text(r, graph->values[source[v]].name, &alias->source));
    }
  }
  return TARE_OK;
}

static tare_status name_all(tarei_calibration *const r, const int *const source) {
  const tarei_graph *const graph = r->model->graph;
  tare_stats *const stats = r->stats;
  const char *const slash = strrchr(graph->name, '/');
  stats->model_hash = graph->model_hash;
  stats->fit = r->options->fit;
  stats->counts_padding = r->options->count_padding;
  stats->all_tensors = r->options->all_tensors;
  stats->has_ledger = true;
  stats->has_origins = true;
  TAREI_TRY(tarei_calibration_copy_text(r, slash ? slash + 1 : graph->name, &stats->model_name));
  TAREI_TRY(name_profiles(r));
  for (int i = 0; i < stats->n_inputs; i++) {
    TAREI_TRY(tarei_calibration_copy_text(r, r->model->inputs[i].name, &stats->inputs[i]));
  }
  for (int i = 0; i < stats->n_tensors; i++) {
    TAREI_TRY(tarei_calibration_copy_text(r, tarei_plan_observable_name(r->plan, i),
                                          &stats->tensors[i].name));
    stats->tensors[i].is_read = tarei_plan_observable_is_read(r->plan, i);
  }
  return name_aliases(r, source);
}

/* Marks the observed values of the model; other values that only move one of them get its mark.
 * `observed` has their names. */
static int find_sources(const tarei_calibration *const r, const tarei_names *const observed,
                        int *const source) {
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

static tare_status name_observed(const tarei_calibration *const r, tarei_names *const out) {
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

static tare_status make_stats(tarei_calibration *const r) {
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
    status = name_all(r, source);
  }
  free(source);
  return status;
}

/* What is decided needs sums. */
static tare_status make_sums(tarei_calibration *const r) {
  const tare_calibrate_options *const o = r->options;
  const bool needs_rows = !o->round_to_nearest || o->bias_correction;
  TAREI_TRY(needs_rows ? tarei_plan_find_readers(r->plan, r->err) : TARE_OK);
  TAREI_TRY(tarei_sums_new(r->stats->n_profiles, &r->sums, r->err));
  TAREI_TRY(tarei_grams_init(&r->sums->grams, r->plan, o->bias_correction, r->err));
  return o->smoothing != TARE_SMOOTHING_OFF
             ? tarei_channels_find(&r->sums->channels, r->plan, r->err)
             : TARE_OK;
}

bool tarei_calibration_has_sums(const tarei_calibration *const r) {
  return r->sums->grams.n || r->sums->channels.n;
}

/* Begins where other statistics end. */
tare_status tarei_calibration_take(tarei_calibration *const r, const tare_stats *const from) {
  if (tarei_calibration_has_sums(r) != (from->sums != NULL)) {
    return tarei_fail(r->err, TARE_E_INPUT, "%s sums by which weights are decided",
                      from->sums ? "has" : "has no");
  }
  TAREI_TRY(tarei_stats_add(r->stats, from, r->err));
  TAREI_TRY(tarei_ledger_join(&r->stats->ledger, &from->ledger, r->err));
  return from->sums ? tarei_sums_add(r->sums, from->sums, r->err) : TARE_OK;
}

tare_status tarei_calibration_make(tarei_calibration *const r) {
  TAREI_TRY(make_plan(r));
  TAREI_TRY(make_stats(r));
  return make_sums(r);
}

/* Keeps the sums where nothing is decided yet. */
tare_status tarei_calibration_finish(tarei_calibration *const r, const tarei_work *const work) {
  if (!r->options->undecided) {
    TAREI_TRY(tarei_decide(r->plan, r->sums, work, r->options, r->stats, r->err));
  } else if (tarei_calibration_has_sums(r)) {
    r->stats->sums = r->sums;
    r->sums = NULL;
  }
  tarei_stats_sort(r->stats);
  return TARE_OK;
}

tare_status tarei_calibration_end(tarei_calibration *const r, const tare_status status,
                                  tare_stats **const out) {
  tare_plan_free(&r->plan);
  tarei_sums_free(&r->sums);
  if (status != TARE_OK) {
    tare_stats_free(&r->stats);
  }
  *out = r->stats;
  return status;
}
