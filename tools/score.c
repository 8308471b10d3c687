#include "tools/score.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tools/show/agreement.h"
#include "tools/options/lengths.h"
#include "tools/report.h"
#include "tools/say.h"

double metric_shown(const int metric, const double value) {
  return metric < 0 ? value : tare_metric_get_unit(metric).factor * value;
}

char *metric_column(const int metric, const char *const name) {
  const char *const symbol = metric < 0 ? "" : tare_metric_get_unit(metric).symbol;
  return cli_format("%s%s%s", name, *symbol ? " " : "", symbol);
}

int metric_decimals(const int metric, const double value) {
  const bool plain = metric >= 0 && !*tare_metric_get_unit(metric).symbol;
  const double size = fabs(metric_shown(metric, value));
  return !plain || size == 0 || !isfinite(size) || size >= 1 ? 3
         : size < 1e-9                                       ? 12
                                                             : 3 - (int)floor(log10(size));
}

void score_json(cJSON *const object, const tare_eval_score *const score, const int metric,
                const bool compared) {
  json_int(object, "samples", score->samples);
  if (compared) {
    json_bool(object, "equal", isinf(score->sqnr_db) && score->sqnr_db > 0);
    json_real(object, "sqnr_db", score->sqnr_db);
    json_real(object, "together_db", score->together_db);
    json_real(object, "tenth_db", score->tenth_db);
    json_real(object, "cosine", score->cosine);
    json_real(object, "max_abs_error", score->max_abs_error);
    json_real(object, "top1_agreement", score->top1_agreement);
    agreement_json(object, score);
    json_int(object, "other_shapes", score->other_shapes);
    json_int(object, "values", score->values);
    json_int(object, "constant", score->constant);
    json_int(object, "undefined", score->undefined);
    json_int(object, "broken", score->broken);
  }
  if (metric >= 0) {
    cJSON *const m = json_add(object, "metric", json_object());
    json_text(m, "name", tare_metric_name(metric));
    json_real(m, "value", score->metric);
    json_real(m, "reference", compared ? score->reference : NAN);
  }
}

void fitted_json(cJSON *const object, const tare_fit_counts *const counts) {
  json_int(object, "cut", counts->cut);
  json_int(object, "padded", counts->padded);
  json_real(object, "lost", counts->cut ? (double)counts->lost / (double)counts->elements : 0);
  json_real(object, "padding", counts->run ? (double)counts->padding / (double)counts->run : 0);
}

static void print_figure(const char *const name, const double value, const int decimals,
                         const char *const unit) {
  if (isnan(value)) {
    printf("%-16s -\n", name);
  } else {
    printf("%-16s %.*f%s\n", name, decimals, value, unit);
  }
}

static void print_max_abs(const double value) {
  static const char name[] = "max abs error";
  if (isnan(value)) {
    printf("%-16s -\n", name);
  } else {
    printf("%-16s %.6g\n", name, value);
  }
}

static void print_metric(const char *const name, const int metric, const double value) {
  char *const unit = metric_column(metric, "");
  print_figure(name, metric_shown(metric, value), metric_decimals(metric, value), unit);
  free(unit);
}

static void print_difference(const int metric, const tare_difference *const d) {
  if (isnan(d->value)) {
    return;
  }
  const int decimals = metric_decimals(metric, d->value);
  if (d->samples == 0) {
    printf("%-16s %+.*f %s; no interval: the metric is one number for all samples\n",
           "  difference", decimals, metric_shown(metric, d->value),
           tare_metric_get_unit(metric).difference);
    return;
  }
  printf("%-16s %+.*f %s, 95 %% interval %+.*f..%+.*f (%" PRId64 " sample%s)%s\n", "  difference",
         decimals, metric_shown(metric, d->value), tare_metric_get_unit(metric).difference,
         decimals - 1, metric_shown(metric, d->low), decimals - 1, metric_shown(metric, d->high),
         d->samples, cli_s(d->samples), d->distinct ? "" : ": within the noise");
}

