#include "tools/compare/worst.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/cli.h"
#include "tools/report.h"
#include "tools/score.h"

/* How much worse a sample is, for sorting. */
typedef struct worst_place {
  worst_sample sample;
  double worse; /* of the metric */
} worst_place;

static int worst_first(const void *const a, const void *const b) {
  const worst_place *const x = a, *const y = b;
  if (x->worse != y->worse) {
    return x->worse > y->worse ? -1 : 1;
  }
  if (x->sample.sqnr_db != y->sample.sqnr_db) {
    return x->sample.sqnr_db < y->sample.sqnr_db ? -1 : 1;
  }
  return (x->sample.index > y->sample.index) - (x->sample.index < y->sample.index);
}

/* Of a sample of which nothing counts: that of equal outputs. */
static tare_status sqnr_of_sample(const tare_eval_result *const plan, const int64_t i,
                                  double *const out, tare_error *const err) {
  tare_eval_score score;
  CLI_TRY(tare_eval_score_of(plan, &i, 1, &score, err));
  *out = isnan(score.sqnr_db) ? INFINITY : score.sqnr_db;
  return TARE_OK;
}

/* A sample that lost its value differs more than any other. */
static double worse_by(const worst_sample *const s, const int metric) {
  const double sign = tare_metric_lower_is_better(metric) ? 1 : -1;
  const double worse = sign * (s->metric - s->reference);
  return isnan(s->reference) ? 0 : isnan(worse) ? INFINITY : worse;
}

static tare_status worst_take(const tare_eval_result *const plan,
                              const tare_eval_result *const named,
                              const tare_metric_states *const reference, const int metric,
                              const int64_t i, worst_place *const out, tare_error *const err) {
  out->sample = (worst_sample){.index = i,
                               .name = named->samples[i].name,
                               .length = named->samples[i].length,
                               .metric = NAN,
                               .reference = NAN};
  out->worse = 0;
  CLI_TRY(sqnr_of_sample(plan, i, &out->sample.sqnr_db, err));
  if (metric >= 0) {
    worst_sample *const s = &out->sample;
    CLI_TRY(tare_metric_states_sample(plan->states, i, &s->metric, err));
    CLI_TRY(tare_metric_states_sample(reference, i, &s->reference, err));
    s->answer = tare_metric_states_answer(plan->states, i);
    s->wanted = tare_metric_states_answer(reference, i);
    out->worse = worse_by(s, metric);
  }
  return TARE_OK;
}

tare_status worst_find(const tare_eval_result *const plan, const tare_eval_result *const named,
                       const tare_metric_states *const reference, const int metric, const int n,
                       worst *const out, tare_error *const err) {
  const int64_t all = named->n_samples;
  worst_place *const places = cli_realloc(NULL, (size_t)all, sizeof *places);
  tare_status status = TARE_OK;
  for (int64_t i = 0; status == TARE_OK && i < all; i++) {
    status = worst_take(plan, named, reference, metric, i, &places[i], err);
  }
  if (status == TARE_OK) {
    qsort(places, (size_t)all, sizeof *places, worst_first);
    out->n = n < all ? n : (int)all;
    out->length = named->length_symbol;
    out->items = cli_realloc(NULL, (size_t)out->n, sizeof *out->items);
    for (int i = 0; i < out->n; i++) {
      out->items[i] = places[i].sample;
    }
  }
  free(places);
  return status;
}

void worst_fini(worst *const w) {
  free(w->items);
  *w = (worst){0};
}

/* --- telling ---------------------------------------------------------------------------------- */

static bool worst_has_answers(const worst *const w) {
  bool any = false;
  for (int i = 0; i < w->n; i++) {
    any = any || w->items[i].answer;
  }
  return any;
}

static void worst_print_row(report *const r, const worst *const w, const worst_sample *const s,
                            const int metric) {
  report_cell(r, "%s", s->name);
  if (*w->length) {
    report_cell(r, "%" PRId64, s->length);
  }
  report_sqnr(r, s->sqnr_db);
  if (metric >= 0) {
    report_number(r, metric_decimals(metric, s->metric), metric_shown(metric, s->metric));
    report_number(r, metric_decimals(metric, s->reference), metric_shown(metric, s->reference));
  }
  if (worst_has_answers(w)) {
    report_cell(r, "%s", s->answer ? s->answer : "-");
    report_cell(r, "%s", s->wanted ? s->wanted : "-");
  }
}

void worst_print(const worst *const w, const int metric) {
  if (w->n == 0) {
    return;
  }
  char *const head = metric_column(metric, metric < 0 ? "" : tare_metric_name(metric));
  char *columns =
      cli_format("sample~%s%s%s,SQNR dB>", *w->length ? "," : "", w->length, *w->length ? ">" : "");
  columns = metric < 0 ? columns : cli_append(columns, ",%s>,float>", head);
  columns = worst_has_answers(w) ? cli_append(columns, ",answer~,answer of float~") : columns;
  report *const r = report_new(columns);
  for (int i = 0; i < w->n; i++) {
    worst_print_row(r, w, &w->items[i], metric);
  }
  puts("\nsamples that differ most from float");
  report_print(r, stdout);
  free(columns);
  free(head);
}

void worst_json(cJSON *const object, const worst *const w, const int metric) {
  cJSON *const list = w->n ? json_add(object, "worst", json_array()) : NULL;
  for (int i = 0; i < w->n; i++) {
    const worst_sample *const s = &w->items[i];
    cJSON *const item = json_add(list, NULL, json_object());
    json_text(item, "sample", s->name);
    json_int(item, "index", s->index);
    if (*w->length) {
      json_int(item, "length", s->length);
    }
    json_bool(item, "equal", isinf(s->sqnr_db) && s->sqnr_db > 0);
    json_real(item, "sqnr_db", s->sqnr_db);
    if (metric >= 0) {
      json_real(item, "metric", s->metric);
      json_real(item, "reference", s->reference);
    }
    if (s->answer && s->wanted) {
      json_text(item, "answer", s->answer);
      json_text(item, "reference_answer", s->wanted);
    }
  }
}
