/* Gather and GatherND. */
#include "engine/lower/move/elements.h"
#include "engine/lower/move/indices.h"
#include "engine/threads.h"

#define LEAST ((size_t)1 << 15) /* bytes, or elements, that are worth a range */

/* Elements of the axes from..to-1. */
static size_t count_between(const tare_tensor *const t, const int from, const int to) {
  size_t n = 1;
  for (int d = from; d < to; d++) {
    n *= (size_t)t->dims[d];
  }
  return n;
}

static int gather_axis_of(const tarei_step *const step, const tare_tensor *const x) {
  const int64_t axis = tarei_attr_int(step->node, "axis", 0);
  return (int)(axis < 0 ? axis + x->rank : axis);
}

/* --- Gather ----------------------------------------------------------------------------------- */

typedef struct gather_job {
  const tare_tensor *indices;
  size_t n, size, inner; /* indices, rows to choose from, bytes of a row */
  const char *from;
  char *to;
  bool single; /* rows are one element each */
} gather_job;

/* Elements picked out of one row each; most indices are int64. */
#define PICK(type, index_of)                                         \
  for (size_t i = 0; i < n; i++) {                                   \
    const int64_t at = (index_of), size = (int64_t)j->size;          \
    ((type *)to)[i] = ((const type *)from)[at < 0 ? at + size : at]; \
  }

/* n elements of one of the tensors to choose from, beginning with index `first`. */
static void gather_elements_of(const gather_job *const j, const size_t first, const size_t n,
                               const char *const from, char *const to) {
  if (j->indices->dtype == TARE_I64) {
    const int64_t *const indices = (const int64_t *)j->indices->data + first;
    TAREI_BY_SIZE(j->inner, PICK(type, indices[i]))
  } else {
    TAREI_BY_SIZE(j->inner, PICK(type, tarei_index_at(j->indices, (int64_t)(first + i))))
  }
}

static void gather_rows_of(const gather_job *const j, const size_t first, const size_t n,
                           const char *const from, char *const to) {
  for (size_t i = 0; i < n; i++) {
    const int64_t at = tarei_position(j->indices, (int64_t)(first + i), (int64_t)j->size);
    memcpy(to + i * j->inner, from + (size_t)at * j->inner, j->inner);
  }
}

static void gather_range(const void *const user, const size_t first, const size_t end,
                         const int thread) {
  (void)thread;
  const gather_job *const j = user;
  for (size_t i = first; i < end;) {
    const size_t at = i % j->n, left = end - i, n = j->n - at < left ? j->n - at : left;
    const char *const from = j->from + i / j->n * j->size * j->inner;
    (j->single ? gather_elements_of : gather_rows_of)(j, at, n, from, j->to + i * j->inner);
    i += n;
  }
}

static tare_status run_gather(const tarei_step *const step, const tarei_run *const r,
                              tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const int axis = gather_axis_of(step, x);
  TAREI_TRY(tarei_check_indices(step, r, 0, 1, axis, x->dims[axis], err));
  const size_t inner = count_between(x, axis + 1, x->rank) * tare_dtype_size(x->dtype);
  const gather_job j = {.indices = r->in[1],
                        .n = (size_t)tare_tensor_count(r->in[1]),
                        .size = (size_t)x->dims[axis],
                        .inner = inner,
                        .from = x->data,
                        .to = r->out[0]->data,
                        .single = inner == tare_dtype_size(x->dtype)};
  if (inner) {
    tarei_row_ranges(r, count_between(x, 0, axis) * j.n, inner, LEAST, gather_range, &j);
  }
  return TARE_OK;
}

/* --- GatherND --------------------------------------------------------------------------------- */

typedef struct tuples {
  const tare_tensor *x, *indices;
  int batch, length;       /* axes of the batch, axes that a tuple names */
  size_t per_batch, slice; /* tuples of a batch, bytes that one picks */
  char *to;
} tuples;

static void slices(const void *const user, const size_t first, const size_t end, const int thread) {
  (void)thread;
  const tuples *const t = user;
  for (size_t i = first; i < end; i++) {
    size_t from = i / t->per_batch;
    for (int d = 0; d < t->length; d++) {
      const int64_t size = t->x->dims[t->batch + d];
      from = from * (size_t)size +
             (size_t)tarei_position(t->indices, (int64_t)i * t->length + d, size);
    }
    memcpy(t->to + i * t->slice, (const char *)t->x->data + from * t->slice, t->slice);
  }
}

static tare_status run_gather_nd(const tarei_step *const step, const tarei_run *const r,
                                 tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  const int batch = (int)tarei_attr_int(step->node, "batch_dims", 0);
  const int length = (int)indices->dims[indices->rank - 1];
  for (int d = 0; d < batch; d++) {
    if (x->dims[d] != indices->dims[d]) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "batch axis %d has length %lld in the data, %lld in the indices", d,
                        (long long)x->dims[d], (long long)indices->dims[d]);
    }
  }
  for (int d = 0; d < length; d++) {
    TAREI_TRY(tarei_check_indices(step, r, d, length, batch + d, x->dims[batch + d], err));
  }
  const tuples t = {
      .x = x,
      .indices = indices,
      .batch = batch,
      .length = length,
      .per_batch = count_between(indices, batch, indices->rank - 1),
      .slice = count_between(x, batch + length, x->rank) * tare_dtype_size(x->dtype),
      .to = r->out[0]->data,
  };
  if (t.slice) {
    tarei_row_ranges(r, count_between(indices, 0, indices->rank - 1), t.slice, LEAST, slices, &t);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_gather = {.prepare = tarei_want_indices, .run = run_gather};
const tarei_lowering tarei_lower_gather_nd = {.prepare = tarei_want_indices, .run = run_gather_nd};
