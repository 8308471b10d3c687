#include "calib/metrics/states.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "calib/metrics/metric.h"

tare_status tarei_metric_states_new(const tarei_metric *const metric,
                                    const tarei_metric_settings *const settings,
                                    tare_metric_states **const out, tare_error *const err) {
  *out = tarei_calloc(1, sizeof **out);
  if (!*out) {
    return tarei_fail_memory(err, "metric", sizeof **out);
  }
  (*out)->metric = metric;
  if (metric->copy) {
    tarei_metric *const own = metric->copy(metric);
    if (!own) {
      tarei_metric_states_free(out);
      return tarei_fail_memory(err, "metric", sizeof *own);
    }
    (*out)->own = own;
    (*out)->metric = own;
  }
  (*out)->settings = *settings;
  (*out)->total = NAN;
  return TARE_OK;
}

void tarei_metric_states_free(tare_metric_states **const states) {
  if (*states) {
    for (int64_t i = 0; (*states)->answers && i < (*states)->n_samples; i++) {
      tarei_str_free(&(*states)->answers[i]);
    }
    free((*states)->answers);
    tarei_str_free(&(*states)->answer);
    free((*states)->numbers);
    free((*states)->rows);
    free((*states)->own);
    free(*states);
    *states = NULL;
  }
}

void tarei_metric_states_discard(tare_metric_states *const s) {
  s->n_rows = s->kept_rows;
  s->n_numbers = s->kept_numbers;
  tarei_str_free(&s->answer);
}

tare_status tarei_metric_states_keep_answer(tare_metric_states *const s, tare_error *const err) {
  if (s->answer.failed || !TAREI_GROW(s->answers, s->n_samples, s->cap_answers)) {
    return tarei_fail_memory(err, "the answer of each sample", s->answer.length);
  }
  s->answers[s->n_samples] = s->answer;
  s->answer = (tarei_str){0};
  return TARE_OK;
}

void tarei_metric_states_keep(tare_metric_states *const s) {
  s->kept_rows = s->n_rows;
  s->kept_numbers = s->n_numbers;
  s->n_samples++;
}

tare_status tarei_metric_states_begin(tare_metric_states *const s, const int profile,
                                      const int level, tare_error *const err) {
  if (!TAREI_GROW(s->rows, s->n_rows, s->cap_rows)) {
    return tarei_fail_memory(err, "the metric of each sample", sizeof *s->rows);
  }
  s->rows[s->n_rows++] = (tarei_metric_row){
      .sample = s->n_samples, .profile = profile, .level = level, .at = s->n_numbers};
  return TARE_OK;
}

tare_status tarei_metric_states_add(tare_metric_states *const s, const double *const numbers,
                                    const int64_t n, tare_error *const err) {
  assert(s->n_rows > s->kept_rows);
  for (int64_t i = 0; i < n; i++) {
    if (!TAREI_GROW(s->numbers, s->n_numbers, s->cap_numbers)) {
      return tarei_fail_memory(err, "the metric of each sample", (size_t)n * sizeof *s->numbers);
    }
    s->numbers[s->n_numbers++] = numbers[i];
  }
  s->rows[s->n_rows - 1].n += n;
  return TARE_OK;
}

tare_status tarei_metric_states_finish(tare_metric_states *const s, tare_error *const err) {
  tarei_metric_states_discard(s); /* of a last sample that was refused */
  const tare_status status = s->metric->finish ? s->metric->finish(s, err) : TARE_OK;
  tarei_metric_settings_forget(&s->settings);
  return status;
}

int64_t tarei_metric_states_labelled(const tare_metric_states *const s, int64_t *const out) {
  int64_t n = 0;
  for (int64_t r = 0; r < s->n_rows; r++) {
    if (s->rows[r].n > 0 && (n == 0 || out[n - 1] != s->rows[r].sample)) {
      out[n++] = s->rows[r].sample;
    }
  }
  return n;
}

bool tarei_metric_states_are_groups(const tare_metric_states *const s, const int size) {
  bool groups = s->n_numbers % size == 0;
  for (int64_t r = 0; groups && r < s->n_rows; r++) {
    groups = s->rows[r].n == 0 || (s->rows[r].at % size == 0 && s->rows[r].n % size == 0);
  }
  return groups;
}

