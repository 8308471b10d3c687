/* Reads the result of an evaluation. Nothing in the file is trusted: the numbers of a metric must
 * be ones that its value can be computed of. */
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/seal.h"
#include "base/str.h"
#include "calib/eval/result_file.h"
#include "calib/file/stats_read.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/states.h"
#include "datasets/hdf5/hdf5_driver.h"
#include "datasets/hdf5/hdf5_lock.h"

/* --- arrays ----------------------------------------------------------------------------------- */

static tare_status get_reals(const tarei_stats_reader *const r, const char *const path,
                             const int64_t n, const int columns, double **const out) {
  const int64_t dims[] = {n, columns};
  char *block = NULL;
  const tare_status status = tarei_stats_read_array(r, path, H5T_FLOAT, H5T_NATIVE_DOUBLE,
                                                    sizeof(double), 2 /* rank */, dims, &block);
  *out = (double *)(void *)block;
  return status;
}

static tare_status get_integers(const tarei_stats_reader *const r, const char *const path,
                                const int64_t n, const int columns, int64_t **const out) {
  const int64_t dims[] = {n, columns};
  char *block = NULL;
  const tare_status status = tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_INT64,
                                                    sizeof(int64_t), 2 /* rank */, dims, &block);
  *out = (int64_t *)(void *)block;
  return status;
}

/* The elements of an array along its first axis. */
static tare_status get_first_dim(const tarei_stats_reader *const r, const char *const path,
                                 const H5T_class_t class, const int rank, int64_t *const out) {
  hid_t set = H5I_INVALID_HID;
  int64_t dims[] = {-1, 1};
  TAREI_TRY(tarei_stats_open_set(r, path, class, rank, dims, &set));
  (void)H5Dclose(set); /* was only looked at */
  *out = dims[0];
  return TARE_OK;
}

static tare_status get_bytes(const tarei_stats_reader *const r, const char *const path,
                             char **const out, int64_t *const n) {
  TAREI_TRY(get_first_dim(r, path, H5T_INTEGER, 1 /* rank */, n));
  return tarei_stats_read_array(r, path, H5T_INTEGER, H5T_NATIVE_UINT8, 1, 1 /* rank */, n, out);
}

static bool result_load_has(const tarei_stats_reader *const r, const char *const path) {
  return H5Lexists(r->file, path, H5P_DEFAULT) > 0;
}

/* --- figures ---------------------------------------------------------------------------------- */

static tare_status get_count(const tarei_stats_reader *const r, const char *const name,
                             const int64_t least, const int64_t most, int64_t *const out) {
  uint64_t value = 0;
  TAREI_TRY(tarei_stats_need_number(r, name, &value));
  *out = (int64_t)value;
  return value <= (uint64_t)most && *out >= least
             ? TARE_OK
             : tarei_stats_bad(r, name, "is out of range: the file is corrupt");
}

static tare_status get_result_header(const tarei_stats_reader *const r,
                                     tare_eval_result *const out) {
  enum { MOST_LEVELS = 1 << 12, MOST_OUTPUTS = 1 << 18 }; /* their product is an int */
  int64_t profiles = 0, levels = 0, outputs = 0, compared = 0;
  TAREI_TRY(get_count(r, "profiles", 1, TARE_MAX_PROFILES, &profiles));
  TAREI_TRY(get_count(r, "levels", 0, MOST_LEVELS, &levels));
  TAREI_TRY(get_count(r, "outputs", 1, MOST_OUTPUTS, &outputs));
  TAREI_TRY(get_count(r, "samples", 1, (int64_t)r->most, &out->n_samples));
  TAREI_TRY(get_count(r, "compared", 0, 1, &compared));
  TAREI_TRY(get_count(r, "peak_bytes", 0, INT64_MAX, &out->peak_bytes));
  out->n_profiles = (int)profiles;
  out->n_levels = (int)levels;
  out->n_outputs = (int)outputs;
  out->n_errors = compared ? out->n_samples : 0;
  out->n_columns = tarei_result_n_runs(out) * out->n_outputs;
  return TARE_OK;
}

