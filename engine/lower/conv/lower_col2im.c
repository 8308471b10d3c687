/* Col2Im: each element of the columns is added where it stood in the image; what lies in the pads
 * is left out. Threads take whole images of a channel, which sum in the order of the block. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/measured.h"
#include "engine/lower/numbers.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

enum { X, IMAGE, BLOCK };

typedef struct col2im_job {
  const tarei_run *run;
  int n; /* axes of the image */
  int64_t image[TARE_MAX_RANK], block[TARE_MAX_RANK], places[TARE_MAX_RANK];
  int64_t dilations[TARE_MAX_RANK], strides[TARE_MAX_RANK], pads[TARE_MAX_RANK];
  int64_t size, columns, pixels; /* elements of a block, blocks, elements of an image */
} col2im_job;

static int64_t col2im_attr(const tarei_step *const step, const char *const name, const int i,
                           const int64_t fallback) {
  const tarei_attr *const a = tarei_attr_find(step->node, name);
  return a && a->kind == TAREI_ATTR_INTS && i < a->n ? a->ints[i] : fallback;
}

static tare_status col2im_axis(const tarei_step *const step, col2im_job *const j, const int i,
                               tare_error *const err) {
  j->dilations[i] = col2im_attr(step, "dilations", i, 1);
  j->strides[i] = col2im_attr(step, "strides", i, 1);
  j->pads[i] = col2im_attr(step, "pads", i, 0);
  const int64_t after = col2im_attr(step, "pads", j->n + i, 0);
  if (j->block[i] < 1 || j->block[i] > INT32_MAX || j->image[i] < 0 || j->image[i] > INT32_MAX) {
    return tarei_fail(err, TARE_E_INPUT, "a block of %lld in an image of %lld is out of range",
                      (long long)j->block[i], (long long)j->image[i]);
  }
  const int64_t rest = j->image[i] + j->pads[i] + after - j->dilations[i] * (j->block[i] - 1) - 1;
  j->places[i] = rest < 0 ? 0 : rest / j->strides[i] + 1;
  return tarei_mul_i64(j->size, j->block[i], &j->size) &&
                 tarei_mul_i64(j->columns, j->places[i], &j->columns) &&
                 tarei_mul_i64(j->pixels, j->image[i], &j->pixels)
             ? TARE_OK
             : tarei_fail(err, TARE_E_INPUT, "the image or the block is too large");
}

static tare_status col2im_read(const tarei_step *const step, const tarei_run *const r,
                               col2im_job *const j, tare_error *const err) {
  tarei_ints image, block;
  TAREI_TRY(tarei_read_ints(step, r, IMAGE, NULL, &image, err));
  TAREI_TRY(tarei_read_ints(step, r, BLOCK, NULL, &block, err));
  const int rank = step->graph->values[step->node->out[0]].rank;
  if (image.n != rank - 2 || block.n != rank - 2) {
    return tarei_fail(err, TARE_E_INPUT, "the image has %d axes and the block %d, expected %d",
                      image.n, block.n, rank - 2);
  }
  *j = (col2im_job){.run = r, .n = rank - 2, .size = 1, .columns = 1, .pixels = 1};
  for (int i = 0; i < j->n; i++) {
    j->image[i] = image.at[i];
    j->block[i] = block.at[i];
    TAREI_TRY(col2im_axis(step, j, i, err));
  }
  const int64_t channels = r->in[X]->dims[1];
  if (channels % j->size) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld channels are no multiple of the block's %lld",
                      (long long)channels, (long long)j->size);
  }
  return tarei_want_dim(step, r, X, 2, j->columns, err);
}

static tare_status col2im_measure(const tarei_step *const step, const tarei_run *const r,
                                  int64_t *const values, tare_error *const err) {
  col2im_job j;
  TAREI_TRY(col2im_read(step, r, &j, err));
  int64_t dims[TARE_MAX_RANK] = {r->in[X]->dims[0], r->in[X]->dims[1] / j.size};
  memcpy(dims + 2, j.image, (size_t)j.n * sizeof *dims);
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

/* A row of blocks: element `column` of the columns and further ones, of which those from `first` on
 * and before `end` lie inside, belong to element `pixel` of the image and further ones. */
typedef struct col2im_row {
  int64_t column, pixel; /* of the block at 0, which may lie outside */
  int64_t first, end, stride;
} col2im_row;

#define ADD_ROW(name, type)                                                                      \
  static void col2im_add_##name(const col2im_row *const w, const void *const x, void *const y) { \
    const type *const from = (const type *)x + w->column;                                        \
    type *const to = (type *)y;                                                                  \
    if (w->stride == 1) {                                                                        \
      for (int64_t i = w->first; i < w->end; i++) {                                              \
        to[w->pixel + i] += from[i];                                                             \
      }                                                                                          \
      return;                                                                                    \
    }                                                                                            \
    for (int64_t i = w->first; i < w->end; i++) {                                                \
      to[w->pixel + i * w->stride] += from[i];                                                   \
    }                                                                                            \
  }
