/* Concat, and Split as its reverse: runs of bytes along one axis. */
#include <string.h>

#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* bytes that are worth a range */

/* Bytes before the axis are looped over; from the axis on they lie together. */
static void extents(const tare_tensor *const t, const int axis, size_t *const outer,
                    size_t *const run) {
  *outer = 1;
  *run = tare_dtype_size(t->dtype);
  for (int d = 0; d < t->rank; d++) {
    *(d < axis ? outer : run) *= (size_t)t->dims[d];
  }
}

static int concat_axis_of(const tarei_step *const step, const tare_tensor *const t) {
  const int64_t axis = tarei_attr_int(step->node, "axis", 0);
  return (int)(axis < 0 ? axis + t->rank : axis);
}

/* Inputs that join: alike but for the axis, along which they add up. */
static tare_status check_parts(const tarei_step *const step, const tarei_run *const r,
                               const int axis, tare_error *const err) {
  int64_t left = r->out[0]->dims[axis];
  for (int i = 0; i < step->node->n_in; i++) {
    for (int d = 0; d < r->out[0]->rank; d++) {
      if (d != axis) {
        TAREI_TRY(tarei_want_dim(step, r, i, d, r->out[0]->dims[d], err));
      }
    }
    left -= r->in[i]->dims[axis];
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_SHAPE, "the inputs leave %lld of axis %d",
                                (long long)left, axis);
}

/* The whole and its parts: rows of the whole consist of one run of bytes of each part. */
typedef struct concat_job {
  char *whole;
  const tare_tensor *const *parts;
  int n, axis;
  size_t row, unit; /* bytes of a row of the whole, and of an element along the axis */
  bool splits;
} concat_job;

static void concat_copy(const concat_job *const j, char *const whole, char *const part,
                        const size_t bytes) {
  if (j->splits) {
    memcpy(part, whole, bytes);
  } else {
    memcpy(whole, part, bytes);
  }
}

static void concat_rows(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const concat_job *const j = user;
  for (size_t row = first; row < end; row++) {
    char *whole = j->whole + row * j->row;
    for (int i = 0; i < j->n; i++) {
      const size_t bytes = (size_t)j->parts[i]->dims[j->axis] * j->unit;
      concat_copy(j, whole, (char *)j->parts[i]->data + row * bytes, bytes);
      whole += bytes;
    }
  }
}

/* Parts that lie one behind the other are divided among the threads, each for itself. */
static void concat_whole(const tarei_run *const r, const concat_job *const j) {
  char *whole = j->whole;
  for (int i = 0; i < j->n; i++) {
    const size_t bytes = (size_t)j->parts[i]->dims[j->axis] * j->unit;
    char *const part = j->parts[i]->data;
    tarei_copy(r, j->splits ? part : whole, j->splits ? whole : part, bytes);
    whole += bytes;
  }
}

static void concat_all(const tarei_run *const r, const tare_tensor *const whole,
                       const tare_tensor *const *const parts, const int n, const int axis,
                       const bool splits) {
  size_t rows;
  concat_job j = {.whole = whole->data, .parts = parts, .n = n, .axis = axis, .splits = splits};
  extents(whole, axis, &rows, &j.row);
  j.unit = whole->dims[axis] ? j.row / (size_t)whole->dims[axis] : 0;
  if (rows == 1) {
    concat_whole(r, &j);
  } else {
    tarei_row_ranges(r, rows, j.row, LEAST, concat_rows, &j);
  }
}

static tare_status run_concat(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const int axis = concat_axis_of(step, r->out[0]);
  TAREI_TRY(check_parts(step, r, axis, err));
  concat_all(r, r->out[0], r->in, step->node->n_in, axis, false);
  return TARE_OK;
}

/* Split's sizes may follow from symbols; an absent output is as long as the others leave. */
static tare_status check_sizes(const tarei_step *const step, const tarei_run *const r,
                               const int axis, tare_error *const err) {
  int64_t left = r->in[0]->dims[axis];
  for (int i = 0; i < step->node->n_out; i++) {
    if (!r->out[i]) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "output %d is absent", i);
    }
    left -= r->out[i]->dims[axis];
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_SHAPE, "the outputs leave %lld of axis %d",
                                (long long)left, axis);
}

static tare_status measure_split(const tarei_step *const step, const tarei_run *const r,
                                 int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const char *const name = step->graph->values[step->node->in[1]].name;
  const int axis = concat_axis_of(step, x);
  TAREI_TRY(tarei_want_integers(step, r, 1, err));
  const tare_tensor *const sizes = r->in[1];
  int64_t dims[TARE_MAX_RANK], left = x->dims[axis];
  if (tare_tensor_count(sizes) != step->node->n_out) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' has %lld sizes for %d outputs", name,
                      (long long)tare_tensor_count(sizes), step->node->n_out);
  }
  memcpy(dims, x->dims, sizeof dims);
  for (int i = 0; i < step->node->n_out; i++) {
    dims[axis] = tarei_index_at(sizes, i);
    if (dims[axis] < 0 || dims[axis] > left) {
      return tarei_fail(err, TARE_E_INPUT,
                        "size %lld in '%s' is out of range: expected 0..%lld, the rest of axis %d",
                        (long long)dims[axis], name, (long long)left, axis);
    }
    left -= dims[axis];
    if (step->node->out[i] >= 0) {
      tarei_measured_dims(step, i, dims, values);
    }
  }
  return left == 0 ? TARE_OK
                   : tarei_fail(err, TARE_E_INPUT, "the sizes in '%s' leave %lld of axis %d", name,
                                (long long)left, axis);
}

static tare_status run_split(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const int axis = concat_axis_of(step, r->in[0]);
  TAREI_TRY(check_sizes(step, r, axis, err));
  concat_all(r, r->in[0], r->out, step->node->n_out, axis, true);
  return TARE_OK;
}

const tarei_lowering tarei_lower_concat = {.run = run_concat};
const tarei_lowering tarei_lower_split = {.measure = measure_split, .run = run_split};