/* Integers have no SQNR, but agree or not. */
static bool was_compared(const tare_eval_score *const output) {
  return output->values + output->constant + output->undefined > 0 ||
         !isnan(output->top1_agreement);
}

static int score_n_compared(const tare_eval_result *const result) {
  int n = 0;
  for (int o = 0; o < result->n_outputs; o++) {
    n += was_compared(&result->outputs[o]);
  }
  return n;
}

char *score_worst_text(const tare_eval_result *const result, const tare_eval_score *const score) {
  const int n = score_n_compared(result);
  return n > 1 && score->worst >= 0 ? cli_format(" in output '%s' (the worst of %d)",
                                                 result->output_names[score->worst], n)
                                    : cli_format("%s", "");
}

void score_worst_json(cJSON *const object, const tare_eval_result *const result,
                      const tare_eval_score *const score) {
  if (score_n_compared(result) > 1 && score->worst >= 0) {
    json_text(object, "output", result->output_names[score->worst]);
  }
}

/* What the SQNR is of: the worst of several outputs, or the samples that are far below the rest. */
static void print_sqnr(const tare_eval_result *const result) {
  const tare_eval_score *const s = &result->total;
  if (s->broken > 0) {
    printf("%-16s - (%" PRId64 " values are NaN or infinite in the plan alone)\n", "SQNR",
           s->broken);
    return;
  }
  print_figure("SQNR", s->sqnr_db, 2, isinf(s->sqnr_db) ? " (equal)" : " dB");
  if (s->worst >= 0 && isfinite(s->sqnr_db) && score_n_compared(result) > 1) {
    printf("%-16s %s, the worst of %d\n", "  output", result->output_names[s->worst],
           score_n_compared(result));
  }
  if (s->sqnr_db < s->together_db) {
    print_figure("  together", s->together_db, 2, isinf(s->together_db) ? " (equal)" : " dB");
    print_figure("  lower tenth", s->tenth_db, 2, " dB in single samples");
  }
}

static void score_print_left_out(const tare_eval_score *const s) {
  const int64_t all = s->values + s->constant + s->undefined;
  if (s->constant > 0) {
    printf("%-16s %" PRId64 " of %" PRId64 " values, which no layer decides\n", "left out",
           s->constant, all);
  }
  if (s->undefined > 0) {
    printf("%-16s %" PRId64 " of %" PRId64 " values, which are NaN or infinite in float\n",
           "left out", s->undefined, all);
  }
}

static void print_total(const tare_eval_result *const result, const int metric,
                        const bool compared) {
  const tare_eval_score *const total = &result->total;
  printf("%-16s %" PRId64 "\n", "samples", total->samples);
  if (compared) {
    print_sqnr(result);
    print_figure("cosine", total->cosine, 6, "");
    print_max_abs(total->max_abs_error);
    agreement_print(result, score_n_compared(result) > 1);
    score_print_left_out(total);
  }
  if (total->other_shapes > 0) {
    printf("%-16s %" PRId64 " sample%s\n", "other shape", total->other_shapes,
           cli_s(total->other_shapes));
  }
  if (metric >= 0) {
    print_metric(tare_metric_name(metric), metric, total->metric);
  }
  if (metric >= 0 && compared) {
    print_metric("  reference", metric, total->reference);
  }
}

char *gain_text(const double db) {
  return cli_format(db == 0 ? "%g" : "%+g", db);
}

char *level_columns(char *columns, const tare_eval_result *const result) {
  for (int l = 0; l < result->n_levels; l++) {
    char *const gain = gain_text(result->levels[l].gain_db);
    columns = cli_append(columns, ",%s dB>", gain);
    free(gain);
  }
  return columns;
}

void levels_json(cJSON *const object, const tare_eval_result *const result, const int metric,
                 const bool compared) {
  if (result->n_levels == 0) {
    return;
  }
  cJSON *const list = json_add(object, "levels", json_array());
  for (int l = 0; l < result->n_levels; l++) {
    cJSON *const item = json_add(list, NULL, json_object());
    json_real(item, "gain_db", result->levels[l].gain_db);
    score_json(item, &result->levels[l].score, metric, compared);
  }
}

