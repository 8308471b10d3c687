#include "engine/lower/elementwise/block_operand.h"

#include <string.h>

#define LEAST_ROW 256 /* elements that are worth a call of a kernel for each link */
#define SPREAD 16     /* elements that are written at a time */

/* --- axes ------------------------------------------------------------------------------------- */

static tare_status block_check_axis(const tare_tensor *const t, const int axis,
                                    const tarei_chain_slice *const slice, const int64_t out,
                                    tare_error *const err) {
  const bool cut = slice->axis == axis;
  const int64_t size = cut ? slice->length : t->dims[axis];
  if (cut && slice->start + slice->length > t->dims[axis]) {
    return tarei_fail(err, TARE_E_SHAPE, "axis %d of an operand has length %lld, expected %lld",
                      axis, (long long)t->dims[axis], (long long)(slice->start + slice->length));
  }
  return size == 1 || size == out
             ? TARE_OK
             : tarei_fail(err, TARE_E_SHAPE,
                          "axis %d of an operand has length %lld, which does not broadcast to %lld",
                          axis, (long long)size, (long long)out);
}

/* Adds an axis inside those that are there. */
static void block_add_axis(tarei_block_operand *const o, const size_t size, const size_t stride) {
  const int last = o->n_axes - 1;
  if (last >= 0 && o->stride[last] == stride * size) {
    o->size[last] *= size;
    o->stride[last] = stride;
    return;
  }
  o->size[o->n_axes] = size;
  o->stride[o->n_axes++] = stride;
}

/* Elements of the tensor between neighbours along each of its axes. */
static void block_strides(const tare_tensor *const t, size_t *const strides) {
  size_t stride = 1;
  for (int d = t->rank - 1; d >= 0; d--) {
    strides[d] = stride;
    stride *= (size_t)t->dims[d];
  }
}

static void block_set_period(tarei_block_operand *const o) {
  size_t period = 1;
  for (int a = 1; a < o->n_axes; a++) {
    period *= o->size[a];
  }
  o->period = o->n_axes > 1 && o->stride[0] == 0 && period <= TAREI_BLOCK_PERIOD ? period : 0;
}

tare_status tarei_block_operand_read(const tare_tensor *const t,
                                     const tarei_chain_slice *const slice,
                                     const tare_tensor *const out, tarei_block_operand *const o,
                                     tare_error *const err) {
  const int lead = out->rank - t->rank;
  if (lead < 0) {
    return tarei_fail(err, TARE_E_SHAPE, "an operand has rank %d, its output %d", t->rank,
                      out->rank);
  }
  size_t strides[TARE_MAX_RANK];
  block_strides(t, strides);
  *o = (tarei_block_operand){.data = t->data};
  for (int d = 0; d < out->rank; d++) {
    const int axis = d - lead;
    const size_t size = (size_t)out->dims[d];
    bool one = true;
    if (axis >= 0) {
      TAREI_TRY(block_check_axis(t, axis, slice, out->dims[d], err));
      one = (slice->axis == axis ? slice->length : t->dims[axis]) == 1;
      o->data += slice->axis == axis ? (size_t)slice->start * strides[axis] : 0;
    }
    if (size != 1) {
      block_add_axis(o, size, one ? 0 : strides[axis]);
    }
  }
  if (o->n_axes == 0) {
    block_add_axis(o, 1, 0);
  }
  block_set_period(o);
  return TARE_OK;
}

/* --- blocks ----------------------------------------------------------------------------------- */

tarei_blocks tarei_blocks_of(const tarei_block_operand *const operands, const int n,
                             const size_t total) {
  size_t row = total;
  for (int i = 0; i < n; i++) { /* rows of the operands are products of the last dims */
    const size_t own = operands[i].size[operands[i].n_axes - 1];
    row = own >= LEAST_ROW && own < row ? own : row;
  }
  const size_t parts = (row + TAREI_BLOCK - 1) / TAREI_BLOCK, part = (row + parts - 1) / parts;
  const size_t size = total > row ? (part + 15) / 16 * 16 : TAREI_BLOCK;
  return (tarei_blocks){
      .rows = total / row, .row = row, .per_row = (row + size - 1) / size, .size = size};
}

