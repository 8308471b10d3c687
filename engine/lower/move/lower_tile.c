/* Tile: each row of the output is a row of the input, several times in a row. */
#include <string.h>

#include "base/mem.h"
#include "engine/lower/numbers.h"
#include "engine/lower/measured.h"
#include "engine/threads.h"

static tare_status tile_measure(const tarei_step *const step, const tarei_run *const r,
                                int64_t *const values, tare_error *const err) {
  const tare_tensor *const x = r->in[0];
  const char *const name = step->graph->values[step->node->in[1]].name;
  int64_t dims[TARE_MAX_RANK];
  tarei_ints repeats;
  TAREI_TRY(tarei_read_ints(step, r, 1, NULL, &repeats, err));
  if (repeats.n != x->rank) {
    return tarei_fail(err, TARE_E_INPUT, "'%s' has %d elements for an input of rank %d", name,
                      repeats.n, x->rank);
  }
  for (int d = 0; d < x->rank; d++) {
    const int64_t times = repeats.at[d];
    if (times < 0 || !tarei_mul_i64(x->dims[d], times, &dims[d])) {
      return tarei_fail(err, TARE_E_INPUT, "'%s' repeats axis %d of length %lld %lld times", name,
                        d, (long long)x->dims[d], (long long)times);
    }
  }
  tarei_measured_dims(step, 0, dims, values);
  return TARE_OK;
}

static void tile_row_range(const void *const user, const size_t first, const size_t end,
                           const int thread) {
  (void)thread;
  const tarei_run *const r = user;
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  const int last = x->rank - 1;
  const size_t element = tare_dtype_size(x->dtype), own = (size_t)x->dims[last] * element;
  const size_t row_bytes = (size_t)out->dims[last] * element;
  for (size_t row = first; row < end; row++) {
    size_t from = 0, stride = 1, rest = row;
    for (int d = last - 1; d >= 0; d--) {
      from += rest % (size_t)out->dims[d] % (size_t)x->dims[d] * stride;
      rest /= (size_t)out->dims[d];
      stride *= (size_t)x->dims[d];
    }
    char *const to = (char *)out->data + row * row_bytes;
    for (size_t at = 0; at < row_bytes; at += own) {
      memcpy(to + at, (const char *)x->data + from * own, own);
    }
  }
}

static tare_status tile_run(const tarei_step *const step, const tarei_run *const r,
                            tare_error *const err) {
  (void)step;
  const tare_tensor *const x = r->in[0], *const out = r->out[0];
  for (int d = 0; d < x->rank; d++) {
    if (out->dims[d] && (x->dims[d] < 1 || out->dims[d] % x->dims[d] != 0)) {
      return tarei_fail(err, TARE_E_SHAPE, "cannot repeat axis %d of length %lld to length %lld", d,
                        (long long)x->dims[d], (long long)out->dims[d]);
    }
  }
  const size_t total = (size_t)tare_tensor_count(out), element = tare_dtype_size(x->dtype);
  if (x->rank == 0) {
    memcpy(out->data, x->data, element);
  } else if (total) {
    const size_t row = (size_t)out->dims[x->rank - 1];
    tarei_row_ranges(r, total / row, row * element, 1u << 15, tile_row_range, r);
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_tile = {.measure = tile_measure, .run = tile_run};
