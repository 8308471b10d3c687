#include "tools/tune/tune_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/show/agreement.h"
#include "tools/json_out.h"
#include "tools/report.h"
#include "tools/score.h"
#include "tools/show/layer_facts.h"
#include "tools/show/layers.h"
#include "tools/table_out.h"

/* --- figures ---------------------------------------------------------------------------------- */

static double times_float(const tare_tune_score *const score) {
  return score->float_seconds / score->seconds;
}

/* Share of the multiply-adds at the opt lengths of the first profile that run on integers. */
static tare_status integer_share(const tare_plan *const plan, double *const out,
                                 tare_error *const err) {
  precision_sum *sums = NULL;
  int n = 0;
  CLI_TRY(precision_sums(plan, NULL, &sums, &n, err));
  *out = precision_share(sums, n, "int");
  free(sums);
  return TARE_OK;
}

/* --- text ------------------------------------------------------------------------------------- */

static void print_score(const tune_report *const r, const char *const head,
                        const tare_tune_score *const score) {
  printf("%-10s", head);
  if (isinf(score->sqnr_db)) {
    printf(" equal to float");
  } else {
    printf(" %.1f dB", score->sqnr_db);
    if (score->sqnr.low < score->sqnr.high) {
      printf(" (95 %%: %.1f to %.1f)", score->sqnr.low, score->sqnr.high);
    }
  }
  char *const agreement = agreement_text(score->agreement_kind, score->agreement, 1);
  printf("%s%s", *agreement && !isinf(score->sqnr_db) ? ", " : "",
         isinf(score->sqnr_db) ? "" : agreement);
  free(agreement);
  if (r->metric >= 0) {
    const tare_metric_unit unit = tare_metric_get_unit(r->metric);
    printf(", %s worse by %.2f %s (95 %%: %.2f to %.2f)", tare_metric_name(r->metric),
           score->drop.value * unit.factor, unit.difference, score->drop.low * unit.factor,
           score->drop.high * unit.factor);
  }
  printf(", %.2f times as fast as float%s\n", times_float(score),
         score->holds ? "" : " (not within the bounds)");
}

/* How much longer or shorter a layer runs than as it was: "-12 %". */
static void cell_time(report *const t, const tare_tuned_layer *const l) {
  const double was = l->seconds[l->standard], is = l->seconds[l->chosen];
  if (was > 0 && !isnan(is)) {
    report_cell(t, "%+.0f %%", 100 * (is - was) / was);
  } else {
    report_cell(t, "-");
  }
}

static void cell_noise(report *const t, const double db) {
  if (isnan(db)) {
    report_cell(t, "-");
  } else {
    report_sqnr(t, db);
  }
}

static void print_changes(const tune_report *const r) {
  report *const t = report_new("precision<,was<,SQNR dB>,was dB>,time>,layer~");
  for (int i = 0; i < tare_tuned_n_layers(r->tuned); i++) {
    const tare_tuned_layer l = tare_tuned_get_layer(r->tuned, i);
    if (l.chosen == l.standard) {
      continue;
    }
    report_cell(t, "%s", tare_precision_name(l.chosen));
    report_cell(t, "%s", tare_precision_name(l.standard));
    cell_noise(t, l.sqnr_db[l.chosen]);
    cell_noise(t, l.sqnr_db[l.standard]);
    cell_time(t, &l);
    report_cell(t, "%s", l.name);
  }
  report_print(t, stdout);
}

/* Too few samples have none. */
static bool has_interval(const tune_report *const r) {
  const tare_tune_score standard = tare_tuned_standard(r->tuned);
  return standard.sqnr.low < standard.sqnr.high;
}

static void print_bounds(const tune_report *const r) {
  const char *between = " ";
  printf("bounds    ");
  if (!isinf(r->options->sqnr_db)) {
    printf("%sSQNR at least %.1f dB%s%s", between, r->options->sqnr_db,
           has_interval(r) ? " at the lower end of the interval" : "",
           r->options->calibrated ? ", and over the samples that calibrate" : "");
    between = ", ";
  }
  if (r->options->min_integer_share > 0) {
    printf("%s%g %% of the multiply-adds on integers", between,
           100 * r->options->min_integer_share);
    between = ", ";
  }
  if (!isinf(r->options->max_drop)) {
    const tare_metric_unit unit = tare_metric_get_unit(r->metric);
    printf("%s%s at most %.2f %s worse than float", between, tare_metric_name(r->metric),
           r->options->max_drop * unit.factor, unit.difference);
  }
  printf("\n");
}

static void print_levels(const tune_report *const r) {
  if (!tare_tuned_n_levels(r->tuned)) {
    return;
  }
  report *const t = report_new("gain dB>,SQNR dB>,default dB>");
  for (int i = 0; i < tare_tuned_n_levels(r->tuned); i++) {
    const tare_tuned_level level = tare_tuned_get_level(r->tuned, i);
    char *const gain = gain_text(level.gain_db);
    report_cell(t, "%s", gain);
    cell_noise(t, level.sqnr_db);
    cell_noise(t, level.standard_sqnr_db);
    free(gain);
  }
  putchar('\n');
  report_print(t, stdout);
}

