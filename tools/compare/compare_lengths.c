/* How the strategies do at each length, as text and as JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/show/agreement.h"
#include "tools/compare/compare_lengths.h"
#include "tools/report.h"
#include "tools/score.h"

/* --- measuring -------------------------------------------------------------------------------- */

/* The ranked rows, behind the strategy that the others are compared with. */
static int *order_first_before(const grid *const g) {
  int *const order = cli_realloc(NULL, (size_t)g->n_ranked, sizeof *order);
  int n = 0;
  order[n++] = grid_first(g);
  for (int i = 0; i < g->n_ranked; i++) {
    if (g->order[i] != order[0]) {
      order[n++] = g->order[i];
    }
  }
  return order;
}

tare_status grid_measure_lengths(grid *const g, tare_error *const err) {
  length_buckets_make(&g->fp32, &g->lengths);
  const int n = g->n_ranked, n_buckets = g->lengths.n;
  if (grid_first(g) < 0 || n_buckets == 0) {
    return TARE_OK;
  }
  const tare_eval_result **const plans = cli_realloc(NULL, (size_t)n, sizeof *plans);
  int *const order = order_first_before(g);
  length_figure *const row = cli_realloc(NULL, (size_t)n, sizeof *row);
  g->fp32_lengths = cli_realloc(NULL, (size_t)n_buckets, sizeof *g->fp32_lengths);
  for (int i = 0; i < n; i++) {
    grid_strategy *const s = &g->items[order[i]];
    plans[i] = &s->result;
    s->lengths = cli_realloc(NULL, (size_t)n_buckets, sizeof *s->lengths);
  }
  tare_status status = TARE_OK;
  for (int b = 0; status == TARE_OK && b < n_buckets; b++) {
    status = length_bucket_alone(&g->lengths.items[b], &g->fp32, &g->fp32_lengths[b], err);
    if (status == TARE_OK) {
      status = length_bucket_compare(&g->lengths.items[b], plans, n, &g->fp32, row, err);
    }
    for (int i = 0; status == TARE_OK && i < n; i++) {
      g->items[order[i]].lengths[b] = row[i];
    }
  }
  free(plans);
  free(order);
  free(row);
  return status;
}

/* --- text ------------------------------------------------------------------------------------- */

static char *bucket_text(const length_bucket *const b) {
  return b->min == b->max ? cli_format("%" PRId64, b->min)
                          : cli_format("%" PRId64 "..%" PRId64, b->min, b->max);
}

static tare_agreement lengths_kind(const grid *const g) {
  return g->items[grid_first(g)].result.total.agreement_kind;
}

static void lengths_row(report *const r, const grid *const g, const int bucket, const int metric) {
  const length_bucket *const b = &g->lengths.items[bucket];
  const length_figure *const fp32 = &g->fp32_lengths[bucket];
  const length_figure *const first = &g->items[grid_first(g)].lengths[bucket];
  char *const text = bucket_text(b);
  report_cell(r, "%s", text);
  free(text);
  report_cell(r, "%" PRId64, b->n);
  if (metric >= 0) {
    report_number(r, 3, metric_shown(metric, fp32->score.metric));
    report_number(r, 3, metric_shown(metric, first->score.metric));
  }
  report_sqnr(r, first->score.sqnr_db);
  report_decibels(r, false, first->sqnr.low, first->sqnr.high);
  agreement_cell(r, lengths_kind(g), &first->score);
  report_number(r, 2, 1000 * fp32->seconds);
  report_number(r, 2, 1000 * first->seconds);
}

/* Strategies that are better than the first at some length, by more than does not matter. */
static void lengths_exceptions(const grid *const g) {
  for (int b = 0; b < g->lengths.n; b++) {
    for (int i = 0; i < g->n_ranked; i++) {
      const grid_strategy *const s = &g->items[g->order[i]];
      const tare_difference *const d = &s->lengths[b].sqnr_to_first;
      if (d->distinct && d->value > GRID_MARGIN_DB) {
        char *const text = bucket_text(&g->lengths.items[b]);
        char *const fit = grid_fit_text(g, g->order[i]);
        if (isinf(d->value)) {
          printf("%s: %s, %s gives the outputs of float\n", text, fit, s->method);
        } else {
          printf("%s: %s, %s is better by %.2f dB (%.2f..%.2f)\n", text, fit, s->method, d->value,
                 d->low, d->high);
        }
        free(text);
        free(fit);
        break; /* the next ones rank behind it */
      }
    }
  }
}

void lengths_print(const grid *const g, const int metric) {
  if (grid_first(g) < 0 || g->lengths.n == 0) {
    return;
  }
  char *const fit = grid_fit_text(g, grid_first(g));
  char *const fp32 = metric_column(metric, "fp32"), *const int8 = metric_column(metric, "int8");
  char *const scores = metric < 0 ? cli_format("%s", "") : cli_format("%s>,%s>,", fp32, int8);
  char *const columns = cli_format("%s<,n>,%sSQNR dB>,95 %%>,%s>,fp32 ms>,ms>",
                                   *g->lengths.symbol ? g->lengths.symbol : "length", scores,
                                   agreement_head(lengths_kind(g)));
  printf("\nby length: %s, %s%s%s\n", fit, g->items[grid_first(g)].method,
         metric < 0 ? "" : ", by ", metric < 0 ? "" : tare_metric_name(metric));
  report *const r = report_new(columns);
  for (int b = 0; b < g->lengths.n; b++) {
    lengths_row(r, g, b, metric);
  }
  report_print(r, stdout);
  lengths_exceptions(g);
  free(fp32);
  free(int8);
  free(scores);
  free(columns);
  free(fit);
}

/* --- JSON ------------------------------------------------------------------------------------- */

void lengths_json(cJSON *const object, const grid *const g) {
  json_text(object, "length_symbol", g->lengths.symbol ? g->lengths.symbol : "");
  cJSON *const list = json_add(object, "lengths", json_array());
  for (int b = 0; b < g->lengths.n; b++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_int(item, "min", g->lengths.items[b].min);
    json_int(item, "max", g->lengths.items[b].max);
    json_int(item, "profile", g->lengths.items[b].profile);
    json_int(item, "samples", g->lengths.items[b].n);
  }
}

void length_figures_json(cJSON *const object, const length_figure *const figures, const int n,
                         const int metric, const bool compared) {
  cJSON *const list = json_add(object, "lengths", json_array());
  for (int b = 0; figures && b < n; b++) {
    const length_figure *const f = &figures[b];
    cJSON *const item = json_add(list, NULL, json_object());
    score_json(item, &f->score, metric, compared);
    json_real(item, "run_ms", 1000 * f->seconds);
    if (compared) {
      interval_json(item, "sqnr_interval", &f->sqnr);
      difference_json(item, "sqnr_to_first", &f->sqnr_to_first);
    }
    if (compared && metric >= 0) {
      difference_json(item, "to_fp32", &f->to_fp32);
    }
  }
}