static tare_status get_figures(const tarei_stats_reader *const r, tare_eval_result *const out) {
  int64_t *fitted = NULL;
  double *seconds = NULL;
  tare_status status = get_integers(r, "/fitted", 1, TAREI_RESULT_FITTED, &fitted);
  if (status == TARE_OK) {
    status = get_reals(r, "/seconds", 1, 2, &seconds);
  }
  if (status == TARE_OK) {
    memcpy(&out->fitted, fitted, TAREI_RESULT_FITTED * sizeof *fitted);
    out->seconds = seconds[0];
    out->reference_seconds = seconds[1];
  }
  free(fitted);
  free(seconds);
  return status;
}

static tare_status get_outputs(const tarei_stats_reader *const r, tare_eval_result *const out) {
  tarei_stats_texts names;
  TAREI_TRY(tarei_stats_read_texts(r, "/outputs", out->n_outputs, &names));
  out->output_names = tarei_calloc((size_t)out->n_outputs, sizeof(char *));
  tare_status status =
      out->output_names ? TARE_OK : tarei_fail_memory(r->err, "/outputs", (size_t)out->n_outputs);
  for (int o = 0; status == TARE_OK && o < out->n_outputs; o++) {
    status = tarei_stats_take_text(r, &names, o, &out->output_names[o]);
  }
  free(names.block);
  return status;
}

static tare_status load_make_scores(const tarei_stats_reader *const r,
                                    tare_eval_result *const out) {
  out->profiles = tarei_calloc((size_t)out->n_profiles, sizeof *out->profiles);
  out->levels = tarei_calloc((size_t)out->n_levels, sizeof *out->levels);
  out->outputs = tarei_calloc((size_t)out->n_outputs, sizeof *out->outputs);
  return out->profiles && out->levels && out->outputs
             ? TARE_OK
             : tarei_fail_memory(r->err, "scores", (size_t)out->n_outputs * sizeof *out->outputs);
}

static tare_status fill_scores(const tarei_stats_reader *const r, const int64_t *const counts,
                               const double *const values, const double *const gains,
                               tare_eval_result *const out) {
  for (int64_t i = 0; i < tarei_result_n_scores(out); i++) {
    tare_eval_score *const score = tarei_result_score(out, i);
    tarei_result_get_score(values + i * TAREI_RESULT_SCORE, counts + i * TAREI_RESULT_SCORE_COUNT,
                           score);
    if (score->worst < -1 || score->worst >= out->n_outputs || score->agreement_output < -1 ||
        score->agreement_output >= out->n_outputs || !tare_agreement_name(score->agreement_kind)) {
      return tarei_stats_bad(r, "/scores/counts", "must have numbers of outputs and kinds");
    }
  }
  for (int l = 0; l < out->n_levels; l++) {
    out->levels[l].gain_db = gains[l];
  }
  return TARE_OK;
}

static tare_status get_scores(const tarei_stats_reader *const r, tare_eval_result *const out) {
  const int64_t n = tarei_result_n_scores(out);
  int64_t *counts = NULL;
  double *values = NULL, *gains = NULL;
  tare_status status = get_integers(r, "/scores/counts", n, TAREI_RESULT_SCORE_COUNT, &counts);
  if (status == TARE_OK) {
    status = get_reals(r, "/scores/values", n, TAREI_RESULT_SCORE, &values);
  }
  if (status == TARE_OK) {
    status = get_reals(r, "/gains", out->n_levels, 1, &gains);
  }
  if (status == TARE_OK) {
    status = load_make_scores(r, out);
  }
  if (status == TARE_OK) {
    status = fill_scores(r, counts, values, gains, out);
  }
  free(counts);
  free(values);
  free(gains);
  return status;
}

/* --- samples ---------------------------------------------------------------------------------- */

static tare_status fill_samples(const tarei_stats_reader *const r,
                                const tarei_stats_texts *const names, const int64_t *const facts,
                                tare_eval_result *const out) {
  const size_t n = (size_t)out->n_samples, room = names->size + 1;
  out->samples = tarei_calloc(n, sizeof *out->samples);
  out->sample_names = tarei_calloc(n, room);
  if (!out->samples || !out->sample_names) {
    return tarei_fail_memory(r->err, "the samples of an evaluation", tarei_times(n, room));
  }
  for (size_t i = 0; i < n; i++) {
    char *const name = out->sample_names + i * room;
    memcpy(name, names->block + i * names->size, names->size);
    out->samples[i] =
        (tare_eval_sample){.name = name, .length = facts[2 * i], .profile = (int)facts[2 * i + 1]};
    if (facts[2 * i] < 0 || facts[2 * i + 1] < 0 || facts[2 * i + 1] >= out->n_profiles) {
      return tarei_stats_bad(r, "/samples/facts", "must be lengths and numbers of profiles");
    }
  }
  return TARE_OK;
}

