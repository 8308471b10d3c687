/* Slice with any start and step. How many elements each axis gives is in the output's dims. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/int_operand.h"
#include "engine/threads.h"

typedef struct box {
  int64_t start[TARE_MAX_RANK], step[TARE_MAX_RANK];
} box;

/* The first element that a slice takes, as ONNX clamps it. */
static int64_t clamp_start(int64_t start, const int64_t step, const int64_t size) {
  start = start < -size ? -size : start;
  start += start < 0 ? size : 0;
  const int64_t last = step > 0 ? size : size - 1;
  return start > last ? last : start;
}

static box read_box(const tarei_step *const step, const tarei_run *const r) {
  const tare_tensor *const x = r->in[0];
  int64_t starts[TAREI_MAX_INTS], axes[TAREI_MAX_INTS], steps[TAREI_MAX_INTS];
  const int n = tarei_int_operand(step, r, 1, "starts", starts);
  const int n_axes = tarei_int_operand(step, r, 3, "axes", axes);
  const int n_steps = tarei_int_operand(step, r, 4, "steps", steps);
  box b;
  for (int d = 0; d < TARE_MAX_RANK; d++) {
    b.start[d] = 0;
    b.step[d] = 1;
  }
  for (int i = 0; i < n; i++) {
    int64_t axis = i < n_axes ? axes[i] : i;
    axis += axis < 0 ? x->rank : 0;
    if (axis >= 0 && axis < x->rank) {
      b.step[axis] = i < n_steps ? steps[i] : 1;
      b.start[axis] = clamp_start(starts[i], b.step[axis], x->dims[axis]);
    }
  }
  return b;
}

/* The last element that an axis gives lies within the input too. */
static tare_status check_box(const box *const b, const tare_tensor *const x,
                             const tare_tensor *const out, tare_error *const err) {
  for (int d = 0; d < x->rank; d++) {
    int64_t last = 0;
    if (!tarei_mul_i64(out->dims[d] - 1, b->step[d], &last) ||
        !tarei_add_i64(last, b->start[d], &last) || b->start[d] < 0 || b->start[d] >= x->dims[d] ||
        last < 0 || last >= x->dims[d]) {
      return tarei_fail(err, TARE_E_SHAPE, "axis %d gives %lld elements from %lld by %lld of %lld",
                        d, (long long)out->dims[d], (long long)b->start[d], (long long)b->step[d],
                        (long long)x->dims[d]);
    }
  }
  return TARE_OK;
}

typedef struct job {
  box b;
  const tare_tensor *x, *out;
} job;

/* Element of the input at which a row of the output begins. */
static int64_t row_start(const job *const j, size_t row) {
  const int last = j->x->rank - 1;
  int64_t from = 0, stride = 1;
  for (int d = last; d >= 0; d--) {
    const size_t size = (size_t)j->out->dims[d];
    const int64_t at = d == last ? 0 : (int64_t)(row % size);
    row = d == last ? row : row / size;
    from += (j->b.start[d] + at * j->b.step[d]) * stride;
    stride *= j->x->dims[d];
  }
  return from;
}

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  (void)thread;
  const job *const j = user;
  const int last = j->x->rank - 1;
  const size_t element = tare_dtype_size(j->x->dtype), n = (size_t)j->out->dims[last];
  const int64_t step = j->b.step[last];
  for (size_t row = first; row < end; row++) {
    char *const to = (char *)j->out->data + row * n * element;
    const char *const from =
        (const char *)j->x->data + row_start(j, row) * (int64_t)element;
    for (size_t i = 0; step != 1 && i < n; i++) {
      memcpy(to + i * element, from + (int64_t)i * step * (int64_t)element, element);
    }
    if (step == 1) {
      memcpy(to, from, n * element);
    }
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  if (x->rank == 0 || tare_tensor_count(out) == 0) {
    return TARE_OK;
  }
  const job j = {.b = read_box(step, r), .x = x, .out = out};
  TARE_TRY(check_box(&j.b, x, out, err));
  const size_t n = (size_t)out->dims[x->rank - 1];
  tarei_row_ranges(r, (size_t)tare_tensor_count(out) / n, n * tare_dtype_size(x->dtype), 1u << 15,
                   row_range, &j);
  return TARE_OK;
}

const tarei_lowering tarei_lower_slice = {.run = run};
