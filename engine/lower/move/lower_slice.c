/* Slice with any start and step. How many elements each axis gives is in the output's dims. */
#include "base/mem.h"
#include "engine/lower/move/elements.h"
#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/threads.h"

typedef struct slice_box {
  int64_t start[TARE_MAX_RANK], step[TARE_MAX_RANK], count[TARE_MAX_RANK];
} slice_box;

static int64_t slice_clamp(const int64_t x, const int64_t low, const int64_t high) {
  return x < low ? low : x > high ? high : x;
}

/* Cuts one axis, as ONNX clamps it. A step that is longer than the axis takes one element. */
static void cut_axis(slice_box *const b, const int axis, const int64_t size, int64_t start,
                     int64_t end, const int64_t step) {
  start = slice_clamp(start, -size, size);
  end = slice_clamp(end, -size - 1, size);
  start += start < 0 ? size : 0;
  end += end < 0 ? size : 0;
  b->step[axis] = slice_clamp(step, -size - 1, size + 1);
  b->start[axis] = step > 0 ? start : slice_clamp(start, -1, size - 1);
  const int64_t way = step > 0 ? end - start : b->start[axis] - end;
  const int64_t stride = b->step[axis] > 0 ? b->step[axis] : -b->step[axis];
  b->count[axis] = way > 0 ? (way + stride - 1) / stride : 0;
}

static tare_status read_box(const tarei_step *const step, const tarei_run *const r,
                            slice_box *const b, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  tarei_ints starts, ends, axes, steps;
  TAREI_TRY(tarei_read_ints(step, r, 1, "starts", &starts, err));
  TAREI_TRY(tarei_read_ints(step, r, 2, "ends", &ends, err));
  TAREI_TRY(tarei_read_ints(step, r, 3, "axes", &axes, err));
  TAREI_TRY(tarei_read_ints(step, r, 4, "steps", &steps, err));
  const int n = starts.n;
  bool cut[TARE_MAX_RANK] = {false};
  for (int d = 0; d < x->rank; d++) {
    b->start[d] = 0;
    b->step[d] = 1;
    b->count[d] = x->dims[d];
  }
  if (ends.n != n || (axes.n ? axes.n != n : n > x->rank) || (steps.n && steps.n != n)) {
    return tarei_fail(err, TARE_E_INPUT, "has %d starts, %d ends, %d axes and %d steps", n, ends.n,
                      axes.n, steps.n);
  }
  for (int i = 0; i < n; i++) {
    const int64_t named = axes.n ? axes.at[i] : i, by = steps.n ? steps.at[i] : 1;
    const int64_t axis = named < 0 ? named + x->rank : named;
    if (axis < 0 || axis >= x->rank || cut[axis] || by == 0) {
      return tarei_fail(err, TARE_E_INPUT, "cannot slice axis %lld of rank %d by step %lld%s",
                        (long long)named, x->rank, (long long)by, by ? ", or twice" : "");
    }
    cut[axis] = true;
    cut_axis(b, (int)axis, x->dims[axis], starts.at[i], ends.at[i], by);
  }
  return TARE_OK;
}

static tare_status slice_measure(const tarei_step *const step, const tarei_run *const r,
                                 int64_t *const values, tare_error *const err) {
  slice_box b;
  TAREI_TRY(read_box(step, r, &b, err));
  tarei_measured_dims(step, 0, b.count, values);
  return TARE_OK;
}

/* The last element that an axis gives lies within the input too. */
static tare_status check_box(const slice_box *const b, const tare_tensor *const x,
                             const tare_tensor *const out, tare_error *const err) {
  for (int d = 0; d < x->rank; d++) {
    int64_t last = 0;
    if (!tarei_mul_i64(out->dims[d] - 1, b->step[d], &last) ||
        !tarei_add_i64(last, b->start[d], &last) || b->start[d] < 0 || b->start[d] >= x->dims[d] ||
        last < 0 || last >= x->dims[d]) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d: %lld elements from %lld by step %lld do not fit into length %lld",
                        d, (long long)out->dims[d], (long long)b->start[d], (long long)b->step[d],
                        (long long)x->dims[d]);
    }
  }
  return TARE_OK;
}

/* Axes that matter: one that stays whole belongs to the one around it. */
typedef struct slice_job {
  int n;
  int64_t size[TARE_MAX_RANK], start[TARE_MAX_RANK], step[TARE_MAX_RANK];
  size_t count[TARE_MAX_RANK], element;
  const char *x;
  char *out;
} slice_job;

static slice_job slice_job_of(const slice_box *const b, const tare_tensor *const x,
                              const tare_tensor *const out) {
  slice_job j = {.element = tare_dtype_size(x->dtype), .x = x->data, .out = out->data};
  for (int d = 0; d < x->rank; d++) {
    const bool whole = out->dims[d] == x->dims[d] && b->step[d] == 1;
    if (j.n && whole && j.step[j.n - 1] == 1) {
      j.size[j.n - 1] *= x->dims[d];
      j.start[j.n - 1] *= x->dims[d];
      j.count[j.n - 1] *= (size_t)x->dims[d];
    } else {
      j.size[j.n] = x->dims[d];
      j.start[j.n] = b->start[d];
      j.step[j.n] = b->step[d];
      j.count[j.n++] = (size_t)out->dims[d];
    }
  }
  return j;
}

/* Element of the input at which a row of the output begins. */
static int64_t slice_row_start(const slice_job *const j, size_t row) {
  const int last = j->n - 1;
  int64_t from = j->start[last], stride = j->size[last];
  for (int d = last - 1; d >= 0; d--) {
    from += (j->start[d] + (int64_t)(row % j->count[d]) * j->step[d]) * stride;
    row /= j->count[d];
    stride *= j->size[d];
  }
  return from;
}

static void slice_row_range(const void *const user, const size_t first, const size_t end,
                            const int thread) {
  (void)thread;
  const slice_job *const j = user;
  const size_t n = j->count[j->n - 1];
  for (size_t row = first; row < end; row++) {
    tarei_copy_strided(j->out + row * n * j->element,
                       j->x + slice_row_start(j, row) * (int64_t)j->element, n, j->step[j->n - 1],
                       j->element);
  }
}

static tare_status slice_run(const tarei_step *const step, const tarei_run *const r,
                             tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  if (x->rank == 0 || tare_tensor_count(out) == 0) {
    return TARE_OK;
  }
  slice_box b;
  TAREI_TRY(read_box(step, r, &b, err));
  TAREI_TRY(check_box(&b, x, out, err));
  const slice_job j = slice_job_of(&b, x, out);
  const size_t n = j.count[j.n - 1], rows = (size_t)tare_tensor_count(out) / n;
  if (rows == 1 && j.step[j.n - 1] == 1) {
    tarei_copy(r, j.out, j.x + slice_row_start(&j, 0) * (int64_t)j.element, n * j.element);
    return TARE_OK;
  }
  tarei_row_ranges(r, rows, n * j.element, 1u << 15, slice_row_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_slice = {.measure = slice_measure, .run = slice_run};
