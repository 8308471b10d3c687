/* How `tare compare` reports what came out. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/show/agreement.h"
#include "tools/compare/compare_budget.h"
#include "tools/compare/compare_lengths.h"
#include "tools/compare/requirement.h"
#include "tools/compare/verdict.h"
#include "tools/report.h"
#include "tools/score.h"

static const char *pass_padding(const grid_pass *const pass) {
  return !tare_fit_pads(pass->fit) ? "-" : pass->count_padding ? "counted" : "excluded";
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
    report_cell(r, "%s", pass_padding(p));
    report_cell(r, "%" PRId64, p->samples);
    report_number(r, 1, p->seconds);
    cell_bytes(r, p->peak);
  }
  report_print(r, stdout);
}

static void add_names(report *const r, const grid *const g, const int strategy) {
  char *const fit = grid_fit_text(g, strategy);
  report_cell(r, "%s", fit);
  report_cell(r, "%s", g->items[strategy].method);
  free(fit);
}

static void add_fp32_names(report *const r) {
  report_cell(r, "fp32");
  report_cell(r, "-");
}

static void cell_metric(report *const r, const int metric, const double value) {
  report_number(r, metric_decimals(metric, value), metric_shown(metric, value));
}

/* In the metric's unit, with as many decimals as fit a column. */
static void cell_interval(report *const r, const int metric, const tare_difference *const d) {
  const double low = metric_shown(metric, d->low), high = metric_shown(metric, d->high);
  if (isnan(low)) {
    report_cell(r, "-");
    return;
  }
  const int fine = metric_decimals(metric, fmax(fabs(d->low), fabs(d->high))) - 1;
  const int decimals = fabs(low) < 10 && fabs(high) < 10 ? fine : 1;
  report_cell(r, "%+.*f..%+.*f", decimals, low, decimals, high);
}

/* "*" needs somebody to be better than; where samples do not tell, nobody is marked. */
static const char *mark_of(const grid *const g, const int rank, const int metric) {
  const grid_strategy *const s = &g->items[g->order[rank]];
  return !s->equal || g->n_ranked < 2 || (metric < 0 && isnan(s->sqnr_to_first.low)) ? ""
         : g->n_equal == 1                                                           ? "*"
                                                                                     : "=";
}

static void print_evidence(const grid *const g, const int metric) {
  char *const head = metric_column(metric, tare_metric_name(metric));
  char *const columns =
      cli_format(" <,fit<,method<,%s>,to fp32 (95 %%)>,to best (95 %%)>,SQNR dB>", head);
  report *const r = report_new(columns);
  free(head);
  free(columns);
  report_cell(r, "%s", "");
  add_fp32_names(r);
  cell_metric(r, metric, g->fp32.total.metric);
  report_cell(r, "-");
  report_cell(r, "-");
  report_cell(r, "-");
  for (int i = 0; i < g->n_ranked; i++) {
    const grid_strategy *const s = &g->items[g->order[i]];
    report_cell(r, "%s", mark_of(g, i, metric));
    add_names(r, g, g->order[i]);
    cell_metric(r, metric, s->result.total.metric);
    cell_interval(r, metric, &s->to_fp32);
    cell_interval(r, metric, &s->to_best);
    report_number(r, 2, s->result.total.sqnr_db);
  }
  report_print(r, stdout);
}

static void print_equals(const grid *const g, const int metric) {
  const char *const by = metric < 0 ? "SQNR" : tare_metric_name(metric);
  if (g->n_ranked < 2 || !*mark_of(g, 0, metric)) {
    return;
  }
  if (g->n_equal == 1) {
    printf("* best: its %s differs from that of every other strategy\n", by);
  } else {
    printf("= equal within noise%s: %d of %d strategies; the simplest first, then by SQNR\n",
           metric < 0 ? " or 1 dB" : "", g->n_equal, g->n_ranked);
  }
}

