/* The document of `tare compare`, which --json prints and reports show (docs/json.md). */
#include <stdlib.h>

#include "tools/compare/compare_budget.h"
#include "tools/compare/compare_lengths.h"
#include "tools/compare/options/compare_precisions.h"
#include "tools/compare/provenance.h"
#include "tools/compare/requirement.h"
#include "tools/compare/verdict.h"
#include "tools/options/lengths.h"
#include "tools/score.h"

static void result_json(cJSON *const object, const tare_eval_result *const result,
                        const grid_context *const c, const bool compared) {
  score_json(object, &result->total, c->metric, compared);
  if (compared) {
    score_worst_json(object, result, &result->total);
  }
  json_real(object, "run_seconds", result->seconds);
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int p = 0; p < result->n_profiles; p++) {
    cJSON *const item = json_add(list, NULL, json_object());
    char *const text = profile_text(c->profiles, p);
    json_text(item, "profile", text);
    free(text);
    score_json(item, &result->profiles[p], c->metric, compared);
  }
  levels_json(object, result, c->metric, compared);
}

static void strategy_plan_json(cJSON *const object, const grid_strategy *const s) {
  json_real(object, "int8_share", s->int8_share);
  json_int(object, "weight_bytes", s->weight_bytes);
  json_int(object, "context_bytes", s->context_bytes);
}

static void drift_json(cJSON *const object, const range_drift *const drift) {
  cJSON *const item = json_add(object, "range_drift", json_object());
  json_int(item, "tensors", drift->tensors);
  json_int(item, "grown", drift->grown);
  json_int(item, "shrunk", drift->shrunk);
  json_real(item, "median", drift->median);
}

static void compare_passes_json(cJSON *const object, const grid *const g) {
  cJSON *const list = json_add(object, "calibrations", json_array());
  for (int i = 0; i < g->n_passes; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "fit", tare_fit_name(g->passes[i].fit));
    json_bool(item, "padding_counted", g->passes[i].count_padding);
    json_int(item, "samples", g->passes[i].samples);
    fitted_json(item, &g->passes[i].fitted);
    json_real(item, "seconds", g->passes[i].seconds);
    json_int(item, "peak_bytes", g->passes[i].peak);
    drift_json(item, &g->passes[i].drift);
  }
}

static int rank_of(const grid *const g, const int strategy) {
  for (int i = 0; i < g->n_ranked; i++) {
    if (g->order[i] == strategy) {
      return i;
    }
  }
  return -1;
}

static void strategy_json(cJSON *const list, const grid *const g, const int i,
                          const grid_context *const c) {
  const grid_strategy *const s = &g->items[i];
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "fit", s->fit);
  json_text(item, "method", s->method);
  if (s->percentile > 0) {
    json_real(item, "percentile", s->percentile);
  }
  if (!s->own) {
    json_text(item, "precision", compare_precisions().name(s->precision));
  }
  if (s->n_raised > 0) {
    json_int(item, "raised", s->n_raised);
    json_real(item, "raised_share", s->raised_share);
  }
  json_bool(item, "padding_counted", grid_counts_padding(g, s));
  json_bool(item, "own", s->own != NULL);
  json_int(item, "calibration", s->pass);
  if (s->error.status != TARE_OK) {
    json_text(item, "error", s->error.message);
    return;
  }
  const int rank = rank_of(g, i);
  json_int(item, "rank", rank + 1);
  json_bool(item, "best", rank == 0 && g->n_equal == 1 && g->n_ranked > 1);
  json_bool(item, "equal_within_noise", s->equal);
  if (c->metric >= 0) {
    json_bool(item, "distinguishable_from_best", s->to_best.distinct);
    difference_json(item, "to_fp32", &s->to_fp32);
    difference_json(item, "to_best", &s->to_best);
  }
  interval_json(item, "sqnr_interval", &s->sqnr);
  difference_json(item, "sqnr_to_first", &s->sqnr_to_first);
  result_json(item, &s->result, c, true /* compared */);
  length_figures_json(item, s->lengths, g->lengths.n, c->metric, true);
  strategy_plan_json(item, s);
}

/* How the values of the metric are shown. */
static void metric_json(cJSON *const object, const int metric) {
  if (metric < 0) {
    return;
  }
  const tare_metric_unit unit = tare_metric_get_unit(metric);
  cJSON *const item = json_add(object, "metric", json_object());
  json_text(item, "name", tare_metric_name(metric));
  json_bool(item, "lower_is_better", tare_metric_lower_is_better(metric));
  json_real(item, "factor", unit.factor);
  json_text(item, "unit", unit.symbol);
  json_text(item, "difference_unit", unit.difference);
}

static void profiles_json(cJSON *const object, const tare_profiles *const profiles) {
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    json_text(list, NULL, text);
    free(text);
  }
}

cJSON *grid_document(const grid *const g, const grid_context *const c) {
  cJSON *const object = json_begin("compare");
  json_text(object, "model", c->model);
  provenance_json(object, c->provenance);
  profiles_json(object, c->profiles);
  metric_json(object, c->metric);
  json_text(object, "peak_of", c->peaks_by_row ? "row" : "process");
  compare_passes_json(object, g);
  lengths_json(object, g);
  cJSON *const fp32 = json_add(object, "fp32", json_object());
  result_json(fp32, &g->fp32, c, false /* compared */);
  length_figures_json(fp32, g->fp32_lengths, g->lengths.n, c->metric, false);
  cJSON *const list = json_add(object, "strategies", json_array());
  for (int i = 0; i < g->n; i++) {
    strategy_json(list, g, i, c);
  }
  cJSON *const written = json_add(object, "written", json_array());
  for (int i = 0; i < c->written->n && grid_first(g) >= 0; i++) {
    json_text(written, NULL, c->written->items[i]);
  }
  compare_budget_json(object, c->budget, g);
  verdict_json(object, c->verdict, g);
  worst_json(object, c->worst, c->metric);
  requirements_json(object, c->requirements, c->n_requirements, g, c->metric);
  return object;
}
