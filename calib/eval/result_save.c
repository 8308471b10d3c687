/* Writes the result of an evaluation as HDF5, in one order and without times. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <tare/tare.h>

#include "calib/eval/result_file.h"
#include "calib/file/stats_write.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"
#include "datasets/hdf5/hdf5_lock.h"
#include "datasets/hdf5/hdf5_outfile.h"

static void put_reals(tarei_stats_writer *const w, const char *const path, const int64_t n,
                      const int columns, const double *const values) {
  const hsize_t dims[] = {(hsize_t)n, (hsize_t)columns};
  tarei_stats_put_array(w, path, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, 2 /* rank */, dims, values);
}

static void put_integers(tarei_stats_writer *const w, const char *const path, const int64_t n,
                         const int columns, const int64_t *const values) {
  const hsize_t dims[] = {(hsize_t)n, (hsize_t)columns};
  tarei_stats_put_array(w, path, H5T_STD_I64LE, H5T_NATIVE_INT64, 2 /* rank */, dims, values);
}

static void put_block(tarei_stats_writer *const w, const char *const path, const char *const bytes,
                      const size_t n) {
  const hsize_t dims[] = {(hsize_t)n};
  tarei_stats_put_array(w, path, H5T_STD_U8LE, H5T_NATIVE_UINT8, 1 /* rank */, dims, bytes);
}

static void put_figures(tarei_stats_writer *const w, const tare_eval_result *const r) {
  const double seconds[] = {r->seconds, r->reference_seconds};
  int64_t fitted[TAREI_RESULT_FITTED];
  memcpy(fitted, &r->fitted, sizeof fitted);
  put_integers(w, "/fitted", 1, TAREI_RESULT_FITTED, fitted);
  put_reals(w, "/seconds", 1, 2, seconds);
}

static void put_header(tarei_stats_writer *const w, const tare_eval_result *const r) {
  tarei_stats_put_text(w, "format", TAREI_RESULT_FORMAT);
  tarei_stats_put_number(w, "version_major", TAREI_RESULT_MAJOR);
  tarei_stats_put_number(w, "version_minor", TAREI_RESULT_MINOR);
  tarei_stats_put_text(w, "tare_version", TARE_VERSION);
  tarei_stats_put_number(w, "profiles", (uint64_t)r->n_profiles);
  tarei_stats_put_number(w, "levels", (uint64_t)r->n_levels);
  tarei_stats_put_number(w, "outputs", (uint64_t)r->n_outputs);
  tarei_stats_put_number(w, "samples", (uint64_t)r->n_samples);
  tarei_stats_put_number(w, "compared", r->n_errors > 0);
  tarei_stats_put_number(w, "peak_bytes", (uint64_t)r->peak_bytes);
}

static void put_scores(tarei_stats_writer *const w, const tare_eval_result *const result) {
  tare_eval_result r = *result; /* its arrays are only read */
  const int64_t n = tarei_result_n_scores(&r);
  int64_t *const counts = (int64_t *)(void *)tarei_stats_make_block(
      w, (size_t)n, TAREI_RESULT_SCORE_COUNT * sizeof *counts);
  double *const values =
      (double *)(void *)tarei_stats_make_block(w, (size_t)n, TAREI_RESULT_SCORE * sizeof *values);
  for (int64_t i = 0; counts && values && i < n; i++) {
    tarei_result_put_score(tarei_result_score(&r, i), values + i * TAREI_RESULT_SCORE,
                           counts + i * TAREI_RESULT_SCORE_COUNT);
  }
  tarei_stats_put_group(w, "/scores");
  put_integers(w, "/scores/counts", n, TAREI_RESULT_SCORE_COUNT, counts);
  put_reals(w, "/scores/values", n, TAREI_RESULT_SCORE, values);
  free(counts);
  free(values);
}

static void put_output_names(tarei_stats_writer *const w, const tare_eval_result *const r) {
  tarei_stats_put_texts(w, "/outputs", r->n_outputs, (const char *const *)r->output_names,
                        sizeof *r->output_names);
}

static void put_gains(tarei_stats_writer *const w, const tare_eval_result *const r) {
  double *const gains =
      (double *)(void *)tarei_stats_make_block(w, (size_t)r->n_levels, sizeof *gains);
  for (int l = 0; gains && l < r->n_levels; l++) {
    gains[l] = r->levels[l].gain_db;
  }
  put_reals(w, "/gains", r->n_levels, 1, gains);
  free(gains);
}

/* --- samples ---------------------------------------------------------------------------------- */

static void put_facts(tarei_stats_writer *const w, const tare_eval_result *const r) {
  int64_t *const facts =
      (int64_t *)(void *)tarei_stats_make_block(w, (size_t)r->n_samples, 2 * sizeof *facts);
  for (int64_t i = 0; facts && i < r->n_samples; i++) {
    facts[2 * i] = r->samples[i].length;
    facts[2 * i + 1] = r->samples[i].profile;
  }
  tarei_stats_put_text(w, "length_symbol", r->length_symbol);
  tarei_stats_put_texts(w, "/samples/name", (int)r->n_samples, &r->samples[0].name,
                        sizeof *r->samples);
  put_integers(w, "/samples/facts", r->n_samples, 2, facts);
  free(facts);
}

static void put_samples(tarei_stats_writer *const w, const tare_eval_result *const r) {
  tarei_stats_put_group(w, "/samples");
  put_reals(w, "/samples/seconds", r->n_samples, 1, r->sample_seconds);
  if (r->samples) {
    put_facts(w, r);
  }
}

