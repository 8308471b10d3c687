/* Any permutation of axes, of elements of 1, 2, 4 or 8 bytes. Size-1 axes are dropped and
 * neighbours that stay together merged; then rows are copied, or 2-D tiles transposed. */
#include <string.h>

#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* bytes that are worth a claim */
#define STRIP 512               /* bytes: several lines of the input in a row */
#define LINE 64                 /* bytes: kernels turn blocks of so many, in both directions */
#define STRIPS 4                /* for each thread, where there are enough rows */
/* Output axes, outermost first, with the input's stride in elements. */
typedef struct transpose_layout {
  int n;
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK];
} transpose_layout;

static void transpose_read_perm(const tarei_step *const step, const int rank, int *const perm) {
  int n;
  const int64_t *const list = tarei_attr_ints(step->node, "perm", &n);
  for (int i = 0; i < rank; i++) {
    perm[i] = list && n == rank ? (int)list[i] : rank - 1 - i;
  }
}

static transpose_layout transpose_layout_of(const tarei_step *const step,
                                            const tare_tensor *const x) {
  int perm[TARE_MAX_RANK];
  size_t stride[TARE_MAX_RANK], next = 1;
  transpose_layout l = {0};
  transpose_read_perm(step, x->rank, perm);
  for (int d = x->rank - 1; d >= 0; d--) {
    stride[d] = next;
    next *= (size_t)x->dims[d];
  }
  for (int i = 0; i < x->rank; i++) {
    const size_t size = (size_t)x->dims[perm[i]], s = stride[perm[i]];
    if (size == 1) {
      continue;
    }
    if (l.n && l.stride[l.n - 1] == s * size) {
      l.size[l.n - 1] *= size;
      l.stride[l.n - 1] = s;
    } else {
      l.size[l.n] = size;
      l.stride[l.n++] = s;
    }
  }
  return l;
}

static size_t transpose_offset_of(const transpose_layout *const l, const int axes, size_t index) {
  size_t offset = 0;
  for (int a = axes - 1; a >= 0; a--) {
    offset += index % l->size[a] * l->stride[a];
    index /= l->size[a];
  }
  return offset;
}

typedef struct copying {
  const transpose_layout *l;
  const char *x;
  char *out;
  size_t element, row; /* bytes */
} copying;

static void transpose_row_range(const void *const user, const size_t first, const size_t end,
                                const int thread) {
  (void)thread;
  const copying *const c = user;
  for (size_t r = first; r < end; r++) {
    memcpy(c->out + r * c->row, c->x + transpose_offset_of(c->l, c->l->n - 1, r) * c->element,
           c->row);
  }
}

/* Rows that stay whole: the last output axis is contiguous in the input. */
static void copy_rows(const transpose_layout *const l, const tarei_run *const run,
                      const size_t element) {
  const copying c = {.l = l,
                     .x = run->in[0]->data,
                     .out = run->out[0]->data,
                     .element = element,
                     .row = l->n ? l->size[l->n - 1] * element : element};
  size_t rows = 1;
  for (int a = 0; a < l->n - 1; a++) {
    rows *= l->size[a];
  }
  tarei_row_ranges(run, rows, c.row, LEAST, transpose_row_range, &c);
}

typedef struct tiling {
  transpose_layout others; /* the axes that do not span the matrices */
  size_t other_stride[TARE_MAX_RANK];
  size_t rows, columns, strips, height; /* of a matrix; strips of `height` rows */
  size_t row_stride, column_stride;     /* of the output's rows, of the input's columns */
  size_t width;                         /* of a tile */
  size_t element;
  tarei_turn_fn *tile;
  const char *x;
  char *out;
} tiling;

static void one_strip(const tiling *const t, const size_t strip) {
  const transpose_layout *const others = &t->others;
  size_t index = strip / t->strips, to = 0;
  const size_t from = transpose_offset_of(others, others->n, index);
  for (int a = others->n - 1; a >= 0; a--) {
    to += index % others->size[a] * t->other_stride[a];
    index /= others->size[a];
  }
  const size_t r = strip % t->strips * t->height;
  const size_t height = t->rows - r < t->height ? t->rows - r : t->height;
  for (size_t c = 0; c < t->columns; c += t->width) {
    t->tile(t->element, t->x + (from + r + c * t->column_stride) * t->element, t->column_stride,
            t->out + (to + r * t->row_stride + c) * t->element, t->row_stride, height,
            t->columns - c < t->width ? t->columns - c : t->width);
  }
}

static void strip_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  for (size_t i = first; i < end; i++) {
    one_strip(user, i);
  }
}

/* Lower ones where all threads would not find work otherwise. */
static size_t strip_height(const tiling *const t, const size_t matrices, const int threads) {
  size_t height = STRIP / t->element;
  while (threads > 1 && height > LINE / t->element &&
         matrices * t->rows < STRIPS * height * (size_t)threads) {
    height /= 2;
  }
  return height;
}

/* Output axis `unit` is the one that is contiguous in the input; it and the last output axis span a
 * matrix that is transposed by tiles, for every index of the other axes. */
static void transpose_tiles(const transpose_layout *const l, const int unit,
                            const tarei_run *const run, const size_t element) {
  tiling t = {.rows = l->size[unit],
              .columns = l->size[l->n - 1],
              .width = LINE / element,
              .column_stride = l->stride[l->n - 1],
              .element = element,
              .tile = run->kernels->transpose,
              .x = run->in[0]->data,
              .out = run->out[0]->data};
  size_t stride[TARE_MAX_RANK] = {0}, next = 1, matrices = 1;
  for (int a = l->n - 1; a >= 0; a--) {
    stride[a] = next;
    next *= l->size[a];
  }
  t.row_stride = stride[unit];
  for (int a = 0; a < l->n - 1; a++) {
    if (a != unit) {
      t.other_stride[t.others.n] = stride[a];
      t.others.size[t.others.n] = l->size[a];
      t.others.stride[t.others.n++] = l->stride[a];
      matrices *= l->size[a];
    }
  }
  t.height = strip_height(&t, matrices, run->threads);
  t.strips = (t.rows + t.height - 1) / t.height;
  tarei_row_ranges(run, matrices * t.strips, t.height * t.columns * element, LEAST, strip_range,
                   &t);
}

static tare_status transpose_run(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  (void)err;
  const tare_tensor *const x = r->in[0];
  if (tare_tensor_count(x) == 0) {
    return TARE_OK;
  }
  const transpose_layout l = transpose_layout_of(step, x);
  const size_t element = tare_dtype_size(x->dtype);
  if (l.n == 0 || l.stride[l.n - 1] == 1) {
    copy_rows(&l, r, element);
    return TARE_OK;
  }
  int unit = 0;
  while (l.stride[unit] != 1) {
    unit++;
  }
  transpose_tiles(&l, unit, r, element);
  return TARE_OK;
}

TAREI_KERNEL_OF(transpose_kernel, transpose)

const tarei_lowering tarei_lower_transpose = {.run = transpose_run, .kernel = transpose_kernel};
