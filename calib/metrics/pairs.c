#include "calib/metrics/pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "calib/metrics/rows.h"
#include "shapes/number.h"

void tarei_pairs_fini(tarei_pairs *const pairs) {
  free(pairs->got);
  free(pairs->want);
  *pairs = (tarei_pairs){0};
}

static int64_t pairs_count(const tarei_rows *const rows) {
  int64_t n = rows->empty ? 0 : rows->length;
  for (int a = 0; a < rows->rank - 1; a++) {
    n *= rows->extents[a];
  }
  return n;
}

/* The next axis that is longer than 1; -1: none. */
static int pairs_next_axis(const int64_t *const dims, const int rank, int axis) {
  while (axis < rank && dims[axis] == 1) {
    axis++;
  }
  return axis < rank ? axis : -1;
}

static tare_status pairs_check_label(const char *const metric, const tarei_metric_case *const c,
                                     const tarei_rows *const rows, tare_error *const err) {
  const tare_tensor *const label = c->sample->label;
  if (!label) {
    return tarei_fail(err, TARE_E_USAGE, "%s: label '%.80s': metric %s expects numbers",
                      c->sample->name, c->sample->label_text, metric);
  }
  int a = 0, b = 0;
  for (bool same = true;; a++, b++) {
    a = pairs_next_axis(rows->extents, rows->rank, a);
    b = pairs_next_axis(label->dims, label->rank, b);
    same = (a < 0) == (b < 0) && (a < 0 || rows->extents[a] == label->dims[b]);
    if (!same) {
      return tarei_fail(err, TARE_E_INPUT,
                        "%s: label has %lld elements in other dims than the %lld of output '%s'",
                        c->sample->name, (long long)tare_tensor_count(label),
                        (long long)pairs_count(rows), c->output);
    }
    if (a < 0) {
      return TARE_OK;
    }
  }
}

static void pairs_fill(const tarei_metric_case *const c, tarei_rows *const rows,
                       tarei_pairs *const out) {
  const tare_tensor *const label = c->sample->label;
  for (int64_t offset = 0; tarei_rows_next(rows, &offset);) {
    for (int64_t i = offset; i < offset + rows->length; i++, out->n++) {
      out->got[out->n] = tarei_real_at(c->got, i);
      out->want[out->n] = label ? tarei_real_at(label, out->n) : tarei_real_at(c->want, i);
    }
  }
}

tare_status tarei_pairs_make(const char *const metric, const tarei_metric_case *const c,
                             tarei_pairs *const out, tare_error *const err) {
  const bool labelled = c->sample->label || c->sample->label_text;
  tarei_rows rows;
  *out = (tarei_pairs){0};
  tarei_rows_begin(c->got, c->extents, &rows);
  if (labelled) {
    TAREI_TRY(pairs_check_label(metric, c, &rows, err));
  } else if (!c->want) {
    return tarei_fail(err, TARE_E_USAGE, "%s: metric %s needs a label, or a reference",
                      c->sample->name, metric);
  }
  const size_t n = (size_t)pairs_count(&rows);
  out->got = tarei_calloc(n, sizeof *out->got);
  out->want = tarei_calloc(n, sizeof *out->want);
  if (!out->got || !out->want) {
    return tarei_fail_memory(err, "an output with its label", n * sizeof *out->got);
  }
  pairs_fill(c, &rows, out);
  return TARE_OK;
}

tare_status tarei_pairs_add(const char *const metric, const tarei_metric_case *const c,
                            tare_metric_states *const states, tare_error *const err) {
  tarei_pairs pairs;
  tare_status status = tarei_pairs_make(metric, c, &pairs, err);
  for (int64_t i = 0; status == TARE_OK && i < pairs.n; i++) {
    const double pair[] = {pairs.got[i], pairs.want[i]};
    status = tarei_metric_states_add(states, pair, 2, err);
  }
  tarei_pairs_fini(&pairs);
  return status;
}

