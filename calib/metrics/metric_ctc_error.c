/*
 * Errors by characters or words after greedy CTC decoding: the first largest class of each frame,
 * repeats collapsed, blanks dropped; edit distance to the label text over its length.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "calib/metrics/metric.h"
#include "calib/metrics/rows.h"
#include "calib/metrics/states.h"
#include "calib/metrics/vocabulary.h"

/* A text as the units that are compared: unit i is characters starts[i] up to starts[i + 1]. */
typedef struct ctc_text {
  tarei_characters characters;
  int64_t *starts;
  int64_t n;
} ctc_text;

static void ctc_text_fini(ctc_text *const text) {
  free(text->characters.items);
  free(text->starts);
}

/* Words end with their space, and so does the last one. */
static tare_status ctc_text_split(ctc_text *const text, const bool words, tare_error *const err) {
  tarei_characters_trim(&text->characters);
  const int64_t n = text->characters.n;
  text->starts = tarei_calloc((size_t)n + 1, sizeof *text->starts);
  if (!text->starts) {
    return tarei_fail_memory(err, "a text", (size_t)n * sizeof *text->starts);
  }
  for (int64_t i = 0; i < n; i++) {
    if (!words || i == 0 || text->characters.items[i - 1] == ' ') {
      text->starts[text->n++] = i;
    }
  }
  text->starts[text->n] = n;
  return TARE_OK;
}

static bool ctc_same_unit(const ctc_text *const a, const int64_t i, const ctc_text *const b,
                          const int64_t j) {
  const uint32_t *const x = a->characters.items + a->starts[i];
  const uint32_t *const y = b->characters.items + b->starts[j];
  int64_t m = a->starts[i + 1] - a->starts[i], n = b->starts[j + 1] - b->starts[j];
  m -= m > 1 && x[m - 1] == ' '; /* not those that are units themselves */
  n -= n > 1 && y[n - 1] == ' ';
  return m == n && memcmp(x, y, (size_t)n * sizeof *x) == 0;
}

static int64_t metric_ctc_error_least(const int64_t a, const int64_t b) {
  return a < b ? a : b;
}

/* Levenshtein distance; row holds want->n + 1 numbers. */
static int64_t edit_distance(const ctc_text *const got, const ctc_text *const want,
                             int64_t *const row) {
  for (int64_t j = 0; j <= want->n; j++) {
    row[j] = j;
  }
  for (int64_t i = 1; i <= got->n; i++) {
    int64_t diagonal = row[0];
    row[0] = i;
    for (int64_t j = 1; j <= want->n; j++) {
      const int64_t replaced = diagonal + !ctc_same_unit(got, i - 1, want, j - 1);
      diagonal = row[j];
      row[j] = metric_ctc_error_least(replaced, metric_ctc_error_least(row[j], row[j - 1]) + 1);
    }
  }
  return row[want->n];
}

static tare_status ctc_decode(const tare_tensor *const output, const int64_t *const extents,
                              const tarei_vocabulary *const vocabulary,
                              tarei_characters *const text, tare_error *const err) {
  tarei_rows rows;
  tarei_rows_begin(output, extents, &rows);
  int64_t last = vocabulary->blank;
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset);) {
    const int64_t class = tarei_argmax(output, offset, rows.length);
    if (class != vocabulary->blank && class != last) {
      TAREI_TRY(tarei_vocabulary_add(vocabulary, class, text, err));
    }
    last = class;
  }
  return TARE_OK;
}

/* The label as characters, which the vocabulary must have. */
static tare_status ctc_read_label(const tarei_metric_case *const c,
                                  const tarei_vocabulary *const vocabulary,
                                  tarei_characters *const text, tare_error *const err) {
  const char *const label = c->sample->label_text;
  if (!label) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "%s: metric ctc-error needs a text label, from a column of a CSV or TSV manifest",
        c->sample->name);
  }
  const tare_status status = tarei_characters_add(text, label, err);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "%s: label", c->sample->name);
  }
  tarei_characters_trim(text);
  char lacks[5] = {0};
  const uint32_t character = tarei_vocabulary_lacks(vocabulary, text);
  (void)tarei_utf8_write(character, lacks);
  return !character ? TARE_OK
                    : tarei_fail(err, TARE_E_INPUT,
                                 "%s: '%s' of label \"%.200s\" is not in the vocabulary %.200s",
                                 c->sample->name, lacks, label, vocabulary->source);
}