static void print_intervals(const grid *const g, const int metric) {
  if (g->n_ranked == 0) {
    return;
  }
  const tare_difference *const first = &g->items[g->order[0]].to_best;
  const int64_t samples = first->samples;
  if (samples == 0 && !isnan(first->value)) {
    printf("no intervals: %s is one number for all samples, so differences may be noise\n",
           tare_metric_name(metric));
    return;
  }
  printf(
      "intervals: %s minus that of fp32 or of the best, in %s,\n"
      "  by a paired bootstrap over %" PRId64
      " sample%s; fewer than 6 samples that\n"
      "  differ are no evidence\n",
      tare_metric_name(metric), tare_metric_get_unit(metric).difference, samples, cli_s(samples));
}

static void add_fidelity(report *const r, const tare_agreement kind,
                         const tare_eval_result *const result) {
  agreement_cell(r, kind, &result->total);
  report_number(r, 2, result->seconds);
}

static void add_fidelity_intervals(report *const r, const grid_strategy *const s) {
  const tare_difference *const d = &s->sqnr_to_first;
  report_decibels(r, false, s->sqnr.low, s->sqnr.high);
  report_decibels(r, true, d->low, d->high);
}

/* Marks are those of the table before, if there is a metric. */
static void print_fidelity(const grid *const g, const int metric) {
  const tare_agreement kind =
      g->n_ranked ? g->items[grid_first(g)].result.total.agreement_kind : TARE_AGREEMENT_AUTO;
  char *const columns = cli_format(" <,fit<,method<,SQNR dB>,95 %%>,to first 95 %%>,%s>,run s>",
                                   agreement_head(kind));
  report *const r = report_new(columns);
  free(columns);
  report_cell(r, "%s", "");
  add_fp32_names(r);
  for (int i = 0; i < 3; i++) {
    report_cell(r, "-");
  }
  add_fidelity(r, kind, &g->fp32);
  for (int i = 0; i < g->n_ranked; i++) {
    const grid_strategy *const s = &g->items[g->order[i]];
    report_cell(r, "%s", metric < 0 ? mark_of(g, i, metric) : "");
    add_names(r, g, g->order[i]);
    report_number(r, 2, s->result.total.sqnr_db);
    add_fidelity_intervals(r, s);
    add_fidelity(r, kind, &s->result);
  }
  report_print(r, stdout);
}

typedef void level_cell(report *r, const tare_eval_score *score, int metric);

static void cell_level_sqnr(report *const r, const tare_eval_score *const score, const int metric) {
  (void)metric;
  report_number(r, 2, score->sqnr_db);
}

static void cell_level_metric(report *const r, const tare_eval_score *const score,
                              const int metric) {
  cell_metric(r, metric, score->metric);
}

static void add_levels(report *const r, const tare_eval_result *const result, const int metric,
                       level_cell *const cell) {
  for (int l = 0; l < result->n_levels; l++) {
    cell(r, &result->levels[l].score, metric);
  }
}

/* A column for each level. */
static void print_level_columns(const grid *const g, const int metric, level_cell *const cell) {
  char *const columns = level_columns(cli_format("fit<,method<"), &g->fp32);
  report *const r = report_new(columns);
  free(columns);
  add_fp32_names(r);
  add_levels(r, &g->fp32, metric, cell);
  for (int i = 0; i < g->n_ranked; i++) {
    add_names(r, g, g->order[i]);
    add_levels(r, &g->items[g->order[i]].result, metric, cell);
  }
  report_print(r, stdout);
}

static void print_by_level(const grid *const g, const int metric) {
  if (g->fp32.n_levels == 0) {
    return;
  }
  puts("\nSQNR in dB by gain; that of the lowest column counts");
  print_level_columns(g, metric, cell_level_sqnr);
  if (metric >= 0) {
    char *const head = metric_column(metric, tare_metric_name(metric));
    printf("\n%s by gain\n", head);
    free(head);
    print_level_columns(g, metric, cell_level_metric);
  }
}

