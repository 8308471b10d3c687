#include "calib/eval/eval_score.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/eval/agreement/agreement.h"
#include "calib/eval/measure.h"

/* Which columns count; -1: all. */
typedef struct score_choice {
  int level, output;
} score_choice;

static const score_choice ALL = {-1, -1};

static bool is_chosen(const tarei_score_errors *const e, const score_choice *const choice,
                      const int column) {
  const int level = column / e->n_outputs, output = column % e->n_outputs;
  return (choice->level < 0 || choice->level == level) &&
         (choice->output < 0 || choice->output == output);
}

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

/* --- agreement of an output ------------------------------------------------------------------- */

typedef struct score_agreement {
  tare_error_tally sums; /* over all samples */
  double figure, tenth;
} score_agreement;

/* Sums of a sample at all levels that count. */
static void score_add_sample(const tarei_score_errors *const e, const score_choice *const choice,
                             const int64_t sample, const int output, tare_error_tally *const sums) {
  for (int c = output; c < e->n_columns; c += e->n_outputs) {
    if (is_chosen(e, choice, c)) {
      tarei_measure_add(sums, &e->errors[sample * e->n_columns + c]);
    }
  }
}

/* `room`: of a number for each sample. */
static void score_find_agreement(const tarei_score_errors *const e,
                                 const score_choice *const choice, const int output,
                                 double *const room, score_agreement *const out) {
  const tare_agreement of = e->outputs[output].agreement_kind;
  const tarei_agreement_kind *const kind = tarei_agreement_kind_at(of);
  double sum = 0;
  int64_t n = 0;
  *out = (score_agreement){.figure = NAN, .tenth = NAN};
  for (int64_t i = 0; kind && i < e->n; i++) {
    tare_error_tally own = {0};
    score_add_sample(e, choice, e->samples ? e->samples[i] : i, output, &own);
    tarei_measure_add(&out->sums, &own);
    const double figure = kind->figure(&own);
    room[i] = kind->best > 0 ? figure : -figure; /* higher is better */
    sum += isnan(figure) ? 0 : figure;
    n += !isnan(figure);
  }
  if (kind && n > 0) {
    out->figure = kind->of_samples ? sum / (double)n : kind->figure(&out->sums);
    out->tenth = fabs(tarei_measure_tenth(room, e->n));
  }
}

static void fold_agreement(const tarei_score_errors *const e, const score_agreement *const a,
                           const int output, double *const worst, tare_eval_score *const score) {
  const tare_agreement kind = e->outputs[output].agreement_kind;
  const double badness = tarei_agreement_badness(kind, a->figure);
  if (badness > *worst) {
    *worst = badness;
    score->agreement = a->figure;
    score->agreement_tenth = a->tenth;
    score->agreement_kind = kind;
    score->agreement_output = output;
  }
}

/* The kinds of outputs stay as they are. */
static void fill_agreement(const tarei_score_errors *const e, const score_choice *const choice,
                           double *const room, tare_eval_score *const score) {
  double worst = -1;
  for (int o = 0; e->outputs && o < e->n_outputs; o++) {
    if (choice->output < 0 || choice->output == o) {
      score_agreement found;
      score_find_agreement(e, choice, o, room, &found);
      fold_agreement(e, &found, o, &worst, score);
    }
  }
}

static tarei_score_errors errors_of(const tare_eval_result *const r) {
  return (tarei_score_errors){.errors = r->errors,
                              .n_columns = r->n_columns,
                              .n_outputs = r->n_outputs,
                              .outputs = r->outputs,
                              .n = r->n_errors};
}

bool tare_agreement_is_low(const tare_eval_result *const result, const int output) {
  tare_error_tally sums = {0};
  const tarei_score_errors e = errors_of(result);
  if (output < 0 || output >= result->n_outputs) {
    return false;
  }
  const tare_eval_score *const score = &result->outputs[output];
  const tarei_agreement_kind *const kind = tarei_agreement_kind_at(score->agreement_kind);
  for (int64_t i = 0; kind && i < e.n; i++) {
    score_add_sample(&e, &ALL, i, output, &sums);
  }
  const double figure = kind && kind->of_samples ? score->agreement_tenth : score->agreement;
  return kind && fabs(figure - kind->best) > kind->low &&
         tarei_agreement_counted(score->agreement_kind, &sums) >= kind->least &&
         (!kind->has_ties || tarei_agreement_is_clear(&sums));
}