static tare_status metric_ctc_error_check_output(const tarei_metric_case *const c,
                                                 const tarei_vocabulary *const vocabulary,
                                                 tare_error *const err) {
  tarei_rows rows;
  tarei_rows_begin(c->got, c->extents, &rows);
  for (int a = 0; a < rows.rank - 2; a++) {
    if (rows.extents[a] != 1) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: metric ctc-error needs one recording per sample, but axis %d of "
                        "output '%s' has length %lld",
                        c->sample->name, a, c->output, (long long)rows.extents[a]);
    }
  }
  if (!rows.empty && rows.length != vocabulary->n) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "output '%s' has %lld classes, but the vocabulary %.200s has %lld with the blank",
        c->output, (long long)rows.length, vocabulary->source, (long long)vocabulary->n);
  }
  return TARE_OK;
}

static tare_status ctc_compare(const ctc_text *const got, const ctc_text *const want,
                               tare_metric_states *const states, tare_error *const err) {
  int64_t *const row = tarei_calloc((size_t)want->n + 1, sizeof *row);
  if (!row) {
    return tarei_fail_memory(err, "edit distance", (size_t)want->n * sizeof *row);
  }
  const double sums[] = {(double)edit_distance(got, want, row), (double)want->n};
  free(row);
  return tarei_metric_states_add(states, sums, 2, err);
}

static tare_status metric_ctc_error_add(const tarei_metric_case *const c,
                                        tare_metric_states *const states, tare_error *const err) {
  const tarei_metric_settings *const settings = &states->settings;
  ctc_text got = {{0}}, want = {{0}};
  tare_status status = TARE_OK;
  TAREI_TRY_GOTO(ctc_read_label(c, settings->vocabulary, &want.characters, err), done);
  TAREI_TRY_GOTO(metric_ctc_error_check_output(c, settings->vocabulary, err), done);
  TAREI_TRY_GOTO(ctc_decode(c->got, c->extents, settings->vocabulary, &got.characters, err), done);
  TAREI_TRY_GOTO(ctc_text_split(&got, settings->words, err), done);
  TAREI_TRY_GOTO(ctc_text_split(&want, settings->words, err), done);
  status = ctc_compare(&got, &want, states, err);
done:
  ctc_text_fini(&got);
  ctc_text_fini(&want);
  return status;
}

static tare_status metric_ctc_error_read(const tarei_metric_case *const c,
                                         const tarei_metric_settings *const settings,
                                         tarei_str *const out, tare_error *const err) {
  tarei_characters text = {0};
  const tare_status status = ctc_decode(c->got, c->extents, settings->vocabulary, &text, err);
  tarei_characters_trim(&text);
  for (int64_t i = 0; status == TARE_OK && i < text.n; i++) {
    char bytes[5] = {0};
    (void)tarei_utf8_write(text.items[i], bytes);
    tarei_str_add(out, "%s", bytes);
  }
  free(text.items);
  return status;
}

static tare_status metric_ctc_error_check(const tarei_metric_settings *const settings,
                                          tare_error *const err) {
  return settings->vocabulary
             ? TARE_OK
             : tarei_fail(
                   err, TARE_E_USAGE,
                   "metric ctc-error needs the texts of its classes: give --alphabet or --tokens");
}

const tarei_metric tarei_metric_ctc_error = {
    .name = "ctc-error",
    .summary = "errors by characters or words after greedy CTC decoding",
    .unit = TAREI_PERCENT,
    .lower_is_better = true,
    .takes = TAREI_METRIC_BIT(ALPHABET) | TAREI_METRIC_BIT(TOKENS) | TAREI_METRIC_BIT(BLANK) |
             TAREI_METRIC_BIT(UNIT),
    .least_rank = 2,
    .check = metric_ctc_error_check,
    .add = metric_ctc_error_add,
    .read = metric_ctc_error_read,
    .n_sums = 2,
    .of_sums = tarei_metric_ratio};