/* A table of scores, without its rows. */
static report *begin_scores(const char *const first, const tare_agreement kind, const int metric) {
  char *const own = metric_column(metric, "metric"), *const other = metric_column(metric, "ref");
  char *const columns =
      cli_format("%s,samples>,SQNR dB>,%s>,%s>,%s>", first, agreement_head(kind), own, other);
  report *const r = report_new(columns);
  free(own);
  free(other);
  free(columns);
  return r;
}

static void print_row(report *const r, const tare_eval_score *const s, const tare_agreement kind,
                      const char *const name, const int metric) {
  report_cell(r, "%s", name);
  report_cell(r, "%" PRId64, s->samples);
  report_number(r, 2, s->sqnr_db);
  agreement_cell(r, kind, s);
  report_number(r, metric_decimals(metric, s->metric), metric_shown(metric, s->metric));
  report_number(r, metric_decimals(metric, s->reference), metric_shown(metric, s->reference));
}

void score_print_profiles(const tare_eval_score *const *const scores,
                          const tare_profiles *const profiles, const int metric) {
  tare_agreement kind = TARE_AGREEMENT_AUTO;
  for (int p = tare_profiles_count(profiles) - 1; p >= 0; p--) {
    kind = isnan(scores[p]->agreement) ? kind : scores[p]->agreement_kind;
  }
  report *const r = begin_scores("profile~", kind, metric);
  for (int p = 0; p < tare_profiles_count(profiles); p++) {
    char *const text = profile_text(profiles, p);
    print_row(r, scores[p], kind, text, metric);
    free(text);
  }
  report_print(r, stdout);
}

static void score_print_levels(const tare_eval_result *const result, const int metric) {
  const tare_agreement kind = result->total.agreement_kind;
  report *const r = begin_scores("gain dB>", kind, metric);
  for (int l = 0; l < result->n_levels; l++) {
    char *const text = gain_text(result->levels[l].gain_db);
    print_row(r, &result->levels[l].score, kind, text, metric);
    free(text);
  }
  report_print(r, stdout);
}

void score_print(const tare_eval_result *const result, const tare_profiles *const profiles,
                 const int metric, const bool compared, const tare_difference *const difference) {
  print_total(result, metric, compared);
  if (difference) {
    print_difference(metric, difference);
  }
  printf("%-16s %.3f s\n", "run time", result->seconds);
  if (compared) {
    printf("%-16s %.3f s\n", "  reference", result->reference_seconds);
  }
  if (result->n_levels) {
    putchar('\n');
    score_print_levels(result, metric);
  }
  if (result->n_profiles < 2 || !profiles) {
    return;
  }
  const tare_eval_score *scores[TARE_MAX_PROFILES];
  for (int p = 0; p < result->n_profiles; p++) {
    scores[p] = &result->profiles[p];
  }
  putchar('\n');
  score_print_profiles(scores, profiles, metric);
}

/* "a.wav, b.wav and 3 more": samples in which an output is not finite in the reference. */
static char *undefined_samples(const tare_eval_result *const result, const int output,
                               const tare_eval_sample *const samples, int64_t *const n) {
  enum { NAMED = 3 };
  char *names = cli_format("%s", "");
  *n = 0;
  for (int64_t i = 0; i < result->n_errors; i++) {
    int64_t undefined = 0;
    for (int c = output; c < result->n_columns; c += result->n_outputs) {
      undefined += result->errors[i * result->n_columns + c].undefined;
    }
    if (undefined > 0 && (*n)++ < NAMED) {
      names = cli_append(names, "%s%s", *n > 1 ? ", " : "", samples[i].name);
    }
  }
  return *n > NAMED ? cli_append(names, " and %" PRId64 " more", *n - NAMED) : names;
}

static void warn_undefined(const opt_common *const common, const tare_eval_result *const result,
                           const tare_eval_sample *const samples, const int output) {
  const tare_eval_score *const s = &result->outputs[output];
  int64_t n;
  char *const names = undefined_samples(result, output, samples, &n);
  if (s->values + s->constant == 0) {
    say(common,
        "warning: output '%s' has no finite value in float in any of %" PRId64
        " samples (%s): there is nothing to compare",
        result->output_names[output], n, names);
  } else {
    say(common,
        "warning: output '%s' has NaN or infinite values in float in %" PRId64 " of %" PRId64
        " samples (%s): these values are left out",
        result->output_names[output], n, result->n_errors, names);
  }
  free(names);
}