static tare_status get_samples(const tarei_stats_reader *const r, tare_eval_result *const out) {
  TAREI_TRY(get_reals(r, "/samples/seconds", out->n_samples, 1, &out->sample_seconds));
  if (!result_load_has(r, "/samples/name")) {
    return TARE_OK;
  }
  tarei_stats_texts names = {0};
  int64_t *facts = NULL;
  tare_status status = tarei_stats_need_text(r, "length_symbol", &out->length_symbol);
  if (status == TARE_OK) {
    status = tarei_stats_read_texts(r, "/samples/name", out->n_samples, &names);
  }
  if (status == TARE_OK) {
    status = get_integers(r, "/samples/facts", out->n_samples, 2, &facts);
  }
  if (status == TARE_OK) {
    status = fill_samples(r, &names, facts, out);
  }
  free(names.block);
  free(facts);
  return status;
}

static tare_error_tally make_tally(const double *const v, const int64_t *const n) {
  return (tare_error_tally){.signal = v[0],
                            .noise = v[1],
                            .got = v[2],
                            .dot = v[3],
                            .max_abs = v[4],
                            .spread = v[5],
                            .regret = v[6],
                            .cosines = v[7],
                            .rows = n[0],
                            .agreed = n[1],
                            .values = n[2],
                            .constant = n[3],
                            .undefined = n[4],
                            .broken = n[5],
                            .vectors = n[6],
                            .tokens = n[7],
                            .edits = n[8]};
}

static tare_status get_errors(const tarei_stats_reader *const r, tare_eval_result *const out) {
  double *values = NULL;
  int64_t *counts = NULL;
  if (out->n_errors == 0) {
    return TARE_OK;
  }
  const int64_t n = out->n_errors * out->n_columns;
  tare_status status = get_reals(r, "/errors/values", n, TAREI_RESULT_ERROR, &values);
  if (status == TARE_OK) {
    status = get_integers(r, "/errors/counts", n, TAREI_RESULT_COUNT, &counts);
  }
  if (status == TARE_OK) {
    out->errors = tarei_calloc((size_t)n, sizeof *out->errors);
    status = out->errors ? TARE_OK
                         : tarei_fail_memory(r->err, "/errors/values",
                                             tarei_times((size_t)n, sizeof *out->errors));
  }
  for (int64_t i = 0; status == TARE_OK && i < n; i++) {
    out->errors[i] = make_tally(values + i * TAREI_RESULT_ERROR, counts + i * TAREI_RESULT_COUNT);
  }
  free(values);
  free(counts);
  return status;
}

/* --- metric ----------------------------------------------------------------------------------- */

static tare_status get_settings(const tarei_stats_reader *const r, tarei_metric_settings *const m) {
  int64_t *s = NULL;
  tare_status status = get_integers(r, "/metric/settings", 1, TAREI_RESULT_SETTINGS, &s);
  for (int i = 0; status == TARE_OK && i < TAREI_RESULT_SETTINGS; i++) {
    status = s[i] >= INT32_MIN && s[i] <= INT32_MAX
                 ? TARE_OK
                 : tarei_stats_bad(r, "/metric/settings", "is out of range: the file is corrupt");
  }
  if (status == TARE_OK) {
    *m = (tarei_metric_settings){.words = s[TAREI_RESULT_WORDS] != 0,
                                 .top = (int)s[TAREI_RESULT_TOP],
                                 .ignores = s[TAREI_RESULT_IGNORES] != 0,
                                 .ignored = s[TAREI_RESULT_IGNORED],
                                 .average = (tarei_average)s[TAREI_RESULT_AVERAGE],
                                 .shifts = s[TAREI_RESULT_SHIFTS] != 0,
                                 .shift = s[TAREI_RESULT_SHIFT],
                                 .neighbours = (int)s[TAREI_RESULT_NEIGHBOURS]};
  }
  free(s);
  return status;
}

