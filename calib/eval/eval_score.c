#include "calib/eval/eval_score.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/measure.h"

/* --- a column --------------------------------------------------------------------------------- */

typedef struct score_column {
  tare_error_tally sums;
  double together_db, tenth_db, sqnr_db;
} score_column;

static void fill_column(const tarei_score_errors *const e, const int column, double *const sqnr_db,
                        score_column *const out) {
  *out = (score_column){0};
  for (int64_t i = 0; i < e->n; i++) {
    const int64_t sample = e->samples ? e->samples[i] : i;
    const tare_error_tally *const own = &e->errors[sample * e->n_columns + column];
    tarei_measure_add(&out->sums, own);
    sqnr_db[i] = tarei_measure_sqnr(own);
  }
  out->together_db = tarei_measure_sqnr(&out->sums);
  out->tenth_db = tarei_measure_tenth(sqnr_db, e->n);
  out->sqnr_db = tarei_measure_judge(out->together_db, out->tenth_db);
}

static void fold_column(const score_column *const c, const int output,
                        tare_eval_score *const score) {
  if (c->sqnr_db < score->sqnr_db || (isnan(score->sqnr_db) && !isnan(c->sqnr_db))) {
    score->sqnr_db = c->sqnr_db;
    score->together_db = c->together_db;
    score->tenth_db = c->tenth_db;
    score->worst = output;
  }
  score->cosine = fmin(score->cosine, tarei_measure_cosine(&c->sums));
  if (c->sums.values + c->sums.constant > 0) {
    score->max_abs_error = fmax(score->max_abs_error, c->sums.max_abs);
  }
  score->values += c->sums.values;
  score->constant += c->sums.constant;
  score->undefined += c->sums.undefined;
  score->broken += c->sums.broken;
}

/* --- a score ---------------------------------------------------------------------------------- */

static bool is_chosen(const tarei_score_errors *const e, const tarei_score_choice *const choice,
                      const int column) {
  const int level = column / e->n_outputs, output = column % e->n_outputs;
  return (choice->level < 0 || choice->level == level) &&
         (choice->output < 0 || choice->output == output);
}

static void begin_score(tare_eval_score *const score) {
  score->sqnr_db = score->together_db = score->tenth_db = NAN;
  score->cosine = score->max_abs_error = score->top1_agreement = NAN;
  score->worst = -1;
  score->values = score->constant = score->undefined = score->broken = 0;
}

tare_status tarei_score_fill(const tarei_score_errors *const e,
                             const tarei_score_choice *const choice, tare_eval_score *const score,
                             tare_error *const err) {
  int64_t rows = 0, agreed = 0;
  begin_score(score);
  if (e->n == 0) {
    return TARE_OK;
  }
  double *const sqnr_db = tarei_calloc((size_t)e->n, sizeof *sqnr_db);
  if (!sqnr_db) {
    return tarei_fail_memory(err, "scores", (size_t)e->n * sizeof *sqnr_db);
  }
  for (int c = 0; c < e->n_columns; c++) {
    if (is_chosen(e, choice, c)) {
      score_column column;
      fill_column(e, c, sqnr_db, &column);
      fold_column(&column, c % e->n_outputs, score);
      rows += column.sums.rows;
      agreed += column.sums.agreed;
    }
  }
  score->top1_agreement = rows > 0 ? (double)agreed / (double)rows : NAN;
  free(sqnr_db);
  return TARE_OK;
}

/* --- a result --------------------------------------------------------------------------------- */

static tarei_score_errors errors_of(const tare_eval_result *const r) {
  return (tarei_score_errors){
      .errors = r->errors, .n_columns = r->n_columns, .n_outputs = r->n_outputs, .n = r->n_errors};
}

static tare_status score_profiles(tare_eval_result *const r, const tare_eval_sample *const samples,
                                  tare_error *const err) {
  static const tarei_score_choice all = {-1, -1};
  tarei_score_errors e = errors_of(r);
  int64_t *const own = tarei_calloc((size_t)r->n_errors, sizeof *own);
  if (!own) {
    return tarei_fail_memory(err, "scores", (size_t)r->n_errors * sizeof *own);
  }
  tare_status status = TARE_OK;
  e.samples = own;
  for (int p = 0; status == TARE_OK && p < r->n_profiles; p++) {
    e.n = 0;
    for (int64_t i = 0; i < r->n_errors; i++) {
      if (samples[i].profile == p) {
        own[e.n++] = i;
      }
    }
    status = tarei_score_fill(&e, &all, &r->profiles[p], err);
  }
  free(own);
  return status;
}

tare_status tarei_score_result(tare_eval_result *const r, const tare_eval_sample *const samples,
                               tare_error *const err) {
  const tarei_score_errors e = errors_of(r);
  const tarei_score_choice all = {-1, -1};
  TAREI_TRY(tarei_score_fill(&e, &all, &r->total, err));
  for (int l = 0; l < r->n_levels; l++) {
    const tarei_score_choice level = {l, -1};
    TAREI_TRY(tarei_score_fill(&e, &level, &r->levels[l].score, err));
  }
  for (int o = 0; o < r->n_outputs; o++) {
    const tarei_score_choice output = {-1, o};
    TAREI_TRY(tarei_score_fill(&e, &output, &r->outputs[o], err));
  }
  return score_profiles(r, samples, err);
}

/* --- some of the samples ---------------------------------------------------------------------- */

/* The metric over some of the samples. */
static tare_status eval_metric_of(const tare_eval_result *const result,
                                  const int64_t *const samples, const int64_t n, double *const out,
                                  tare_error *const err) {
  const int64_t n_all = tare_metric_states_count(result->states);
  int32_t *const times = tarei_calloc((size_t)n_all, sizeof *times);
  if (!times) {
    return tarei_fail_memory(err, "metric", (size_t)n_all * sizeof *times);
  }
  for (int64_t i = 0; i < n; i++) {
    times[samples[i]]++;
  }
  const tare_status status = tare_metric_states_value(result->states, times, out, err);
  free(times);
  return status;
}

tare_status tare_eval_score_of(const tare_eval_result *const result, const int64_t *const samples,
                               const int64_t n, tare_eval_score *const out, tare_error *const err) {
  static const tarei_score_choice all = {-1, -1};
  tarei_score_errors e = errors_of(result);
  for (int64_t i = 0; i < n; i++) {
    TAREI_TRY(tarei_check_number("sample", samples[i], result->n_samples, err));
  }
  *out = (tare_eval_score){.samples = n, .metric = NAN, .reference = NAN};
  e.samples = samples;
  e.n = result->n_errors > 0 ? n : 0;
  TAREI_TRY(tarei_score_fill(&e, &all, out, err));
  return result->states ? eval_metric_of(result, samples, n, &out->metric, err) : TARE_OK;
}
