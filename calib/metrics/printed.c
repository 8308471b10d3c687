#include "calib/metrics/printed.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum { LINE_BYTES = 64, PRINTED_BYTES = 65536, NUMBERS = 2 /* of a line: a sum and its weight */ };

size_t tarei_printed_most(const int64_t n_runs) {
  return tarei_plus(PRINTED_BYTES, tarei_times((size_t)n_runs, LINE_BYTES));
}

/* --- lines ------------------------------------------------------------------------------------ */

static bool printed_is_blank(const char c) {
  return c == ' ' || c == '\t' || c == '\r';
}

static const char *printed_skip(const char *at) {
  while (printed_is_blank(*at)) {
    at++;
  }
  return at;
}

/* A number and, if there is one, its weight. */
static bool printed_parse(const char *at, double *const numbers) {
  int n = 0;
  for (at = printed_skip(at); *at && *at != '\n'; at = printed_skip(at)) {
    char *end = NULL;
    const double number = strtod(at, &end);
    if (n == NUMBERS || end == at || !isfinite(number) ||
        !(*end == '\0' || *end == '\n' || printed_is_blank(*end))) {
      return false;
    }
    numbers[n++] = number;
    at = end;
  }
  if (n == 1) {
    numbers[1] = 1;
  }
  return n > 0 && numbers[1] >= 0;
}

/* Where what was printed ends, without blanks and empty lines behind it. */
static const char *printed_end(const char *const text) {
  const char *end = text + strlen(text);
  while (end > text && (end[-1] == '\n' || printed_is_blank(end[-1]))) {
    end--;
  }
  return end;
}

static int64_t printed_count(const char *const text, const char *const end) {
  int64_t n = end > text;
  for (const char *at = text; at < end; at++) {
    n += *at == '\n';
  }
  return n;
}

static tare_status printed_fail_line(const char *const command, const int64_t line,
                                     const char *const text, tare_error *const err) {
  enum { SHOWN = 60 };
  const size_t length = strcspn(text, "\r\n");
  return tarei_fail(err, TARE_E_INPUT,
                    "metric command '%s' printed '%.*s%s' in line %lld: expected a finite number, "
                    "or a sum and its weight",
                    command, (int)(length < SHOWN ? length : SHOWN), text,
                    length > SHOWN ? "..." : "", (long long)line);
}

static tare_status printed_parse_all(const char *const command, const char *text, const int64_t n,
                                     double *const numbers, tare_error *const err) {
  for (int64_t i = 0; i < n; i++) {
    if (!printed_parse(text, &numbers[NUMBERS * i])) {
      return printed_fail_line(command, i + 1, text, err);
    }
    text += strcspn(text, "\n");
    text += *text == '\n';
  }
  return TARE_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The states own the numbers. A row of weight 0 has no label. */
static void printed_give(tare_metric_states *const s, double *const numbers, const int64_t n,
                         const int n_levels) {
  s->total = NAN;
  if (n < s->n_rows) {
    s->total = tarei_metric_ratio(numbers);
    free(numbers);
    return;
  }
  free(s->numbers);
  s->numbers = numbers;
  s->n_numbers = NUMBERS * n;
  for (int64_t r = 0; r < s->n_rows; r++) {
    tarei_metric_row *const row = &s->rows[r];
    row->at = NUMBERS * (row->sample * n_levels + row->level);
    row->n = numbers[row->at + 1] > 0 ? NUMBERS : 0;
  }
}

tare_status tarei_printed_read(const char *const command, const char *const text,
                               const int n_levels, tare_metric_states *const states,
                               tare_error *const err) {
  const int64_t n = printed_count(text, printed_end(text));
  if (n == 0) {
    return tarei_fail(err, TARE_E_INPUT, "metric command '%s' printed nothing: expected a number",
                      command);
  }
  if (n != 1 && n != states->n_rows) {
    return tarei_fail(err, TARE_E_INPUT,
                      "metric command '%s' printed %lld lines: expected 1, for all samples, or "
                      "%lld, one for each group of TARE_OUTPUTS",
                      command, (long long)n, (long long)states->n_rows);
  }
  double *const numbers = tarei_calloc((size_t)n, NUMBERS * sizeof *numbers);
  if (!numbers) {
    return tarei_fail_memory(err, "metric", (size_t)n * NUMBERS * sizeof *numbers);
  }
  const tare_status status = printed_parse_all(command, text, n, numbers, err);
  if (status != TARE_OK) {
    free(numbers);
    return status;
  }
  printed_give(states, numbers, n, n_levels);
  return TARE_OK;
}

/* --- slots ------------------------------------------------------------------------------------ */

tare_status tarei_printed_check(const tarei_metric_settings *const settings,
                                tare_error *const err) {
  return settings->command
             ? TARE_OK
             : tarei_fail(err, TARE_E_USAGE,
                          "metrics score and loss need --metric-command CMD: a command of the "
                          "shell that prints the metric");
}

/* Whether it has each row, once. */
static bool printed_is_whole(const tarei_metric_choice *const choice) {
  const tare_metric_states *const s = choice->states;
  bool whole = choice->begin == 0 && (choice->end == 0 || choice->end == s->n_rows);
  for (int64_t r = 0; whole && r < s->n_rows; r++) {
    const tarei_metric_row *const row = &s->rows[r];
    whole = (!choice->times || choice->times[row->sample] == 1) &&
            (choice->profile < 0 || choice->profile == row->profile) &&
            (choice->level < 0 || choice->level == row->level);
  }
  return whole;
}

tare_status tarei_printed_value(const tarei_metric_choice *const choice, double *const out,
                                tare_error *const err) {
  double sums[NUMBERS] = {0};
  int64_t at = 0;
  int32_t times = 0;
  (void)err;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    sums[0] += times * choice->states->numbers[row->at];
    sums[1] += times * choice->states->numbers[row->at + 1];
  }
  *out = !isnan(choice->states->total) && printed_is_whole(choice) ? choice->states->total
                                                                   : tarei_metric_ratio(sums);
  return TARE_OK;
}

/* None, or a sum and its weight. */
bool tarei_printed_accepts(const tare_metric_states *const states) {
  bool good = true;
  for (int64_t r = 0; good && r < states->n_rows; r++) {
    good = states->rows[r].n == 0 || states->rows[r].n == NUMBERS;
  }
  return good;
}