static bool is_static(const tare_precision precision) {
  return precision == TARE_PRECISION_INT8 || precision == TARE_PRECISION_INT16;
}

/* Layers that might be faster with static scales, but worse at other levels, or that have them. */
static void print_kept_levels(const tune_report *const r) {
  int kept = 0, clipped = 0;
  for (int i = 0; i < tare_tuned_n_layers(r->tuned); i++) {
    const tare_tuned_layer l = tare_tuned_get_layer(r->tuned, i);
    kept += l.keeps_level && !is_static(l.chosen);
    clipped += l.keeps_level && is_static(l.chosen);
  }
  if (clipped) {
    printf(
        "levels     %d layer%s static scales, which louder inputs exceed (--gain-range judges "
        "them at each level)\n",
        clipped, clipped == 1 ? " has" : "s have");
  } else if (kept) {
    printf(
        "levels     %d layer%s no static scales, because louder inputs would exceed them "
        "(--gain-range tries them at each level)\n",
        kept, kept == 1 ? " has" : "s have");
  }
}

/* Ids have no level. */
static bool tuned_reads_floats(const tare_plan *const plan) {
  const tare_port *ports;
  const int n = tare_plan_inputs(plan, &ports);
  for (int i = 0; i < n; i++) {
    if (ports[i].dtype == TARE_F32 || ports[i].dtype == TARE_F64) {
      return true;
    }
  }
  return false;
}

/* The samples that judged are as loud as those that calibrated. Features of audio do not become
 * those of louder audio by a factor. */
static void print_untried_levels(const tune_report *const r) {
  int fixed = 0;
  for (int i = 0; i < tare_tuned_n_layers(r->tuned); i++) {
    fixed += is_static(tare_tuned_get_layer(r->tuned, i).chosen);
  }
  if (fixed && !tare_tuned_n_levels(r->tuned) && tuned_reads_floats(tare_tuned_plan(r->tuned))) {
    printf(
        "untried    levels other than those of the data: %d layer%s static scales (--gain-range "
        "tries them; of features of audio, add louder and quieter ones to the data)\n",
        fixed, fixed == 1 ? " has" : "s have");
  }
}

/* What the plans were judged by. */
static void print_held_out(const tune_report *const r) {
  if (r->held_out) {
    printf("held out   %" PRId64 " of %" PRId64
           " samples, by hashes of their contents: they search and judge plans, the others "
           "calibrate\n",
           r->held_out, r->given);
  } else if (r->given) {
    printf("held out   none of %" PRId64 " sample%s: the same samples calibrate and judge plans\n",
           r->given, cli_s(r->given));
  }
}

/* Layers of all plans whose times were needed. */
static void tune_print_times(const tune_report *const r) {
  const tare_tuned_times times = tare_tuned_get_times(r->tuned);
  if (r->timing_cache) {
    printf("times      %" PRId64 " layers measured, %" PRId64 " known\n", times.measured,
           times.known);
  }
}

/* Where lengths of outputs follow from values. */
static void tune_print_lengths(const tune_report *const r, const tare_tune_score *const standard,
                               const tare_tune_score *const score) {
  const int kept = tare_tuned_n_lengths(r->tuned);
  if (!standard->other_shapes && !score->other_shapes && !kept) {
    return;
  }
  printf("lengths    other than those of float in %" PRId64 " of %" PRId64
         " samples by default, in %" PRId64 " of the chosen plan",
         standard->other_shapes, standard->samples, score->other_shapes);
  if (kept) {
    printf("; %d layer%s in float", kept,
           kept == 1 ? " that decides them is" : "s that decide them are");
  }
  putchar('\n');
}

static void print_again(const tune_report *const r) {
  const char *const requests = tare_tuned_requests(r->tuned);
  if (*requests) {
    printf("requests   --layer-precisions '%s'\n", requests);
  }
  printf("written    %s\n", r->plan);
  if (r->table) {
    printf("           %s: tare build %s --calib %s%s gives the same plan\n", r->table, r->model,
           r->table, *requests ? " with the requests" : "");
  }
  if (r->timing_cache) {
    printf("           %s\n", r->timing_cache);
  }
}

