/* NonZero: one column of indices for each element that is not 0, in the order in which they stand.
 */
#include "engine/lower/move/elements.h"
#include "engine/lower/operands.h"
#include "shapes/number.h"

#define MARKED_AT_ONCE ((size_t)256)

/* Sets marks[i] to 1 where element first + i is not 0. The sign of a float does not count. */
static void mark_non_zero(const tare_tensor *const x, const size_t first, const size_t n,
                          uint8_t *const marks) {
  const size_t element = tare_dtype_size(x->dtype);
  const int sign_bits = tarei_is_float(x->dtype);
  TAREI_BY_SIZE(
      element, const type *const from = (const type *)x->data + first;
      const type counted = (type)(type) ~(type)0 >> sign_bits;
      for (size_t i = 0; i < n; i++) { marks[i] = (from[i] & counted) != 0; })
}

static tare_status non_zero_measure(const tarei_step *const step, const tarei_run *const r,
                                    int64_t *const values, tare_error *const err) {
  (void)step;
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->in[0]);
  uint8_t marks[MARKED_AT_ONCE];
  values[0] = 0;
  for (size_t first = 0; first < n; first += MARKED_AT_ONCE) {
    const size_t m = n - first < MARKED_AT_ONCE ? n - first : MARKED_AT_ONCE;
    mark_non_zero(r->in[0], first, m, marks);
    for (size_t i = 0; i < m; i++) {
      values[0] += marks[i];
    }
  }
  return TARE_OK;
}

typedef struct non_zero_columns {
  int64_t *out, *end; /* of the last axis: the next column, and where they end */
  size_t columns;     /* from the index of one axis to that of the next */
  int rank;
  int64_t at[TARE_MAX_RANK]; /* of the row that is read */
} non_zero_columns;

/* Puts the indices of the marked elements of a row, which begin with `first` along the last axis.
 */
static void put_columns(non_zero_columns *const c, const size_t first, const size_t n,
                        const uint8_t *const marks) {
  int64_t *const from = c->out;
  for (size_t i = 0; i < n && c->out < c->end; i++) {
    *c->out = (int64_t)(first + i);
    c->out += marks[i];
  }
  const size_t found = (size_t)(c->out - from);
  for (int d = 0; d + 1 < c->rank; d++) {
    int64_t *const to = from - (size_t)(c->rank - 1 - d) * c->columns;
    for (size_t i = 0; i < found; i++) {
      to[i] = c->at[d];
    }
  }
}

/* The index of the row behind this one. */
static void next_row(const tare_tensor *const x, int64_t *const at) {
  for (int d = x->rank - 2; d >= 0; d--) {
    if (++at[d] < x->dims[d]) {
      return;
    }
    at[d] = 0;
  }
}

static tare_status non_zero_run(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const size_t all = (size_t)tare_tensor_count(x), columns = (size_t)r->out[0]->dims[1];
  int64_t found;
  TAREI_TRY(non_zero_measure(step, r, &found, err));
  if ((size_t)found != columns) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld elements are not 0, expected %zu", (long long)found,
                      columns);
  }
  if (x->rank == 0 || columns == 0) {
    return TARE_OK;
  }
  const size_t row = (size_t)x->dims[x->rank - 1];
  int64_t *const last = (int64_t *)r->out[0]->data + (size_t)(x->rank - 1) * columns;
  non_zero_columns c = {.out = last, .end = last + columns, .columns = columns, .rank = x->rank};
  uint8_t marks[MARKED_AT_ONCE];
  for (size_t at = 0; at < all; at += row, next_row(x, c.at)) {
    for (size_t first = 0; first < row; first += MARKED_AT_ONCE) {
      const size_t m = row - first < MARKED_AT_ONCE ? row - first : MARKED_AT_ONCE;
      mark_non_zero(x, at + first, m, marks);
      put_columns(&c, first, m, marks);
    }
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_non_zero = {.measure = non_zero_measure, .run = non_zero_run};