static bool row_is_sound(const tare_eval_result *const result, const tare_metric_states *const s,
                         const int64_t *const row) {
  const int64_t profile = row[0], level = row[1], at = row[2], n = row[3];
  return profile >= 0 && profile < result->n_profiles && level >= 0 &&
         level < tarei_result_n_runs(result) && n >= 0 && n <= s->n_numbers && at >= 0 &&
         at <= s->n_numbers - n && (n == 0 || s->metric->n_sums == 0 || n == s->metric->n_sums);
}

static tare_status get_rows(const tarei_stats_reader *const r, const tare_eval_result *const result,
                            tare_metric_states *const s) {
  const int n_runs = tarei_result_n_runs(result);
  const int64_t n = result->n_samples * n_runs;
  int64_t *rows = NULL;
  tare_status status = get_integers(r, "/metric/rows", n, TAREI_RESULT_ROW, &rows);
  if (status == TARE_OK) {
    s->rows = tarei_calloc((size_t)n, sizeof *s->rows);
    status = s->rows
                 ? TARE_OK
                 : tarei_fail_memory(r->err, "a metric", tarei_times((size_t)n, sizeof *s->rows));
  }
  for (int64_t i = 0; status == TARE_OK && i < n; i++) {
    const int64_t *const row = rows + i * TAREI_RESULT_ROW;
    s->rows[i] = (tarei_metric_row){.sample = i / n_runs,
                                    .profile = (int)row[0],
                                    .level = (int)row[1],
                                    .at = row[2],
                                    .n = row[3]};
    status = row_is_sound(result, s, row)
                 ? TARE_OK
                 : tarei_stats_bad(r, "/metric/rows",
                                   "must be profiles, levels and places of numbers: the file is "
                                   "corrupt");
  }
  s->n_rows = s->kept_rows = status == TARE_OK ? n : 0;
  s->cap_rows = (size_t)s->n_rows;
  free(rows);
  return status;
}

static tare_status split_answers(const tarei_stats_reader *const r, const char *const all,
                                 const int64_t bytes, tare_metric_states *const s) {
  int64_t at = 0;
  for (int64_t i = 0; i < s->n_samples; i++) {
    const char *const end = at < bytes ? memchr(all + at, '\0', (size_t)(bytes - at)) : NULL;
    if (!end) {
      return tarei_stats_bad(r, "/metric/answers", "must be a text for each sample");
    }
    tarei_str_add(&s->answers[i], "%s", all + at);
    if (s->answers[i].failed) {
      return tarei_fail_memory(r->err, "the answer of each sample", (size_t)bytes);
    }
    at = end - all + 1;
  }
  return TARE_OK;
}

static tare_status get_answers(const tarei_stats_reader *const r, tare_metric_states *const s) {
  char *all = NULL;
  int64_t bytes = 0;
  if (!result_load_has(r, "/metric/answers")) {
    return TARE_OK;
  }
  tare_status status = get_bytes(r, "/metric/answers", &all, &bytes);
  if (status == TARE_OK) {
    s->answers = tarei_calloc((size_t)s->n_samples, sizeof *s->answers);
    status = s->answers ? split_answers(r, all, bytes, s)
                        : tarei_fail_memory(r->err, "the answer of each sample", (size_t)bytes);
  }
  s->cap_answers = s->answers ? (size_t)s->n_samples : 0;
  free(all);
  return status;
}

static tare_status get_numbers(const tarei_stats_reader *const r, tare_metric_states *const s) {
  double *total = NULL;
  tare_status status = get_reals(r, "/metric/total", 1, 1, &total);
  s->total = status == TARE_OK ? *total : s->total;
  free(total);
  TAREI_TRY(status);
  TAREI_TRY(get_first_dim(r, "/metric/numbers", H5T_FLOAT, 2 /* rank */, &s->n_numbers));
  TAREI_TRY(get_reals(r, "/metric/numbers", s->n_numbers, 1, &s->numbers));
  s->cap_numbers = (size_t)s->n_numbers;
  s->kept_numbers = s->n_numbers;
  return TARE_OK;
}

static tare_status fill_metric(const tarei_stats_reader *const r,
                               const tare_eval_result *const result, tare_metric_states *const s) {
  s->n_samples = result->n_samples;
  TAREI_TRY(get_settings(r, &s->settings));
  TAREI_TRY(get_numbers(r, s));
  TAREI_TRY(get_rows(r, result, s));
  TAREI_TRY(get_answers(r, s));
  return !s->metric->accepts || s->metric->accepts(s)
             ? TARE_OK
             : tarei_stats_bad(r, "/metric/numbers", "are not those of this metric");
}

