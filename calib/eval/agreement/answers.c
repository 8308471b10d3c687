#include "calib/eval/agreement/answers.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "calib/metrics/rows.h"
#include "shapes/number.h"

/* --- lists ------------------------------------------------------------------------------------ */

void tarei_answers_fini(tarei_answers *const t) {
  free(t->items);
  free(t->ends);
  *t = (tarei_answers){0};
}

static int64_t answers_begin(const tarei_answers *const t) {
  return t->n_ends > 0 ? t->ends[t->n_ends - 1] : 0;
}

static tare_status answers_add(tarei_answers *const t, const int64_t class, const bool joins,
                               tare_error *const err) {
  if (joins && t->n > answers_begin(t) && t->items[t->n - 1].class == class) {
    t->items[t->n - 1].frames++;
    return TARE_OK;
  }
  if (!TAREI_GROW(t->items, t->n, t->cap)) {
    return tarei_fail_memory(err, "sequences", sizeof *t->items);
  }
  t->items[t->n++] = (tarei_answer_run){class, class != TAREI_ANSWER_END};
  return TARE_OK;
}

tare_status tarei_answers_take(tarei_answers *const t, const tare_tensor *const output,
                               const int64_t *const extents, tare_error *const err) {
  const bool real = tarei_is_float(output->dtype);
  tarei_rows rows;
  tarei_rows_begin(output, extents, &rows);
  bool first = true;
  for (int64_t offset = 0; tarei_rows_next(&rows, &offset); first = false) {
    const bool begins = !real || rows.rank < 2 || rows.index[rows.rank - 2] == 0;
    if (begins && !first) {
      TAREI_TRY(answers_add(t, TAREI_ANSWER_END, false, err));
    }
    if (real) {
      TAREI_TRY(answers_add(t, tarei_argmax(output, offset, rows.length), true, err));
    }
    for (int64_t i = 0; !real && i < rows.length; i++) {
      TAREI_TRY(answers_add(t, tarei_integer_at(output, offset + i), false, err));
    }
  }
  return TARE_OK;
}

tare_status tarei_answers_keep(tarei_answers *const t, tare_error *const err) {
  if (!TAREI_GROW(t->ends, t->n_ends, t->cap_ends)) {
    return tarei_fail_memory(err, "sequences", sizeof *t->ends);
  }
  t->ends[t->n_ends++] = t->n;
  return TARE_OK;
}

void tarei_answers_discard(tarei_answers *const t) {
  t->n = answers_begin(t);
}

/* --- what they look like ---------------------------------------------------------------------- */

static int by_class(const void *const a, const void *const b) {
  const int64_t x = ((const tarei_answer_run *)a)->class, y = ((const tarei_answer_run *)b)->class;
  return (x > y) - (x < y);
}

/* From runs by class. */
static void see_sorted(const tarei_answer_run *const all, const int64_t n,
                       tarei_answers_seen *const seen) {
  int64_t blank_runs = 0, most = 0;
  for (int64_t i = 0, end; i < n; i = end) {
    int64_t frames = 0;
    for (end = i; end < n && all[end].class == all[i].class; end++) {
      frames += all[end].frames;
    }
    if (all[i].class == TAREI_ANSWER_END) {
      continue;
    }
    seen->frames += frames;
    seen->tokens += end - i;
    if (frames > seen->of_blank) {
      most = blank_runs > most ? blank_runs : most;
      seen->blank = all[i].class;
      seen->of_blank = frames;
      blank_runs = end - i;
    } else {
      most = end - i > most ? end - i : most;
    }
  }
  seen->tokens -= blank_runs;
  seen->most_alike = most;
}

tare_status tarei_answers_see(const tarei_answers *const *const lists, const int n,
                              tarei_answers_seen *const out, tare_error *const err) {
  int64_t count = 0, at = 0;
  *out = (tarei_answers_seen){.blank = TAREI_ANSWER_END};
  for (int i = 0; i < n; i++) {
    count += lists[i]->n;
  }
  tarei_answer_run *const all = tarei_calloc((size_t)count, sizeof *all);
  if (!all) {
    return tarei_fail_memory(err, "sequences", (size_t)count * sizeof *all);
  }
  for (int i = 0; i < n; i++) {
    if (lists[i]->n > 0) {
      memcpy(all + at, lists[i]->items, (size_t)lists[i]->n * sizeof *all);
      at += lists[i]->n;
    }
  }
  qsort(all, (size_t)count, sizeof *all, by_class);
  see_sorted(all, count, out);
  free(all);
  return TARE_OK;
}