static void print_written(const grid *const g, const cli_list *const written,
                          const cli_list *const reports) {
  for (int i = 0; i < written->n && grid_first(g) >= 0; i++) {
    char *const fit = grid_fit_text(g, grid_first(g));
    printf("written    %s: %s, %s\n", written->items[i], fit, g->items[grid_first(g)].method);
    free(fit);
  }
  for (int i = 0; i < reports->n; i++) {
    printf("written    %s: report\n", reports->items[i]);
  }
}

/* What the plan of the first strategy is made of. */
static void print_first_plan(const grid *const g) {
  if (grid_first(g) < 0) {
    return;
  }
  const grid_strategy *const s = &g->items[grid_first(g)];
  char *const weights = report_bytes(s->weight_bytes);
  char *const context = report_bytes(s->context_bytes);
  char *const fit = grid_fit_text(g, grid_first(g));
  printf("%s, %s: weights %s, context %s", fit, s->method, weights, context);
  if (!isnan(s->int8_share)) {
    printf(", int8 work %.1f %%", 100 * s->int8_share);
  }
  putchar('\n');
  free(fit);
  free(weights);
  free(context);
}

/* Where lengths of outputs follow from values. */
static void print_other_shapes(const grid *const g) {
  int n = 0, most = -1;
  for (int i = 0; i < g->n_ranked; i++) {
    const int64_t samples = g->items[g->order[i]].result.total.other_shapes;
    n += samples > 0;
    if (samples > 0 && (most < 0 || samples > g->items[most].result.total.other_shapes)) {
      most = g->order[i];
    }
  }
  if (n == 0) {
    return;
  }
  const grid_strategy *const s = &g->items[most];
  char *const fit = grid_fit_text(g, most);
  printf("outputs of other shapes than those of fp32: %d of %d strategies, most in %s, %s (%" PRId64
         " of %" PRId64 " samples); what one of both lacks counts as zeros\n",
         n, g->n_ranked, fit, s->method, s->result.total.other_shapes, s->result.total.samples);
  free(fit);
}

/* What the SQNR of the first strategy is of. */
static void print_ranking(const grid *const g) {
  const int first = grid_first(g);
  const tare_eval_result *const r = first < 0 ? NULL : &g->items[first].result;
  char *const of = r ? score_worst_text(r, &r->total) : cli_format("%s", "");
  if (r && r->n_errors > 0) {
    printf("ranked by SQNR%s over %" PRId64 " sample%s", of, r->n_errors, cli_s(r->n_errors));
  } else {
    printf("ranked by SQNR");
  }
  printf("\n--labels and --metric show how many answers change\n");
  if (r && r->total.sqnr_db < r->total.together_db) {
    printf("the first has %.2f dB together, and %.2f in the lower tenth of samples\n",
           r->total.together_db, r->total.tenth_db);
  }
  free(of);
}

void grid_print(const grid *const g, const grid_context *const c) {
  const int metric = c->metric;
  print_passes(g);
  printf("peak: resident memory %s\n\n",
         c->peaks_by_row ? "while the strategy ran" : "of the process so far");
  if (metric >= 0) {
    print_evidence(g, metric);
    print_equals(g, metric);
    print_intervals(g, metric);
    putchar('\n');
  }
  print_fidelity(g, metric);
  if (metric < 0) {
    print_equals(g, metric);
    print_ranking(g);
  }
  print_other_shapes(g);
  print_first_plan(g);
  print_by_level(g, metric);
  lengths_print(g, metric);
  worst_print(c->worst, metric);
  for (int i = 0; i < g->n; i++) {
    if (g->items[i].error.status != TARE_OK) {
      printf("%s, %s failed: %s\n", g->items[i].fit, g->items[i].method, g->items[i].error.message);
    }
  }
  compare_budget_print(c->budget, g);
  requirements_print(c->requirements, c->n_requirements, g, c->metric);
  verdict_print(c->verdict);
  print_written(g, c->written, c->reports);
}