/* The first row of a sample or of one behind it. */
static int64_t states_first_row(const tare_metric_states *const s, const int64_t sample) {
  int64_t low = 0, high = s->n_rows;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (s->rows[middle].sample < sample) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool tarei_metric_states_differ(const tare_metric_states *const a,
                                const tare_metric_states *const b, const int64_t sample) {
  for (int64_t r = states_first_row(a, sample); r < a->n_rows && a->rows[r].sample == sample; r++) {
    const tarei_metric_row *const x = &a->rows[r], *const y = &b->rows[r];
    if (x->n != y->n || (x->n && memcmp(a->numbers + x->at, b->numbers + y->at,
                                        (size_t)x->n * sizeof *a->numbers))) {
      return true;
    }
  }
  return false;
}

const tarei_metric_row *tarei_metric_choice_next(const tarei_metric_choice *const choice,
                                                 int64_t *const at, int32_t *const times) {
  const tare_metric_states *const s = choice->states;
  const int64_t end = choice->end ? choice->end : s->n_rows;
  *at = *at < choice->begin ? choice->begin : *at;
  while (*at < end) {
    const tarei_metric_row *const row = &s->rows[(*at)++];
    *times = choice->times ? choice->times[row->sample] : 1;
    if (*times > 0 && row->n > 0 && (choice->profile < 0 || choice->profile == row->profile) &&
        (choice->level < 0 || choice->level == row->level)) {
      return row;
    }
  }
  return NULL;
}

static tare_status states_add_row(tare_metric_states *const s, const tarei_metric_row *const row,
                                  const double *const numbers, const int64_t n,
                                  tare_error *const err) {
  while (s->n_samples < row->sample) {
    tarei_metric_states_keep(s);
  }
  TAREI_TRY(tarei_metric_states_begin(s, row->profile, row->level, err));
  return tarei_metric_states_add(s, numbers, n, err);
}

tare_status tarei_metric_states_of_rows(const tare_metric_states *const states,
                                        const tarei_metric *const metric, const int64_t n,
                                        const double *const numbers, tare_metric_states **const out,
                                        tare_error *const err) {
  const tarei_metric_settings none = {0};
  TAREI_TRY(tarei_metric_states_new(metric, &none, out, err));
  tare_status status = TARE_OK;
  for (int64_t r = 0; status == TARE_OK && r < states->n_rows; r++) {
    status =
        states_add_row(*out, &states->rows[r], &numbers[n * r], states->rows[r].n ? n : 0, err);
  }
  if (status != TARE_OK) {
    tarei_metric_states_free(out);
  }
  return status;
}

tare_status tarei_metric_choice_copy(const tarei_metric_choice *const choice,
                                     tare_metric_states **const out, tare_error *const err) {
  const tarei_metric_settings none = {0};
  int64_t at = 0;
  int32_t times = 0;
  TAREI_TRY(tarei_metric_states_new(choice->states->metric, &none, out, err));
  tare_status status = TARE_OK;
  for (const tarei_metric_row *row;
       status == TARE_OK && (row = tarei_metric_choice_next(choice, &at, &times));) {
    for (int32_t i = 0; status == TARE_OK && i < times; i++) {
      status = states_add_row(*out, row, choice->states->numbers + row->at, row->n, err);
    }
  }
  if (status != TARE_OK) {
    tarei_metric_states_free(out);
  }
  return status;
}

bool tarei_metric_choice_sum(const tarei_metric_choice *const choice, const int n,
                             double *const sums) {
  bool any = false;
  int64_t at = 0;
  int32_t times = 0;
  memset(sums, 0, (size_t)n * sizeof *sums);
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    assert(row->n == n);
    const double *const numbers = choice->states->numbers + row->at;
    for (int i = 0; i < n; i++) {
      sums[i] += times * numbers[i];
    }
    any = true;
  }
  return any;
}

tare_status tarei_metric_choice_value(const tarei_metric_choice *const choice, double *const out,
                                      tare_error *const err) {
  const tarei_metric *const metric = choice->states->metric;
  double sums[TARE_METRIC_SUMS];
  *out = NAN;
  if (metric->n_sums == 0) {
    return metric->value(choice, out, err);
  }
  if (tarei_metric_choice_sum(choice, metric->n_sums, sums)) {
    *out = metric->of_sums(sums);
  }
  return TARE_OK;
}

tare_status tarei_metric_choice_brief(const tarei_metric_choice *const choice,
                                      tare_metric_states **const out, tare_error *const err) {
  const tarei_metric *const metric = choice->states->metric;
  *out = NULL;
  return metric->brief ? metric->brief(choice, out, err) : TARE_OK;
}

int tare_metric_states_metric(const tare_metric_states *const states) {
  return tarei_metric_number(states->metric);
}

int64_t tare_metric_states_count(const tare_metric_states *const states) {
  return states->n_samples;
}

tare_status tare_metric_states_value(const tare_metric_states *const states,
                                     const int32_t *const times, double *const out,
                                     tare_error *const err) {
  const tarei_metric_choice choice = {.states = states, .times = times, .profile = -1, .level = -1};
  return tarei_metric_choice_value(&choice, out, err);
}

tare_status tare_metric_states_sample(const tare_metric_states *const states, const int64_t sample,
                                      double *const out, tare_error *const err) {
  TAREI_TRY(tarei_check_number("sample", sample, states->n_samples, err));
  const tarei_metric_choice choice = {.states = states,
                                      .profile = -1,
                                      .level = -1,
                                      .begin = states_first_row(states, sample),
                                      .end = states_first_row(states, sample + 1)};
  return tarei_metric_choice_value(&choice, out, err);
}

const char *tare_metric_states_answer(const tare_metric_states *const states,
                                      const int64_t sample) {
  if (!tarei_has_number(sample, states->n_samples)) {
    return NULL;
  }
  return states->answers ? tarei_str_get(&states->answers[sample]) : NULL;
}
