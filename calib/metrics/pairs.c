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

typedef struct pairs_moments {
  double n, x, y, xx, yy, xy;
} pairs_moments;

/* Sums of differences to x0 and y0. */
static pairs_moments pairs_sum(const tarei_metric_choice *const choice, const double *const numbers,
                               const double x0, const double y0) {
  pairs_moments m = {0};
  int64_t at = 0;
  int32_t times = 0;
  for (const tarei_metric_row *row; (row = tarei_metric_choice_next(choice, &at, &times));) {
    for (int64_t i = row->at; i < row->at + row->n; i += 2) {
      const double x = numbers[i] - x0, y = numbers[i + 1] - y0;
      m.n += times;
      m.x += times * x;
      m.y += times * y;
      m.xx += times * x * x;
      m.yy += times * y * y;
      m.xy += times * x * y;
    }
  }
  return m;
}

double tarei_pairs_correlation(const tarei_metric_choice *const choice,
                               const double *const numbers) {
  const pairs_moments first = pairs_sum(choice, numbers, 0, 0);
  const pairs_moments m = pairs_sum(choice, numbers, first.x / first.n, first.y / first.n);
  const double norms = sqrt(m.xx) * sqrt(m.yy);
  return norms > 0 ? fmax(-1, fmin(1, m.xy / norms)) : NAN;
}
