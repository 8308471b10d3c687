/* Any permutation of axes, of elements of 1, 2, 4 or 8 bytes. Size-1 axes are dropped and
 * neighbours that stay together merged; then rows are copied, or 2-D tiles transposed. */
#include <string.h>

#include "engine/step.h"
#include "engine/threads.h"

#define TILE 16 /* a tile of 8-byte elements and its image both stay in L1 */

/* Output axes, outermost first, with the input's stride in elements. */
typedef struct layout {
  int n;
  size_t size[TARE_MAX_RANK], stride[TARE_MAX_RANK];
} layout;

static void read_perm(const tarei_step *const step, const int rank, int *const perm) {
  const tarei_attr *const a = tarei_attr_find(step->node, "perm");
  for (int i = 0; i < rank; i++) {
    perm[i] = a && a->n == rank ? (int)a->ints[i] : rank - 1 - i;
  }
}

static layout layout_of(const tarei_step *const step, const tare_tensor *const x) {
  int perm[TARE_MAX_RANK];
  size_t stride[TARE_MAX_RANK], next = 1;
  layout l = {0};
  read_perm(step, x->rank, perm);
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

static size_t offset_of(const layout *const l, const int axes, size_t index) {
  size_t offset = 0;
  for (int a = axes - 1; a >= 0; a--) {
    offset += index % l->size[a] * l->stride[a];
    index /= l->size[a];
  }
  return offset;
}

/* Rows that stay whole: the last output axis is contiguous in the input. */
static void copy_rows(const layout *const l, const char *const x, char *const out,
                      const size_t element, const int threads) {
  const size_t row = l->n ? l->size[l->n - 1] * element : element;
  size_t rows = 1;
  for (int a = 0; a < l->n - 1; a++) {
    rows *= l->size[a];
  }
  const int team = tarei_threads_for(threads, rows * row, 1u << 15);
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (size_t r = 0; r < rows; r++) {
    memcpy(out + r * row, x + offset_of(l, l->n - 1, r) * element, row);
  }
}

#define TRANSPOSE_TILE(name, type)                                                  \
  static void name(const void *const from, const size_t from_step, void *const to,  \
                   const size_t to_step, const size_t rows, const size_t columns) { \
    const type *const x = from;                                                     \
    type *const out = to;                                                           \
    for (size_t i = 0; i < rows; i++) {                                             \
      for (size_t j = 0; j < columns; j++) {                                        \
        out[i * to_step + j] = x[i + j * from_step];                                \
      }                                                                             \
    }                                                                               \
  }
TRANSPOSE_TILE(tile_1, uint8_t)
TRANSPOSE_TILE(tile_2, uint16_t)
TRANSPOSE_TILE(tile_4, uint32_t)
TRANSPOSE_TILE(tile_8, uint64_t)

typedef void (*tile_fn)(const void *from, size_t from_step, void *to, size_t to_step, size_t rows,
                        size_t columns);

static tile_fn tile_of(const size_t element) {
  return element == 1 ? tile_1 : element == 2 ? tile_2 : element == 4 ? tile_4 : tile_8;
}

/* Output axis `unit` is the one that is contiguous in the input; it and the last output axis span a
 * matrix that is transposed by tiles, for every index of the other axes. */
static void transpose_tiles(const layout *const l, const int unit, const char *const x,
                            char *const out, const size_t element, const int threads) {
  layout others = {0};
  size_t out_stride[TARE_MAX_RANK], other_stride[TARE_MAX_RANK], next = 1, matrices = 1;
  for (int a = l->n - 1; a >= 0; a--) {
    out_stride[a] = next;
    next *= l->size[a];
  }
  for (int a = 0; a < l->n - 1; a++) {
    if (a != unit) {
      other_stride[others.n] = out_stride[a];
      others.size[others.n] = l->size[a];
      others.stride[others.n++] = l->stride[a];
      matrices *= l->size[a];
    }
  }
  const size_t rows = l->size[unit], columns = l->size[l->n - 1];
  const size_t strips = (rows + TILE - 1) / TILE;
  const tile_fn tile = tile_of(element);
  const int team = tarei_threads_for(threads, matrices * rows * columns * element, 1u << 15);
#pragma omp parallel for num_threads(team) schedule(static) if (team > 1)
  for (size_t i = 0; i < matrices * strips; i++) {
    size_t index = i / strips, to = 0;
    const size_t from = offset_of(&others, others.n, index);
    for (int a = others.n - 1; a >= 0; a--) {
      to += index % others.size[a] * other_stride[a];
      index /= others.size[a];
    }
    const size_t r = i % strips * TILE, height = rows - r < TILE ? rows - r : TILE;
    for (size_t c = 0; c < columns; c += TILE) {
      tile(x + (from + r + c * l->stride[l->n - 1]) * element, l->stride[l->n - 1],
           out + (to + r * out_stride[unit] + c) * element, out_stride[unit], height,
           columns - c < TILE ? columns - c : TILE);
    }
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  (void)err;
  const tare_tensor *const x = r->in[0];
  if (tare_tensor_count(x) == 0) {
    return TARE_OK;
  }
  const layout l = layout_of(step, x);
  const size_t element = tare_dtype_size(x->dtype);
  if (l.n == 0 || l.stride[l.n - 1] == 1) {
    copy_rows(&l, x->data, r->out[0]->data, element, r->threads);
    return TARE_OK;
  }
  int unit = 0;
  while (l.stride[unit] != 1) {
    unit++;
  }
  transpose_tiles(&l, unit, x->data, r->out[0]->data, element, r->threads);
  return TARE_OK;
}

const tarei_lowering tarei_lower_transpose = {.run = run};