bool tarei_pairs_accept(const tare_metric_states *const states) {
  return tarei_metric_states_are_groups(states, 2);
}

/* --- correlation ------------------------------------------------------------------------------ */

int64_t tarei_pairs_chosen(const tarei_metric_choice *const choice) {
  int64_t at = 0, n = 0;
  int32_t times = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    n += row->n / 2;
  }
  return n;
}

enum { MOMENT_N, MOMENT_X, MOMENT_Y, MOMENT_XX, MOMENT_YY, MOMENT_XY, N_MOMENTS };

/* Adds the pairs of a row as differences to x0 and y0. */
static void pairs_add_row(const tarei_metric_row *const row, const int32_t times,
                          const double *const numbers, const double x0, const double y0,
                          double *const moments) {
  for (int64_t i = row->at; i < row->at + row->n; i += 2) {
    const double x = numbers[i] - x0, y = numbers[i + 1] - y0;
    moments[MOMENT_N] += times;
    moments[MOMENT_X] += times * x;
    moments[MOMENT_Y] += times * y;
    moments[MOMENT_XX] += times * x * x;
    moments[MOMENT_YY] += times * y * y;
    moments[MOMENT_XY] += times * x * y;
  }
}

static void pairs_sum(const tarei_metric_choice *const choice, const double *const numbers,
                      const double x0, const double y0, double *const moments) {
  int64_t at = 0;
  int32_t times = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    pairs_add_row(row, times, numbers, x0, y0, moments);
  }
}

double tarei_pairs_correlate(const double xx, const double yy, const double xy) {
  const double norms = xx > 0 && yy > 0 ? sqrt(xx) * sqrt(yy) : 0;
  return norms > 0 ? fmax(-1, fmin(1, xy / norms)) : NAN;
}

double tarei_pairs_correlation(const tarei_metric_choice *const choice,
                               const double *const numbers) {
  double first[N_MOMENTS] = {0}, m[N_MOMENTS] = {0};
  pairs_sum(choice, numbers, 0, 0, first);
  pairs_sum(choice, numbers, first[MOMENT_X] / first[MOMENT_N], first[MOMENT_Y] / first[MOMENT_N],
            m);
  return tarei_pairs_correlate(m[MOMENT_XX], m[MOMENT_YY], m[MOMENT_XY]);
}

/* --- correlation in draws --------------------------------------------------------------------- */

static double pairs_of_moments(const double *const m) {
  const double n = m[MOMENT_N], x = m[MOMENT_X] / n, y = m[MOMENT_Y] / n;
  return tarei_pairs_correlate(m[MOMENT_XX] - n * x * x, m[MOMENT_YY] - n * y * y,
                               m[MOMENT_XY] - n * x * y);
}

/* Around the means of all, so that little is lost where those of a draw are subtracted. */
tare_status tarei_pairs_brief(const tarei_metric_choice *const choice,
                              tare_metric_states **const out, tare_error *const err) {
  static const tarei_metric moments = {.n_sums = N_MOMENTS, .of_sums = pairs_of_moments};
  const tare_metric_states *const s = choice->states;
  if (tarei_pairs_chosen(choice) <= TAREI_MANY_PAIRS) {
    return TARE_OK;
  }
  double all[N_MOMENTS] = {0};
  double *const rows = tarei_calloc((size_t)s->n_rows * N_MOMENTS, sizeof *rows);
  if (!rows) {
    return tarei_fail_memory(err, "moments", (size_t)s->n_rows * N_MOMENTS * sizeof *rows);
  }
  pairs_sum(choice, s->numbers, 0, 0, all);
  for (int64_t r = 0; r < s->n_rows; r++) {
    pairs_add_row(&s->rows[r], 1, s->numbers, all[MOMENT_X] / all[MOMENT_N],
                  all[MOMENT_Y] / all[MOMENT_N], &rows[r * N_MOMENTS]);
  }
  const tare_status status = tarei_metric_states_of_rows(s, &moments, N_MOMENTS, rows, out, err);
  free(rows);
  return status;
}