static tare_status get_metric(const tarei_stats_reader *const r, tare_eval_result *const out) {
  const tarei_metric *metric = NULL;
  const tarei_metric_settings none = {0};
  char *name = NULL;
  if (H5Aexists(r->file, "metric") <= 0) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_stats_need_text(r, "metric", &name));
  const tare_status found = tarei_metric_find(name, &metric, NULL);
  const tare_status status =
      found == TARE_OK
          ? tarei_metric_states_new(metric, &none, &out->states, r->err)
          : tarei_fail(r->err, TARE_E_INPUT, "%s: metric '%.80s' is not known", r->path, name);
  free(name);
  TAREI_TRY(status);
  return fill_metric(r, out, out->states);
}

/* --- all -------------------------------------------------------------------------------------- */

static tare_status get_note(const tarei_stats_reader *const r, char **const out) {
  char *bytes = NULL;
  int64_t n = 0;
  tare_status status = result_load_has(r, "/note") ? get_bytes(r, "/note", &bytes, &n) : TARE_OK;
  if (status == TARE_OK) {
    *out = tarei_strndup(bytes ? bytes : "", (size_t)n);
    status = *out ? TARE_OK : tarei_fail_memory(r->err, "a note", (size_t)n);
  }
  free(bytes);
  return status;
}

static tare_status result_load_fill(const tarei_stats_reader *const r, tare_eval_result *const out,
                                    char **const note) {
  TAREI_TRY(get_result_header(r, out));
  TAREI_TRY(get_figures(r, out));
  TAREI_TRY(get_outputs(r, out));
  TAREI_TRY(get_scores(r, out));
  TAREI_TRY(get_samples(r, out));
  TAREI_TRY(get_errors(r, out));
  TAREI_TRY(get_metric(r, out));
  return note ? get_note(r, note) : TARE_OK;
}

static tare_status result_load_check(const tarei_stats_reader *const r, const bool sealed) {
  uint64_t major = 0;
  if (!tarei_stats_has_format(r->file, TAREI_RESULT_FORMAT)) {
    return tarei_fail(r->err, TARE_E_INPUT,
                      "%s is an HDF5 file, but not the result of an evaluation", r->path);
  }
  TAREI_TRY(tarei_stats_need_number(r, "version_major", &major));
  if (major != TAREI_RESULT_MAJOR) {
    return tarei_fail(r->err, TARE_E_INPUT,
                      "%s: result format version %llu, expected %d: evaluate again", r->path,
                      (unsigned long long)major, TAREI_RESULT_MAJOR);
  }
  return sealed ? TARE_OK
                : tarei_stats_bad(r, "the file",
                                  "has no checksum at its end: it is truncated, or was changed");
}

static tare_status result_load_locked(tarei_stats_reader *const r, tare_eval_result *const out,
                                      char **const note) {
  bool sealed;
  TAREI_TRY(tarei_seal_check(r->path, &sealed, r->err));
  r->file = tarei_h5_open_read(r->path);
  if (r->file < 0) {
    return tarei_fail(r->err, TARE_E_INPUT, "%s: not an HDF5 file, or truncated", r->path);
  }
  tare_status status = H5Fget_filesize(r->file, &r->file_size) >= 0
                           ? result_load_check(r, sealed)
                           : tarei_stats_bad(r, "the file", "has no known size");
  if (status == TARE_OK) {
    status = result_load_fill(r, out, note);
  }
  (void)H5Fclose(r->file); /* was only read */
  return status;
}

tare_status tare_eval_result_load(const char *const path, tare_eval_result *const result,
                                  char **const note, tare_error *const err) {
  tarei_stats_reader r = {.path = path, .most = INT32_MAX, .err = err};
  char *text = NULL;
  *result = (tare_eval_result){0};
  TAREI_TRY(tarei_hdf5_lock(err));
  const tare_status status =
      tarei_hdf5_unlock(result_load_locked(&r, result, note ? &text : NULL), err);
  if (status != TARE_OK) {
    tare_eval_result_fini(result);
    free(text);
    return status;
  }
  if (note) {
    *note = text;
  }
  return TARE_OK;
}