tare_status tune_print(const tune_report *const r, tare_error *const err) {
  const tare_plan *const plan = tare_tuned_plan(r->tuned);
  const tare_tune_score standard = tare_tuned_standard(r->tuned);
  const tare_tune_score score = tare_tuned_score(r->tuned);
  double share = 0;
  CLI_TRY(integer_share(plan, &share, err));
  print_changes(r);
  print_levels(r);
  printf("\nmethod     %s\n", r->method);
  print_held_out(r);
  print_bounds(r);
  print_score(r, "default", &standard);
  print_score(r, "chosen", &score);
  tune_print_lengths(r, &standard, &score);
  printf("           of %d plans, over %" PRId64 " sample%s%s\n", tare_tuned_n_plans(r->tuned),
         score.samples, cli_s(score.samples),
         tare_tuned_is_complete(r->tuned) ? "" : "; the search was ended early");
  CLI_TRY(layers_print_counts(plan, err));
  if (!isnan(share)) {
    printf("           %.1f %% of the multiply-adds on integers\n", 100 * share);
  }
  print_kept_levels(r);
  print_untried_levels(r);
  if (r->options->build.table) {
    table_print_weight_methods(r->options->build.table);
  }
  tune_print_times(r);
  print_again(r);
  return TARE_OK;
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void tune_score_json(cJSON *const object, const char *const name, const tune_report *const r,
                            const tare_tune_score *const score) {
  cJSON *const item = json_add(object, name, json_object());
  json_real(item, "sqnr_db", score->sqnr_db);
  json_bool(item, "equal", isinf(score->sqnr_db));
  cJSON *const interval = json_add(item, "sqnr_interval", json_object());
  json_real(interval, "low", score->sqnr.low);
  json_real(interval, "high", score->sqnr.high);
  if (r->metric >= 0) {
    difference_json(item, "drop", &score->drop);
  }
  json_real(item, "seconds", score->seconds);
  json_real(item, "float_seconds", score->float_seconds);
  json_int(item, "samples", score->samples);
  json_bool(item, "holds", score->holds);
  json_int(item, "other_shapes", score->other_shapes);
  const tare_eval_score agreement = {.agreement_kind = score->agreement_kind,
                                     .agreement = score->agreement,
                                     .agreement_tenth = score->agreement_tenth,
                                     .agreement_output = score->agreement_output};
  agreement_json(item, &agreement);
}

static void tuned_levels_json(cJSON *const object, const tune_report *const r) {
  cJSON *const levels =
      tare_tuned_n_levels(r->tuned) ? json_add(object, "levels", json_array()) : NULL;
  for (int i = 0; i < tare_tuned_n_levels(r->tuned); i++) {
    const tare_tuned_level level = tare_tuned_get_level(r->tuned, i);
    cJSON *const item = json_add(levels, NULL, json_object());
    json_real(item, "gain_db", level.gain_db);
    json_real(item, "sqnr_db", level.sqnr_db);
    json_real(item, "default_sqnr_db", level.standard_sqnr_db);
  }
}

static void forms_json(cJSON *const layer, const tare_tuned_layer *const l) {
  cJSON *const forms = json_add(layer, "forms", json_array());
  for (int p = 0; p < TARE_PRECISION_COUNT; p++) {
    if (!isnan(l->sqnr_db[p]) || !isnan(l->seconds[p])) {
      cJSON *const form = json_add(forms, NULL, json_object());
      json_text(form, "precision", tare_precision_name((tare_precision)p));
      json_real(form, "sqnr_db", l->sqnr_db[p]);
      json_real(form, "seconds", l->seconds[p]);
    }
  }
}

tare_status tune_json(const tune_report *const r, tare_error *const err) {
  const tare_tune_score standard = tare_tuned_standard(r->tuned);
  const tare_tune_score score = tare_tuned_score(r->tuned);
  double share = 0;
  CLI_TRY(integer_share(tare_tuned_plan(r->tuned), &share, err));
  cJSON *const object = json_begin("tune");
  json_text(object, "model", r->model);
  json_text(object, "method", r->method);
  json_real(object, "min_sqnr_db", r->options->sqnr_db);
  json_real(object, "max_drop", r->options->max_drop);
  json_real(object, "min_integer_share", r->options->min_integer_share);
  if (r->given) {
    json_int(object, "held_out", r->held_out);
  }
  tune_score_json(object, "default", r, &standard);
  tune_score_json(object, "chosen", r, &score);
  json_int(object, "plans", tare_tuned_n_plans(r->tuned));
  json_int(object, "length_layers", tare_tuned_n_lengths(r->tuned));
  json_bool(object, "complete", tare_tuned_is_complete(r->tuned));
  json_real(object, "integer_share", share);
  json_text(object, "layer_precisions", tare_tuned_requests(r->tuned));
  if (r->options->build.table) {
    table_json_weight_methods(object, r->options->build.table);
  }
  tuned_levels_json(object, r);
  cJSON *const layers = json_add(object, "layers", json_array());
  for (int i = 0; i < tare_tuned_n_layers(r->tuned); i++) {
    const tare_tuned_layer l = tare_tuned_get_layer(r->tuned, i);
    cJSON *const layer = json_add(layers, NULL, json_object());
    json_text(layer, "name", l.name);
    json_text(layer, "precision", tare_precision_name(l.chosen));
    json_text(layer, "default", tare_precision_name(l.standard));
    json_bool(layer, "keeps_level", l.keeps_level);
    forms_json(layer, &l);
  }
  cJSON *const times = json_add(object, "times", json_object());
  json_int(times, "known", tare_tuned_get_times(r->tuned).known);
  json_int(times, "measured", tare_tuned_get_times(r->tuned).measured);
  json_text(object, "output", r->plan);
  if (r->table) {
    json_text(object, "table", r->table);
  }
  if (r->timing_cache) {
    json_text(object, "timing_cache", r->timing_cache);
  }
  json_print(object);
  return TARE_OK;
}