/* --- edits ------------------------------------------------------------------------------------ */

static int64_t answer_least(const int64_t a, const int64_t b) {
  return a < b ? a : b;
}

/* The distance if it is at most `most`, else more than that: only cells so near the diagonal are
 * computed. `row` holds m + 1 numbers. */
static int64_t banded_edits(const int64_t *const a, const int64_t n, const int64_t *const b,
                            const int64_t m, const int64_t most, int64_t *const row) {
  const int64_t far = n + m + 1;
  for (int64_t j = 0; j <= m; j++) {
    row[j] = j <= most ? j : far;
  }
  for (int64_t i = 1; i <= n; i++) {
    const int64_t from = i - most > 1 ? i - most : 1, to = i + most < m ? i + most : m;
    int64_t diagonal = row[from - 1];
    row[from - 1] = from == 1 && i <= most ? i : far;
    for (int64_t j = from; j <= to; j++) {
      const int64_t above = j == i + most ? far : row[j];
      const int64_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = answer_least(replaced, answer_least(above, row[j - 1]) + 1);
    }
  }
  return row[m];
}

tare_status tarei_answer_edits(const int64_t *a, int64_t n, const int64_t *b, int64_t m,
                               int64_t *const out, tare_error *const err) {
  while (n > 0 && m > 0 && a[0] == b[0]) {
    a++, b++, n--, m--;
  }
  while (n > 0 && m > 0 && a[n - 1] == b[m - 1]) {
    n--, m--;
  }
  const int64_t longest = n > m ? n : m, least = longest - answer_least(n, m);
  int64_t *const row = tarei_calloc((size_t)m + 1, sizeof *row);
  if (!row) {
    return tarei_fail_memory(err, "edits", ((size_t)m + 1) * sizeof *row);
  }
  *out = longest;
  for (int64_t most = least > 8 ? least : 8, found = longest; n > 0 && m > 0; most *= 2) {
    found = banded_edits(a, n, b, m, answer_least(most, longest), row);
    if (found <= most || most >= longest) {
      *out = found;
      break;
    }
  }
  free(row);
  return TARE_OK;
}

/* A sequence without its blanks, from item *at on, which is moved behind its end. */
static int64_t next_sequence(const tarei_answers *const t, int64_t *const at, const int64_t end,
                             const int64_t blank, int64_t *const out) {
  int64_t n = 0;
  for (; *at < end && t->items[*at].class != TAREI_ANSWER_END; ++*at) {
    if (t->items[*at].class != blank) {
      out[n++] = t->items[*at].class;
    }
  }
  ++*at; /* the end of the sequence */
  return n;
}

tare_status tarei_answers_compare(const tarei_answers *const got, const tarei_answers *const want,
                                  const int64_t sample, const int64_t blank,
                                  tare_error_tally *const sums, tare_error *const err) {
  int64_t g = sample > 0 ? got->ends[sample - 1] : 0, w = sample > 0 ? want->ends[sample - 1] : 0;
  const int64_t g_end = got->ends[sample], w_end = want->ends[sample];
  const size_t room = (size_t)(g_end - g + w_end - w);
  int64_t *const both = tarei_calloc(room, sizeof *both);
  if (!both) {
    return tarei_fail_memory(err, "edits", room * sizeof *both);
  }
  tare_status status = TARE_OK;
  while (status == TARE_OK && (g < g_end || w < w_end)) {
    int64_t edits = 0;
    const int64_t n = next_sequence(got, &g, g_end, blank, both);
    const int64_t m = next_sequence(want, &w, w_end, blank, both + n);
    status = tarei_answer_edits(both, n, both + n, m, &edits, err);
    sums->edits += edits;
    sums->tokens += m;
  }
  free(both);
  return status;
}