/* By sample, level and output. */
static void put_errors(tarei_stats_writer *const w, const tare_eval_result *const r) {
  if (r->n_errors == 0) {
    return;
  }
  const int64_t n = r->n_errors * r->n_columns;
  double *const values =
      (double *)(void *)tarei_stats_make_block(w, (size_t)n, TAREI_RESULT_ERROR * sizeof *values);
  int64_t *const counts =
      (int64_t *)(void *)tarei_stats_make_block(w, (size_t)n, TAREI_RESULT_COUNT * sizeof *counts);
  for (int64_t i = 0; values && counts && i < n; i++) {
    const tare_error_tally *const t = &r->errors[i];
    const double sums[TAREI_RESULT_ERROR] = {t->signal,  t->noise,  t->got,    t->dot,
                                             t->max_abs, t->spread, t->regret, t->cosines};
    const int64_t of[TAREI_RESULT_COUNT] = {t->rows,     t->agreed,    t->values,
                                            t->constant, t->undefined, t->broken,
                                            t->vectors,  t->tokens,    t->edits};
    memcpy(values + i * TAREI_RESULT_ERROR, sums, sizeof sums);
    memcpy(counts + i * TAREI_RESULT_COUNT, of, sizeof of);
  }
  tarei_stats_put_group(w, "/errors");
  put_reals(w, "/errors/values", n, TAREI_RESULT_ERROR, values);
  put_integers(w, "/errors/counts", n, TAREI_RESULT_COUNT, counts);
  free(values);
  free(counts);
}

/* --- metric ----------------------------------------------------------------------------------- */

static void put_settings(tarei_stats_writer *const w, const tare_metric_states *const s) {
  const tarei_metric_settings *const m = &s->settings;
  const int64_t settings[TAREI_RESULT_SETTINGS] = {
      [TAREI_RESULT_WORDS] = m->words,     [TAREI_RESULT_TOP] = m->top,
      [TAREI_RESULT_IGNORES] = m->ignores, [TAREI_RESULT_IGNORED] = m->ignored,
      [TAREI_RESULT_AVERAGE] = m->average, [TAREI_RESULT_SHIFTS] = m->shifts,
      [TAREI_RESULT_SHIFT] = m->shift,     [TAREI_RESULT_NEIGHBOURS] = m->neighbours};
  put_integers(w, "/metric/settings", 1, TAREI_RESULT_SETTINGS, settings);
}

static void put_metric_rows(tarei_stats_writer *const w, const tare_metric_states *const s) {
  int64_t *const rows = (int64_t *)(void *)tarei_stats_make_block(w, (size_t)s->n_rows,
                                                                  TAREI_RESULT_ROW * sizeof *rows);
  for (int64_t r = 0; rows && r < s->n_rows; r++) {
    const tarei_metric_row *const row = &s->rows[r];
    const int64_t of[TAREI_RESULT_ROW] = {row->profile, row->level, row->at, row->n};
    memcpy(rows + r * TAREI_RESULT_ROW, of, sizeof of);
  }
  put_integers(w, "/metric/rows", s->n_rows, TAREI_RESULT_ROW, rows);
  free(rows);
}

/* Texts with a zero behind each. */
static void put_answers(tarei_stats_writer *const w, const tare_metric_states *const s) {
  size_t bytes = 0;
  for (int64_t i = 0; i < s->n_samples; i++) {
    bytes += s->answers[i].length + 1;
  }
  char *const all = tarei_stats_make_block(w, bytes, 1);
  char *next = all;
  for (int64_t i = 0; all && i < s->n_samples; i++) {
    memcpy(next, tarei_str_get(&s->answers[i]), s->answers[i].length);
    next += s->answers[i].length + 1;
  }
  put_block(w, "/metric/answers", all, bytes);
  free(all);
}

static void put_metric(tarei_stats_writer *const w, const tare_metric_states *const s) {
  if (!s) {
    return;
  }
  tarei_stats_put_text(w, "metric", s->metric->name);
  tarei_stats_put_group(w, "/metric");
  put_settings(w, s);
  put_reals(w, "/metric/total", 1, 1, &s->total);
  put_metric_rows(w, s);
  put_reals(w, "/metric/numbers", s->n_numbers, 1, s->numbers);
  if (s->answers) {
    put_answers(w, s);
  }
}

/* --- all -------------------------------------------------------------------------------------- */

static tare_status result_save_locked(const tare_eval_result *const result, const char *const note,
                                      const char *const path, tare_error *const err) {
  tarei_h5_outfile h;
  TAREI_TRY(tarei_h5_outfile_open(path, H5F_LIBVER_V18, &h, err));
  tarei_stats_writer w = {.file = h.file, .ok = true};
  put_header(&w, result);
  put_figures(&w, result);
  put_output_names(&w, result);
  put_scores(&w, result);
  put_gains(&w, result);
  put_samples(&w, result);
  put_errors(&w, result);
  put_metric(&w, result->states);
  if (note) {
    put_block(&w, "/note", note, strlen(note));
  }
  const tare_status status =
      w.no_memory ? tarei_fail_memory(err, path, (size_t)result->n_samples * sizeof(double))
                  : tarei_h5_outfile_check(&h, w.ok, err);
  if (status != TARE_OK) {
    tarei_h5_outfile_abort(&h);
    return status;
  }
  return tarei_h5_outfile_commit(&h, true /* seal */, err);
}

tare_status tare_eval_result_save(const tare_eval_result *const result, const char *const note,
                                  const char *const path, tare_error *const err) {
  if (result->states && result->states->metric->custom) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "%s: metric '%s' is one of the program, which no reader of the file has",
                      path, result->states->metric->name);
  }
  TAREI_TRY(tarei_hdf5_lock(err));
  const tare_status status = result_save_locked(result, note, path, err);
  return tarei_hdf5_unlock(status, err);
}