ADD_ROW(f32, float)
ADD_ROW(f64, double)

/* Fills in the row of blocks number `row` for element `at` of the block; false where it lies in the
 * pads. */
static bool col2im_find_row(const col2im_job *const j, const int64_t *const at, int64_t row,
                            col2im_row *const w) {
  const int last = j->n - 1;
  const int64_t begin = at[last] * j->dilations[last] - j->pads[last], step = j->strides[last];
  w->stride = step;
  w->first = begin < 0 ? (-begin + step - 1) / step : 0;
  w->end = begin >= j->image[last] ? 0 : (j->image[last] - 1 - begin) / step + 1;
  w->end = w->end < j->places[last] ? w->end : j->places[last];
  w->column = row * j->places[last];
  int64_t plane = j->image[last];
  w->pixel = begin;
  for (int d = last - 1; d >= 0; d--) {
    const int64_t place = row % j->places[d];
    const int64_t pixel = place * j->strides[d] + at[d] * j->dilations[d] - j->pads[d];
    if (pixel < 0 || pixel >= j->image[d]) {
      return false;
    }
    w->pixel += pixel * plane;
    plane *= j->image[d];
    row /= j->places[d];
  }
  return w->first < w->end;
}

static void col2im_image(const col2im_job *const j, const char *const x, char *const y) {
  const size_t element = tare_dtype_size(j->run->in[X]->dtype);
  const int64_t rows = j->columns / j->places[j->n - 1];
  memset(y, 0, (size_t)j->pixels * element);
  for (int64_t b = 0; b < j->size; b++) {
    int64_t at[TARE_MAX_RANK];
    int64_t rest = b;
    for (int d = j->n - 1; d >= 0; d--) {
      at[d] = rest % j->block[d];
      rest /= j->block[d];
    }
    const char *const from = x + (size_t)(b * j->columns) * element;
    for (int64_t row = 0; row < rows; row++) {
      col2im_row w;
      if (!col2im_find_row(j, at, row, &w)) {
        continue;
      }
      if (element == sizeof(float)) {
        col2im_add_f32(&w, from, y);
      } else {
        col2im_add_f64(&w, from, y);
      }
    }
  }
}

static void col2im_range(const void *const user, const size_t first, const size_t end,
                         const int thread) {
  (void)thread;
  const col2im_job *const j = user;
  const size_t element = tare_dtype_size(j->run->in[X]->dtype);
  for (size_t i = first; i < end; i++) {
    col2im_image(j,
                 (const char *)j->run->in[X]->data + i * (size_t)(j->size * j->columns) * element,
                 (char *)j->run->out[0]->data + i * (size_t)j->pixels * element);
  }
}

static tare_status col2im_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                  tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[X]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static tare_status col2im_run(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  col2im_job j;
  TAREI_TRY(col2im_read(step, r, &j, err));
  const tare_tensor *const out = r->out[0];
  if (out->dims[1] != r->in[X]->dims[1] / j.size) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld channels are left, expected %lld",
                      (long long)(r->in[X]->dims[1] / j.size), (long long)out->dims[1]);
  }
  for (int i = 0; i < j.n; i++) {
    if (out->dims[2 + i] != j.image[i]) {
      return tarei_fail(err, TARE_E_SHAPE, "the image has %lld along axis %d, expected %lld",
                        (long long)j.image[i], i, (long long)out->dims[2 + i]);
    }
  }
  if (tare_tensor_count(out) > 0 && j.columns == 0) {
    memset(out->data, 0, (size_t)tare_tensor_count(out) * tare_dtype_size(out->dtype));
  } else if (tare_tensor_count(out) > 0) {
    tarei_row_ranges(r, (size_t)(out->dims[0] * out->dims[1]), (size_t)(j.size * j.columns), 4096,
                     col2im_range, &j);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_col2im = {
    .prepare = col2im_prepare, .measure = col2im_measure, .run = col2im_run};
