/*
 * Character errors after greedy CTC decoding: the first largest class of each frame, repeats
 * collapsed, class 0 (blank) dropped; edit distance to the label text over its length.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "calib/eval/eval_rows.h"
#include "calib/eval/metric.h"

static int64_t metric_ctc_error_least(const int64_t a, const int64_t b) {
  return a < b ? a : b;
}

/* Levenshtein distance; row holds n + 1 numbers. */
static int64_t edit_distance(const char *const got, const int64_t m, const char *const want,
                             const int64_t n, int64_t *const row) {
  for (int64_t j = 0; j <= n; j++) {
    row[j] = j;
  }
  for (int64_t i = 1; i <= m; i++) {
    int64_t diagonal = row[0];
    row[0] = i;
    for (int64_t j = 1; j <= n; j++) {
      const int64_t replaced = diagonal + (got[i - 1] != want[j - 1]);
      diagonal = row[j];
      row[j] = metric_ctc_error_least(replaced, metric_ctc_error_least(row[j], row[j - 1]) + 1);
    }
  }
  return row[n];
}

/* Text of one sample into text, which holds one character per frame; returns its length. */
static int64_t metric_ctc_error_decode(const tarei_metric_case *const c, tarei_rows *const rows,
                                       char *const text) {
  int64_t length = 0, last = 0;
  for (int64_t offset = 0; tarei_rows_next(rows, &offset);) {
    const int64_t class = tarei_argmax(c->got, offset, rows->length);
    if (class != 0 && class != last) {
      text[length++] = c->alphabet[class - 1];
    }
    last = class;
  }
  return length;
}

static tare_status check_text(const tarei_metric_case *const c, tare_error *const err) {
  const char *const text = c->sample->label_text;
  if (!text) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "%s: metric ctc-error needs a text label, from a column of a CSV or TSV manifest",
        c->sample->name);
  }
  const size_t known = strspn(text, c->alphabet);
  if (text[known]) {
    return tarei_fail(err, TARE_E_INPUT, "%s: '%c' of label \"%s\" is not in the alphabet \"%s\"",
                      c->sample->name, text[known], text, c->alphabet);
  }
  return TARE_OK;
}

static tare_status metric_ctc_error_check_output(const tarei_metric_case *const c,
                                                 const tarei_rows *const rows,
                                                 int64_t *const frames, tare_error *const err) {
  const int64_t classes = (int64_t)strlen(c->alphabet) + 1;
  *frames = rows->extents[rows->rank - 2];
  for (int a = 0; a < rows->rank - 2; a++) {
    if (rows->extents[a] != 1) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: metric ctc-error needs one recording per sample, but axis %d of "
                        "output '%s' has length %lld",
                        c->sample->name, a, c->output, (long long)rows->extents[a]);
    }
  }
  if (!rows->empty && rows->length != classes) {
    return tarei_fail(
        err, TARE_E_USAGE,
        "output '%s' has %lld classes, but the alphabet \"%s\" and the blank make %lld", c->output,
        (long long)rows->length, c->alphabet, (long long)classes);
  }
  return TARE_OK;
}

static tare_status metric_ctc_error_add(const tarei_metric_case *const c,
                                        tare_metric_tally *const sum, tare_error *const err) {
  tarei_rows rows;
  tarei_rows_begin(c->got, c->extents, &rows);
  int64_t frames = 0;
  TAREI_TRY(check_text(c, err));
  TAREI_TRY(metric_ctc_error_check_output(c, &rows, &frames, err));
  const int64_t n = (int64_t)strlen(c->sample->label_text);
  char *const text = tarei_calloc((size_t)frames, 1);
  int64_t *const row = tarei_calloc((size_t)n + 1, sizeof *row);
  if (!text || !row) {
    free(text);
    free(row);
    return tarei_fail_memory(err, "edit distance", (size_t)(frames + n) * sizeof *row);
  }
  const int64_t m = metric_ctc_error_decode(c, &rows, text);
  sum->part += edit_distance(text, m, c->sample->label_text, n, row);
  sum->whole += n;
  free(text);
  free(row);
  return TARE_OK;
}

const tarei_metric tarei_metric_ctc_error = {
    .name = "ctc-error",
    .summary = "character errors after greedy CTC decoding",
    .unit = TAREI_PERCENT,
    .lower_is_better = true,
    .needs_alphabet = true,
    .least_rank = 2,
    .add = metric_ctc_error_add};
