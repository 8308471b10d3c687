/* DynamicTimeWarping: the least sums of costs up to each element, from which step each came, and
 * the path back from the last element. */
#include <math.h>

#include "base/mem.h"
#include "engine/lower/operands.h"

enum { DIAGONAL, DOWN, RIGHT };

typedef struct warping {
  const float *x;
  size_t rows, columns;
  float *sums;    /* of a row, with what lies before its first element */
  uint8_t *steps; /* by which each element is reached */
} warping;

static size_t sums_bytes(const size_t columns) {
  return tarei_round_up(tarei_times(columns + 1, sizeof(float)), TAREI_ALIGN);
}

static size_t warping_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)step;
  (void)out;
  (void)threads;
  const tare_tensor *const x = in[0];
  const size_t columns = (size_t)x->dims[x->rank - 1];
  return tarei_plus(sums_bytes(columns), tarei_times((size_t)x->dims[x->rank - 2], columns));
}

static warping warping_of(const tarei_run *const r) {
  const tare_tensor *const x = r->in[0];
  const size_t columns = (size_t)x->dims[x->rank - 1];
  return (warping){.x = x->data,
                   .rows = (size_t)x->dims[x->rank - 2],
                   .columns = columns,
                   .sums = r->scratch,
                   .steps = (uint8_t *)r->scratch + sums_bytes(columns)};
}

/* Where two are equal and least, the path goes right. */
static void warping_find_sums(const warping *const w) {
  for (size_t c = 0; c <= w->columns; c++) {
    w->sums[c] = c == 0 ? 0 : INFINITY;
  }
  for (size_t r = 0; r < w->rows; r++) {
    float diagonal = w->sums[0];
    w->sums[0] = INFINITY;
    for (size_t c = 0; c < w->columns; c++) {
      const float above = w->sums[c + 1], left = w->sums[c];
      const int step = diagonal < above && diagonal < left ? DIAGONAL
                       : above < diagonal && above < left  ? DOWN
                                                           : RIGHT;
      const float least = step == DIAGONAL ? diagonal : step == DOWN ? above : left;
      w->steps[r * w->columns + c] = (uint8_t)step;
      w->sums[c + 1] = least + w->x[r * w->columns + c];
      diagonal = above;
    }
  }
}

/* Follows the path from its end; `out` has room for n elements of either row, or is NULL. */
static int64_t follow_path(const warping *const w, int32_t *const out, const int64_t n) {
  int64_t length = 0;
  for (size_t r = w->rows, c = w->columns; r > 0 && c > 0; length++) {
    if (out && length < n) {
      out[n - 1 - length] = (int32_t)(r - 1);
      out[2 * n - 1 - length] = (int32_t)(c - 1);
    }
    const int step = w->steps[(r - 1) * w->columns + c - 1];
    r -= step != RIGHT;
    c -= step != DOWN;
  }
  return length;
}

static tare_status warping_begin(const tarei_step *const step, const tarei_run *const r,
                                 warping *const w, tare_error *const err) {
  TAREI_TRY(r->in[0]->rank == 3 ? tarei_want_dim(step, r, 0, 0, 1, err) : TARE_OK);
  *w = warping_of(r);
  if (w->rows > INT32_MAX || w->columns > INT32_MAX) {
    return tarei_fail(err, TARE_E_LIMIT, "%zu rows of %zu columns are more than %d", w->rows,
                      w->columns, INT32_MAX);
  }
  warping_find_sums(w);
  return TARE_OK;
}

static tare_status warping_measure(const tarei_step *const step, const tarei_run *const r,
                                   int64_t *const values, tare_error *const err) {
  warping w;
  TAREI_TRY(warping_begin(step, r, &w, err));
  values[0] = follow_path(&w, NULL, 0);
  return TARE_OK;
}

/* The steps that were measured are still there. */
static tare_status warping_run(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  warping w = warping_of(r);
  TAREI_TRY(step->n_measured ? TARE_OK : warping_begin(step, r, &w, err));
  const int64_t expected = r->out[0]->dims[1], length = follow_path(&w, NULL, 0);
  if (length != expected) {
    return tarei_fail(err, TARE_E_SHAPE, "the path has %lld steps, expected %lld",
                      (long long)length, (long long)expected);
  }
  (void)follow_path(&w, r->out[0]->data, expected);
  return TARE_OK;
}

const tarei_lowering tarei_lower_ms_dynamic_time_warping = {
    .scratch = warping_scratch, .measure = warping_measure, .run = warping_run};
