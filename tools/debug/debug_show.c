#include "tools/debug/debug_show.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/report.h"
#include "tools/score.h"

enum { NO_TENSOR = -1, BAR = 40 /* characters of the largest bin */ };

static const char *layer_name(const debug_results *const r, const tare_tensor_error *const e) {
  return e->layer < 0 ? "" : tare_plan_layer(r->plan, e->layer).name;
}

static const char *verdict_of(const debug_results *const r, const tare_tensor_error *const e) {
  const char *const failure = tensor_failure(r->limits, e);
  const char *const doubt = tensor_doubt(r->limits, e);
  return failure ? failure : doubt ? doubt : "";
}

int debug_count_failures(const debug_results *const r) {
  int n = 0;
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    n += tensor_failure(r->limits, &e) != NULL;
  }
  return n;
}

static int count_doubts(const debug_results *const r, int *const first) {
  int n = 0;
  *first = NO_TENSOR;
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    if (*verdict_of(r, &e)) {
      *first = *first == NO_TENSOR ? i : *first;
      n++;
    }
  }
  return n;
}

static int count_unlike(const debug_results *const r) {
  int n = 0;
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    n += !tare_comparison_tensor(r->comparison, i).comparable;
  }
  return n;
}

/* --- text ------------------------------------------------------------------------------------- */

static void report_error(report *const to, const double value) {
  if (isnan(value)) {
    report_cell(to, "-");
  } else {
    report_cell(to, "%.3g", value);
  }
}

static void print_errors(const debug_results *const r) {
  report *const to = report_new(
      "tensor~,SQNR dB>,inputs dB!,type?,bad<,max abs>,99 %!,90 %!,50 %!,mean abs!,RMS!,cosine!,"
      "layer~");
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    report_cell(to, "%s", e.name);
    report_sqnr(to, e.lowest_sqnr_db);
    report_sqnr(to, e.input_sqnr_db);
    report_cell(to, "%s", tare_dtype_name(e.dtype));
    report_cell(to, "%s", verdict_of(r, &e));
    report_error(to, e.max_abs);
    report_error(to, e.p99_abs);
    report_error(to, e.p90_abs);
    report_error(to, e.p50_abs);
    report_error(to, e.mean_abs);
    report_error(to, e.rms);
    report_number(to, 6, e.cosine);
    report_cell(to, "%s", layer_name(r, &e));
  }
  report_print(to, stdout);
}

/* A column for each level of the gain range. */
static void print_tensor_levels(const debug_results *const r) {
  const tare_eval_result *const eval = r->eval;
  char *const columns = cli_append(level_columns(cli_format("tensor~"), eval), ",layer~");
  report *const to = report_new(columns);
  free(columns);
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    report_cell(to, "%s", e.name);
    for (int l = 0; l < eval->n_levels; l++) {
      report_sqnr(to, e.level_sqnr_db[l]);
    }
    report_cell(to, "%s", layer_name(r, &e));
  }
  puts("\nSQNR in dB by gain");
  report_print(to, stdout);
}

static int64_t largest_bin(const int64_t *const bins) {
  int64_t most = 1;
  for (int b = 0; b < TARE_ERROR_BINS; b++) {
    most = bins[b] > most ? bins[b] : most;
  }
  return most;
}

/* The bins from the first that is not empty to the last, with the share of values up to each. */
static void print_histogram(const tare_tensor_error *const e) {
  const int64_t *const bins = e->histogram;
  const int64_t most = largest_bin(bins);
  int64_t below = 0;
  printf("\nabsolute errors of %s (%s), %" PRId64 " values\n", e->name, tare_dtype_name(e->dtype),
         e->values);
  report *const to = report_new("below>,values>,up to here %>,<");
  for (int b = 0; b < TARE_ERROR_BINS && below < e->values; b++) {
    below += bins[b];
    if (below == 0) {
      continue;
    }
    const int length = (int)((double)bins[b] / (double)most * BAR + 0.5);
    if (b == 0) {
      report_cell(to, "equal");
    } else {
      report_cell(to, "%.3g", ldexp(1, b - 40));
    }
    report_cell(to, "%" PRId64, bins[b]);
    report_number(to, 3, 100.0 * (double)below / (double)e->values);
    report_cell(to, "%.*s", length, "########################################");
  }
  report_print(to, stdout);
}