void score_warn_undefined(const opt_common *const common, const tare_eval_result *const result,
                          const tare_eval_sample *const samples) {
  enum { NAMED = 3 };
  int n = 0;
  for (int o = 0; samples && o < result->n_outputs; o++) {
    if (result->outputs[o].undefined > 0 && n++ < NAMED) {
      warn_undefined(common, result, samples, o);
    }
  }
  if (n > NAMED) {
    say(common, "warning: %d more outputs have NaN or infinite values in float", n - NAMED);
  }
}

void score_warn_shapes(const opt_common *const common, const tare_eval_result *const result,
                       const tare_plan *const plan) {
  const tare_port *ports = NULL;
  const int n = tare_plan_outputs(plan, &ports);
  for (int o = 0; o < n; o++) {
    const tare_eval_score *const s = &result->outputs[o];
    if (s->other_shapes > 0) {
      say(common,
          "warning: output '%s' has another shape than in the reference in %" PRId64 " of %" PRId64
          " samples, where what one of both lacks counts as zeros: its length follows from values "
          "that are rounded (--layer-precisions keeps layers that decide it in float)",
          ports[o].name, s->other_shapes, s->samples);
    }
  }
}

void score_warn_outputs(const opt_common *const common, const tare_eval_result *const result,
                        const tare_plan *const plan) {
  score_warn_undefined(common, result, result->samples);
  score_warn_shapes(common, result, plan);
  const tare_port *ports = NULL;
  (void)tare_plan_outputs(plan, &ports);
  agreement_warn(common, result, ports, SCORE_LOW_SQNR);
}

void score_print_outputs(const tare_eval_result *const result, const tare_plan *const plan) {
  if (score_n_compared(result) < 2) {
    return;
  }
  const tare_port *ports = NULL;
  const int n = tare_plan_outputs(plan, &ports);
  report *const r = report_new("output~,SQNR dB>,cosine>,max abs error>,agreement>");
  for (int o = 0; o < n; o++) {
    const tare_eval_score *const s = &result->outputs[o];
    if (was_compared(s)) {
      report_cell(r, "%s", ports[o].name);
      report_number(r, 2, s->sqnr_db);
      report_number(r, 6, s->cosine);
      report_cell(r, isnan(s->max_abs_error) ? "-" : "%.6g", s->max_abs_error);
      agreement_cell(r, TARE_AGREEMENT_AUTO, s);
    }
  }
  putchar('\n');
  report_print(r, stdout);
}

void score_outputs_json(cJSON *const object, const tare_eval_result *const result,
                        const tare_plan *const plan) {
  if (score_n_compared(result) < 2) {
    return;
  }
  const tare_port *ports = NULL;
  const int n = tare_plan_outputs(plan, &ports);
  cJSON *const list = json_add(object, "outputs", json_array());
  for (int o = 0; o < n; o++) {
    if (was_compared(&result->outputs[o])) {
      cJSON *const item = json_add(list, NULL, json_object());
      json_text(item, "name", ports[o].name);
      score_json(item, &result->outputs[o], -1 /* no metric */, true);
    }
  }
}

void interval_json(cJSON *const object, const char *const name,
                   const tare_interval *const interval) {
  cJSON *const item = json_add(object, name, json_object());
  json_real(item, "low", interval->low);
  json_real(item, "high", interval->high);
}

void difference_json(cJSON *const object, const char *const name, const tare_difference *const d) {
  cJSON *const item = json_add(object, name, json_object());
  json_real(item, "value", d->value);
  json_real(item, "low", d->low);
  json_real(item, "high", d->high);
  json_int(item, "samples", d->samples);
  json_int(item, "samples_differing", d->differing);
  json_bool(item, "distinct", d->distinct);
}