/* --- a score ---------------------------------------------------------------------------------- */

static void begin_score(tare_eval_score *const score) {
  score->sqnr_db = score->together_db = score->tenth_db = NAN;
  score->cosine = score->max_abs_error = score->top1_agreement = NAN;
  score->agreement = score->agreement_tenth = NAN;
  score->worst = score->agreement_output = -1;
  score->values = score->constant = score->undefined = score->broken = 0;
}

/* Columns of errors, each of which several scores fold, and room for a number of each sample. */
typedef struct score_sheet {
  const tarei_score_errors *errors;
  score_column *columns;
  double *room;
} score_sheet;

static void sheet_fini(score_sheet *const sheet) {
  free(sheet->columns);
  free(sheet->room);
}

/* Whatever happens, sheet_fini frees it. */
static tare_status sheet_make(const tarei_score_errors *const e, score_sheet *const out,
                              tare_error *const err) {
  *out = (score_sheet){.errors = e,
                       .columns = tarei_calloc((size_t)e->n_columns, sizeof *out->columns),
                       .room = tarei_calloc((size_t)e->n, sizeof *out->room)};
  if (!out->columns || !out->room) {
    return tarei_fail_memory(err, "scores", (size_t)e->n * sizeof *out->room);
  }
  for (int c = 0; c < e->n_columns; c++) {
    fill_column(e, c, out->room, &out->columns[c]);
  }
  return TARE_OK;
}

static void sheet_score(const score_sheet *const sheet, const score_choice *const choice,
                        tare_eval_score *const score) {
  const tarei_score_errors *const e = sheet->errors;
  int64_t rows = 0, agreed = 0;
  begin_score(score);
  if (e->n == 0) {
    return;
  }
  for (int c = 0; c < e->n_columns; c++) {
    if (is_chosen(e, choice, c)) {
      fold_column(&sheet->columns[c], c % e->n_outputs, score);
      rows += sheet->columns[c].sums.rows;
      agreed += sheet->columns[c].sums.agreed;
    }
  }
  fill_agreement(e, choice, sheet->room, score);
  score->top1_agreement = rows > 0 ? (double)agreed / (double)rows : NAN;
}

tare_status tarei_score_fill(const tarei_score_errors *const e, tare_eval_score *const score,
                             tare_error *const err) {
  score_sheet sheet;
  const tare_status status = sheet_make(e, &sheet, err);
  if (status == TARE_OK) {
    sheet_score(&sheet, &ALL, score);
  }
  sheet_fini(&sheet);
  return status;
}

/* --- a result --------------------------------------------------------------------------------- */

static tare_status score_profiles(tare_eval_result *const r, const tare_eval_sample *const samples,
                                  tare_error *const err) {
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
    status = tarei_score_fill(&e, &r->profiles[p], err);
  }
  free(own);
  return status;
}

tare_status tarei_score_result(tare_eval_result *const r, const tare_eval_sample *const samples,
                               tare_error *const err) {
  const tarei_score_errors e = errors_of(r);
  score_sheet sheet;
  const tare_status status = sheet_make(&e, &sheet, err);
  if (status == TARE_OK) {
    sheet_score(&sheet, &ALL, &r->total);
  }
  for (int l = 0; status == TARE_OK && l < r->n_levels; l++) {
    const score_choice level = {l, -1};
    sheet_score(&sheet, &level, &r->levels[l].score);
  }
  for (int o = 0; status == TARE_OK && o < r->n_outputs; o++) {
    const score_choice output = {-1, o};
    sheet_score(&sheet, &output, &r->outputs[o]);
  }
  sheet_fini(&sheet);
  return status == TARE_OK ? score_profiles(r, samples, err) : status;
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
  tarei_score_errors e = errors_of(result);
  for (int64_t i = 0; i < n; i++) {
    TAREI_TRY(tarei_check_number("sample", samples[i], result->n_samples, err));
  }
  *out = (tare_eval_score){.samples = n, .metric = NAN, .reference = NAN};
  e.samples = samples;
  e.n = result->n_errors > 0 ? n : 0;
  TAREI_TRY(tarei_score_fill(&e, out, err));
  return result->states ? eval_metric_of(result, samples, n, &out->metric, err) : TARE_OK;
}