static void print_first(const debug_results *const r) {
  int first;
  const int n = count_doubts(r, &first);
  if (n == 0) {
    printf("first bad  none\n");
    return;
  }
  const tare_tensor_error e = tare_comparison_tensor(r->comparison, first);
  printf("first bad  layer %s, tensor %s: SQNR %.2f dB", layer_name(r, &e), e.name,
         e.lowest_sqnr_db);
  if (isfinite(e.input_sqnr_db)) {
    printf(", its inputs %.2f dB", e.input_sqnr_db);
  }
  printf("\nbad        %d of %d tensors\n", n, tare_comparison_count(r->comparison));
}

void debug_print(const debug_results *const r) {
  const int n_failures = debug_count_failures(r);
  print_errors(r);
  if (r->eval->n_levels) {
    print_tensor_levels(r);
  }
  for (int i = 0; r->tensor && i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    if (e.histogram) {
      print_histogram(&e);
    }
  }
  printf("\nsamples    %" PRId64 "\n", r->eval->total.samples);
  print_first(r);
  printf("result     %s\n", n_failures ? "mismatch" : "match");
}

/* --- JSON ------------------------------------------------------------------------------------- */

static void histogram_json(cJSON *const item, const int64_t *const bins) {
  cJSON *const list = json_add(item, "histogram", json_array());
  for (int b = 0; b < TARE_ERROR_BINS; b++) {
    if (bins[b]) {
      cJSON *const bin = json_add(list, NULL, json_object());
      json_real(bin, "below", b == 0 ? 0 : ldexp(1, b - 40));
      json_int(bin, "values", bins[b]);
    }
  }
}

static void tensor_levels_json(cJSON *const item, const tare_eval_result *const eval,
                               const tare_tensor_error *const e) {
  cJSON *const list = json_add(item, "levels", json_array());
  for (int l = 0; l < eval->n_levels; l++) {
    cJSON *const level = json_add(list, NULL, json_object());
    json_real(level, "gain_db", eval->levels[l].gain_db);
    json_bool(level, "equal", isinf(e->level_sqnr_db[l]) && e->level_sqnr_db[l] > 0);
    json_real(level, "sqnr_db", e->level_sqnr_db[l]);
  }
}

static void tensor_json(cJSON *const item, const debug_results *const r,
                        const tare_tensor_error *const e) {
  json_text(item, "name", e->name);
  json_text(item, "stored", e->stored);
  json_text(item, "dtype", tare_dtype_name(e->dtype));
  json_text(item, "layer", layer_name(r, e));
  json_bool(item, "output", e->is_output);
  json_bool(item, "comparable", e->comparable);
  json_int(item, "values", e->values);
  json_int(item, "constant", e->constant);
  json_int(item, "undefined", e->undefined);
  json_int(item, "exceeding", e->exceeding);
  json_int(item, "nan", e->nans);
  json_bool(item, "equal", isinf(e->sqnr_db) && e->sqnr_db > 0);
  json_real(item, "sqnr_db", e->sqnr_db);
  json_real(item, "input_sqnr_db", e->input_sqnr_db);
  json_real(item, "cosine", e->cosine);
  json_real(item, "max_abs_error", e->max_abs);
  json_real(item, "p50_abs_error", e->p50_abs);
  json_real(item, "p90_abs_error", e->p90_abs);
  json_real(item, "p99_abs_error", e->p99_abs);
  json_real(item, "mean_abs_error", e->mean_abs);
  json_real(item, "rms_error", e->rms);
  json_text(item, "bad", verdict_of(r, e));
  if (e->level_sqnr_db) {
    tensor_levels_json(item, r->eval, e);
  }
  if (e->histogram) {
    histogram_json(item, e->histogram);
  }
}

void debug_json(cJSON *const object, const debug_results *const r) {
  int first;
  json_bool(object, "match", debug_count_failures(r) == 0);
  json_int(object, "samples", r->eval->total.samples);
  json_real(object, "seconds", r->eval->seconds);
  json_real(object, "reference_seconds", r->eval->reference_seconds);
  json_int(object, "peak_bytes", r->eval->peak_bytes);
  json_int(object, "bad", count_doubts(r, &first));
  json_int(object, "first_bad", first);
  json_int(object, "not_comparable", count_unlike(r));
  json_int(object, "in_bodies", tare_comparison_n_in_bodies(r->comparison));
  cJSON *const list = json_add(object, "tensors", json_array());
  for (int i = 0; i < tare_comparison_count(r->comparison); i++) {
    const tare_tensor_error e = tare_comparison_tensor(r->comparison, i);
    tensor_json(json_add(list, NULL, json_object()), r, &e);
  }
}
