/* How `tare compare` tells what came out. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/compare_grid.h"
#include "tools/lengths.h"
#include "tools/report.h"
#include "tools/score.h"

static const char *padding_text(const grid_pass *const pass) {
  return pass->fit != TARE_FIT_PAD && pass->fit != TARE_FIT_OPT ? "-"
         : pass->count_padding                                  ? "counted"
                                                                : "left out";
}

static void cell_bytes(report *const r, const int64_t bytes) {
  char *const text = report_bytes(bytes);
  report_cell(r, "%s", text);
  free(text);
}

static void print_passes(const grid *const g) {
  report *const r = report_new("calibration<,padding<,samples>,s>,peak>");
  for (int i = 0; i < g->n_passes; i++) {
    const grid_pass *const p = &g->passes[i];
    report_cell(r, "%s", tare_fit_name(p->fit));
    report_cell(r, "%s", padding_text(p));
    report_cell(r, "%" PRId64, p->samples);
    report_number(r, 1, p->seconds);
    cell_bytes(r, p->peak);
  }
  report_print(r, stdout);
}

static void add_score(report *const r, const tare_eval_score *const s) {
  report_number(r, 3, 100 * s->metric);
  report_number(r, 2, s->sqnr_db);
  report_number(r, 3, 100 * s->top1_agreement);
}

static void add_names(report *const r, const grid *const g, const int i, const bool best) {
  report_cell(r, "%s", best ? "*" : "");
  report_cell(r, "%s", g->items[i].fit);
  report_cell(r, "%s", padding_text(&g->passes[g->items[i].pass]));
  report_cell(r, "%s", g->items[i].method);
}

static void print_totals(const grid *const g, const tare_eval_result *const reference,
                         const char *const metric) {
  char *const columns =
      cli_format(" <,fit<,padding<,method<,%s %%>,SQNR dB>,top-1 %%>,run s>,peak>",
                 metric ? metric : "metric");
  report *const r = report_new(columns);
  free(columns);
  report_cell(r, "%s", "");
  report_cell(r, "fp32");
  report_cell(r, "-");
  report_cell(r, "-");
  add_score(r, &reference->total);
  report_number(r, 2, reference->seconds);
  cell_bytes(r, reference->peak_bytes);
  const int best = grid_best(g, metric);
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].error.status == TARE_OK) {
      add_names(r, g, i, i == best);
      add_score(r, &g->items[i].result.total);
      report_number(r, 2, g->items[i].result.seconds);
      cell_bytes(r, g->items[i].peak);
    }
  }
  report_print(r, stdout);
}

static void print_by_profile(const grid *const g, const tare_eval_result *const reference,
                             const tare_profiles *const profiles, const char *const metric) {
  for (int p = 0; p < reference->n_profiles && reference->n_profiles > 1; p++) {
    char *const text = profile_text(profiles, p);
    printf("\nprofile %d: %s, %" PRId64 " samples\n", p, text, reference->profiles[p].samples);
    free(text);
    char *const columns =
        cli_format("fit<,padding<,method<,%s %%>,SQNR dB>,top-1 %%>", metric ? metric : "metric");
    report *const r = report_new(columns);
    free(columns);
    report_cell(r, "fp32");
    report_cell(r, "-");
    report_cell(r, "-");
    add_score(r, &reference->profiles[p]);
    for (int i = 0; i < g->n; i++) {
      if (g->items[i].error.status == TARE_OK) {
        report_cell(r, "%s", g->items[i].fit);
        report_cell(r, "%s", padding_text(&g->passes[g->items[i].pass]));
        report_cell(r, "%s", g->items[i].method);
        add_score(r, &g->items[i].result.profiles[p]);
      }
    }
    report_print(r, stdout);
  }
}

void grid_print(const grid *const g, const tare_eval_result *const reference,
                const tare_profiles *const profiles, const char *const metric,
                const bool peaks_by_row) {
  print_passes(g);
  putchar('\n');
  print_totals(g, reference, metric);
  print_by_profile(g, reference, profiles, metric);
  printf("\n* keeps the most; peak: resident memory %s\n",
         peaks_by_row ? "while the row was made" : "of the process so far");
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].error.status != TARE_OK) {
      printf("%s, %s failed: %s\n", g->items[i].fit, g->items[i].method, g->items[i].error.message);
    }
  }
}

static void profiles_json(cJSON *const object, const tare_eval_result *const result,
                          const tare_profiles *const profiles, const char *const metric,
                          const bool compared) {
  cJSON *const list = json_add(object, "profiles", json_array());
  for (int p = 0; p < result->n_profiles; p++) {
    cJSON *const item = json_add(list, NULL, json_object());
    char *const text = profile_text(profiles, p);
    json_text(item, "profile", text);
    free(text);
    score_json(item, &result->profiles[p], metric, compared);
  }
}

static void result_json(cJSON *const object, const tare_eval_result *const result,
                        const tare_profiles *const profiles, const char *const metric,
                        const bool compared) {
  score_json(object, &result->total, metric, compared);
  json_real(object, "run_seconds", result->seconds);
  profiles_json(object, result, profiles, metric, compared);
}

static void passes_json(cJSON *const object, const grid *const g) {
  cJSON *const list = json_add(object, "calibrations", json_array());
  for (int i = 0; i < g->n_passes; i++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "fit", tare_fit_name(g->passes[i].fit));
    json_bool(item, "padding_counted", g->passes[i].count_padding);
    json_int(item, "samples", g->passes[i].samples);
    json_real(item, "seconds", g->passes[i].seconds);
    json_int(item, "peak_bytes", g->passes[i].peak);
  }
}

static void combination_json(cJSON *const list, const grid *const g, const int i, const bool best,
                             const tare_profiles *const profiles, const char *const metric) {
  const grid_combination *const c = &g->items[i];
  cJSON *const item = json_add(list, NULL, json_object());
  json_text(item, "fit", c->fit);
  json_text(item, "method", c->method);
  json_bool(item, "padding_counted", g->passes[c->pass].count_padding);
  json_bool(item, "best", best);
  if (c->error.status != TARE_OK) {
    json_text(item, "error", c->error.message);
    return;
  }
  result_json(item, &c->result, profiles, metric, true /* compared */);
  json_real(item, "seconds", c->seconds);
  json_int(item, "peak_bytes", c->peak);
}

void grid_json(const grid *const g, const tare_eval_result *const reference,
               const tare_profiles *const profiles, const char *const metric,
               const bool peaks_by_row, const char *const model) {
  cJSON *const object = json_object();
  json_text(object, "model", model);
  json_text(object, "peak_of", peaks_by_row ? "row" : "process");
  passes_json(object, g);
  cJSON *const fp32 = json_add(object, "fp32", json_object());
  result_json(fp32, reference, profiles, metric, false /* compared */);
  json_int(fp32, "peak_bytes", reference->peak_bytes);
  cJSON *const list = json_add(object, "combinations", json_array());
  const int best = grid_best(g, metric);
  for (int i = 0; i < g->n; i++) {
    combination_json(list, g, i, i == best, profiles, metric);
  }
  json_print(object);
}