/* Where a row begins, counted over all axes but the last. */
static const float *block_row(const tarei_block_operand *const o, size_t row) {
  const float *from = o->data;
  for (int a = o->n_axes - 2; a > 0; a--) {
    from += row % o->size[a] * o->stride[a];
    row /= o->size[a];
  }
  return o->n_axes > 1 ? from + row * o->stride[0] : from;
}

/* A row, or a part of one. */
static void block_put(const float *const from, const size_t step, const size_t n,
                      float *const out) {
  if (step == 1) {
    memcpy(out, from, n * sizeof *out);
    return;
  }
  for (size_t i = 0; i < n; i++) {
    out[i] = from[i * step];
  }
}

/* Rows of one number each. Each writes up to 15 numbers where the next one goes. */
static void block_spread(const float *const from, const size_t stride, const size_t rows,
                         const size_t n, float *out) {
  for (size_t r = 0; r < rows; r++, out += n) {
    const float x = from[r * stride];
    for (size_t i = 0; i < n; i += SPREAD) {
      for (size_t k = 0; k < SPREAD; k++) {
        out[i + k] = x;
      }
    }
  }
}

/* The same row again and again, copied from what was written. */
static void block_repeat(const float *const from, const size_t rows, const size_t n,
                         float *const out) {
  const size_t all = rows * n;
  memcpy(out, from, n * sizeof *out);
  for (size_t done = n; done < all; done *= 2) {
    memcpy(out + done, out, (done < all - done ? done : all - done) * sizeof *out);
  }
}

/* Rows of n elements that are `stride` apart. */
static void block_put_rows(const float *const from, const size_t stride, const size_t step,
                           const size_t rows, const size_t n, float *const out) {
  if (step == 0) {
    block_spread(from, stride, rows, n, out);
  } else if (step == 1 && stride == 0) {
    block_repeat(from, rows, n, out);
  } else {
    for (size_t r = 0; r < rows; r++) {
      block_put(from + r * stride, step, n, out + r * n);
    }
  }
}

/* What is left of the row at `at`, then whole rows, as many at a time as are equally far apart, then
 * the beginning of one. */
static void block_copy(const tarei_block_operand *const o, const size_t at, const size_t n,
                       float *const out) {
  const int last = o->n_axes - 1;
  const size_t size = o->size[last], step = o->stride[last];
  const size_t around = last > 0 ? o->size[last - 1] : 1;
  const size_t stride = last > 0 ? o->stride[last - 1] : 0;
  size_t row = at / size, done = 0;
  const size_t begin = at % size;
  if (begin) {
    done = size - begin < n ? size - begin : n;
    block_put(block_row(o, row++) + begin * step, step, done, out);
  }
  while (n - done >= size) {
    const size_t left = (n - done) / size, most = around - row % around;
    const size_t rows = left < most ? left : most;
    block_put_rows(block_row(o, row), stride, step, rows, size, out + done);
    row += rows;
    done += rows * size;
  }
  if (done < n) {
    block_put(block_row(o, row), step, n - done, out + done);
  }
}

void tarei_block_operand_begin(const tarei_block_operand *const o, const size_t total,
                               float *const copy) {
  if (o->period) {
    block_copy(o, 0, total < TAREI_BLOCK_FLOATS ? total : TAREI_BLOCK_FLOATS, copy);
  }
}

tarei_block_view tarei_block_operand_view(const tarei_block_operand *const o, const size_t at,
                                          const size_t n, float *const copy) {
  const int last = o->n_axes - 1;
  const size_t begin = at % o->size[last], step = o->stride[last];
  if (o->period) {
    return (tarei_block_view){copy + at % o->period, 1};
  }
  if (step <= 1 && begin + n <= o->size[last]) {
    return (tarei_block_view){block_row(o, at / o->size[last]) + begin * step, step};
  }
  block_copy(o, at, n, copy);
  return (tarei_block_view){copy, 1};
}
