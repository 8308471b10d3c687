/* Gather along an axis. Indices come from the data and are checked one by one. */
#include <string.h>

#include "engine/threads.h"

static int64_t index_at(const tare_tensor *const indices, const size_t i) {
  return indices->dtype == TARE_I64 ? ((const int64_t *)indices->data)[i]
                                    : ((const int32_t *)indices->data)[i];
}

static tare_status check_indices(const tarei_step *const step, const tare_tensor *const indices,
                                 const int64_t size, const int64_t axis, tare_error *const err) {
  const size_t n = (size_t)tare_tensor_count(indices);
  for (size_t i = 0; i < n; i++) {
    const int64_t at = index_at(indices, i);
    if (at < -size || at >= size) {
      return tarei_fail(err, TARE_E_INPUT, "index %lld in '%s' is outside 0..%lld of axis %lld",
                        (long long)at, step->graph->values[step->node->in[1]].name,
                        (long long)size - 1, (long long)axis);
    }
  }
  return TARE_OK;
}

typedef struct job {
  const tare_tensor *indices;
  size_t n, size, inner; /* indices, rows to choose from, bytes of a row */
  const char *from;
  char *to;
} job;

static void rows(const void *const user, const size_t first, const size_t end,
                 const int thread) {
  (void)thread;
  const job *const j = user;
  for (size_t i = first; i < end; i++) {
    const int64_t at = index_at(j->indices, i % j->n);
    const size_t row = i / j->n * j->size + (size_t)(at < 0 ? at + (int64_t)j->size : at);
    memcpy(j->to + i * j->inner, j->from + row * j->inner, j->inner);
  }
}

static tare_status run(const tarei_step *const step, const tarei_run *const r,
                       tare_error *const err) {
  const tare_tensor *const x = r->in[0], *const indices = r->in[1];
  int64_t axis = tarei_attr_int(step->node, "axis", 0);
  axis += axis < 0 ? x->rank : 0;
  const int64_t size = x->dims[axis];
  TARE_TRY(check_indices(step, indices, size, axis, err));
  size_t outer = 1, inner = tare_dtype_size(x->dtype);
  for (int d = 0; d < x->rank; d++) {
    if (d < axis) {
      outer *= (size_t)x->dims[d];
    } else if (d > axis) {
      inner *= (size_t)x->dims[d];
    }
  }
  const job j = {indices, (size_t)tare_tensor_count(indices), (size_t)size, inner, x->data,
                 r->out[0]->data};
  tarei_row_ranges(r, outer * j.n, inner, 1u << 15, rows, &j);
  return TARE_OK;
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[1]].dtype;
  return dtype == TARE_I64 || dtype == TARE_I32
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "indices are %s, not int32 or int64",
                          tare_dtype_name(dtype));
}

const tarei_lowering tarei_lower_gather = {.prepare = prepare, .run = run};
