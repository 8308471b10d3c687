#include "engine/lower/elementwise/elementwise.h"

#include <assert.h>
#include <string.h>

#include "engine/threads.h"

#define CHUNK ((size_t)1 << 13) /* elements that are worth a claim */
#define BLOCK 1024              /* floats that are made to be quantized: they stay in L1 */

typedef struct flat {
  size_t total;
  tarei_chunk_fn chunk;
  const void *user;
} flat;

static void chunk_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const flat *const f = user;
  const size_t at = first * CHUNK, left = f->total - at, n = (end - first) * CHUNK;
  f->chunk(f->user, at, n < left ? n : left);
}

void tarei_chunks(const tarei_run *const run, const size_t total, const tarei_chunk_fn chunk,
                  const void *const user) {
  const flat f = {total, chunk, user};
  tarei_ranges(run, total / CHUNK + (total % CHUNK != 0), 1, chunk_range, &f);
}

void tarei_write_values(const tarei_epilogue *const to, const tarei_kernels *const kernels,
                        const size_t at, const size_t n, const tarei_values_fn values,
                        const void *const user) {
  float block[BLOCK];
  const size_t size = to->out_u8 ? BLOCK : n;
  for (size_t i = 0; i < n; i += size) {
    const size_t m = n - i < size ? n - i : size;
    float *const out = to->out_f32 ? to->out_f32 + at + i : block;
    values(user, at + i, m, out);
    if (to->out_u8) {
      kernels->quantize(out, m, to->inv_scale, to->zero_point, to->out_u8 + at + i);
    }
  }
}

bool tarei_overwrites_alike(const tarei_step *const step, const int input) {
  const int x = step->node->in[input], out = step->node->out[0];
  return step->graph->values[x].dtype == step->graph->values[out].dtype &&
         tarei_values_same_shape(step->graph, x, out);
}

/* One axis of the output with the stride of each operand, in elements. */
typedef struct axis {
  size_t size, stride[TAREI_MAX_BROADCAST];
} axis;

tare_status tarei_broadcast_check(const tare_tensor *const t, const tare_tensor *const out,
                                  tare_error *const err) {
  const int lead = out->rank - t->rank;
  if (lead < 0) {
    return tarei_fail(err, TARE_E_SHAPE, "an operand has rank %d, its output %d", t->rank,
                      out->rank);
  }
  for (int d = 0; d < t->rank; d++) {
    if (t->dims[d] != 1 && t->dims[d] != out->dims[lead + d]) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of an operand has length %lld, which does not broadcast to %lld",
                        d, (long long)t->dims[d], (long long)out->dims[lead + d]);
    }
  }
  return TARE_OK;
}

static int elementwise_read_axes(const tare_tensor *const *const operands, const int n_operands,
                                 const tare_tensor *const out, axis *const axes) {
  size_t matrix[TAREI_MAX_BROADCAST];
  for (int k = 0; k < n_operands; k++) {
    matrix[k] = 1;
  }
  for (int a = out->rank - 1; a >= 0; a--) {
    axes[a].size = (size_t)out->dims[a];
    for (int k = 0; k < n_operands; k++) {
      const int own = a - (out->rank - operands[k]->rank);
      const size_t size = own < 0 ? 1 : (size_t)operands[k]->dims[own];
      axes[a].stride[k] = size == 1 ? 0 : matrix[k];
      matrix[k] *= size;
    }
  }
  return out->rank;
}

static bool can_merge(const axis *const outer, const axis *const inner, const int n_operands) {
  for (int k = 0; k < n_operands; k++) {
    if (outer->stride[k] != inner->stride[k] * inner->size) {
      return false;
    }
  }
  return true;
}

static int merge_axes(axis *const axes, const int n, const int n_operands) {
  int kept = 0;
  for (int a = 0; a < n; a++) {
    if (axes[a].size == 1) {
      continue;
    }
    if (kept && can_merge(&axes[kept - 1], &axes[a], n_operands)) {
      axes[kept - 1].size *= axes[a].size;
      memcpy(axes[kept - 1].stride, axes[a].stride, sizeof axes[a].stride);
    } else {
      axes[kept++] = axes[a];
    }
  }
  return kept;
}

tare_status tarei_broadcast_read(const tare_tensor *const *const operands, const int n_operands,
                                 const tare_tensor *const out, tarei_broadcast *const b,
                                 tare_error *const err) {
  assert(n_operands <= TAREI_MAX_BROADCAST);
  for (int k = 0; k < n_operands; k++) {
    TAREI_TRY(tarei_broadcast_check(operands[k], out, err));
  }
  axis axes[TARE_MAX_RANK];
  int n = elementwise_read_axes(operands, n_operands, out, axes);
  n = merge_axes(axes, n, n_operands);
  *b = (tarei_broadcast){.n_operands = n_operands, .rows = 1, .n = 1};
  if (n) {
    b->n = axes[n - 1].size;
    for (int k = 0; k < n_operands; k++) {
      b->step[k] = axes[n - 1].stride[k];
    }
  }
  b->n_outer = n > 0 ? n - 1 : 0;
  for (int a = 0; a < b->n_outer; a++) {
    b->outer[a] = axes[a].size;
    b->rows *= axes[a].size;
    for (int k = 0; k < n_operands; k++) {
      b->stride[k][a] = axes[a].stride[k];
    }
  }
  return TARE_OK;
}

/* A row of the output, and where the operands begin there. */
typedef struct row_place {
  size_t at[TARE_MAX_RANK]; /* along the outer axes */
  size_t offset[TAREI_MAX_BROADCAST];
} row_place;

static row_place elementwise_locate(const tarei_broadcast *const b, size_t row) {
  row_place place = {0};
  for (int a = b->n_outer - 1; a >= 0; a--) {
    place.at[a] = row % b->outer[a];
    row /= b->outer[a];
    for (int k = 0; k < b->n_operands; k++) {
      place.offset[k] += place.at[a] * b->stride[k][a];
    }
  }
  return place;
}

/* The next row, without a division. */
static void elementwise_advance(const tarei_broadcast *const b, row_place *const place) {
  for (int a = b->n_outer - 1; a >= 0; a--) {
    const bool ends = ++place->at[a] == b->outer[a];
    const size_t back = ends ? b->outer[a] : 0;
    for (int k = 0; k < b->n_operands; k++) {
      place->offset[k] += b->stride[k][a] - back * b->stride[k][a];
    }
    if (!ends) {
      return;
    }
    place->at[a] = 0;
  }
}

typedef struct pieces {
  const tarei_broadcast *b;
  size_t per_row, size; /* a row is cut into so many pieces of this size, the last one shorter */
  tarei_broadcast_fn row_fn;
  const void *user;
} pieces;

static void piece_range(const void *const user, const size_t first, const size_t end,
                        const int thread) {
  (void)thread;
  const pieces *const p = user;
  const tarei_broadcast *const b = p->b;
  tarei_broadcast part = *b;
  size_t row = first / p->per_row, piece = first % p->per_row;
  row_place place = elementwise_locate(b, row);
  for (size_t i = first; i < end; i++) {
    const size_t begin = piece * p->size, left = b->n - begin;
    size_t offset[TAREI_MAX_BROADCAST];
    for (int k = 0; k < part.n_operands; k++) {
      offset[k] = place.offset[k] + begin * part.step[k];
    }
    part.n = left < p->size ? left : p->size;
    p->row_fn(p->user, &part, row * b->n + begin, offset);
    if (++piece == p->per_row) {
      piece = 0;
      row++;
      elementwise_advance(b, &place);
    }
  }
}

void tarei_broadcast_run(const tarei_broadcast *const b, const tarei_run *const run,
                         const tarei_broadcast_fn row_fn, const void *const user) {
  if (b->n == 0 || b->rows == 0) {
    return;
  }
  const bool cuts = b->n > CHUNK && run->threads > 1;
  const size_t size = cuts ? CHUNK : b->n;
  const pieces p = {b, cuts ? (b->n + size - 1) / size : 1, size, row_fn, user};
  tarei_row_ranges(run, b->rows * p.per_row, size, CHUNK, piece_range, &p);
}
