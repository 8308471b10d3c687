#include <string.h>

#include "engine/lower/operands.h"

/* Rows of `bytes` that lie side by side, n of them in each of `outer` blocks. */
typedef struct compress_rows {
  size_t outer, n, bytes;
} compress_rows;

static compress_rows compress_rows_of(const tarei_step *const step, const tare_tensor *const x) {
  const bool flat = !tarei_attr_find(step->node, "axis");
  int64_t axis = tarei_attr_int(step->node, "axis", 0);
  axis += axis < 0 ? x->rank : 0;
  compress_rows r = {1, 1, tare_dtype_size(x->dtype)};
  for (int d = 0; d < x->rank; d++) {
    *(flat || d == axis ? &r.n : d < axis ? &r.outer : &r.bytes) *= (size_t)x->dims[d];
  }
  return r;
}

/* Conditions behind the last row select nothing. */
static size_t count_conditions(const tarei_run *const run, const compress_rows *const r) {
  const size_t given = (size_t)run->in[1]->dims[0];
  return given < r->n ? given : r->n;
}

static tare_status compress_measure(const tarei_step *const step, const tarei_run *const run,
                                    int64_t *const values, tare_error *const err) {
  (void)err;
  const compress_rows r = compress_rows_of(step, run->in[0]);
  const uint8_t *const holds = run->in[1]->data;
  values[0] = 0;
  for (size_t i = 0; i < count_conditions(run, &r); i++) {
    values[0] += holds[i] != 0;
  }
  return TARE_OK;
}

static tare_status compress_run(const tarei_step *const step, const tarei_run *const run,
                                tare_error *const err) {
  const compress_rows r = compress_rows_of(step, run->in[0]);
  const size_t n = count_conditions(run, &r), row = r.outer * r.bytes;
  int64_t chosen;
  TAREI_TRY(compress_measure(step, run, &chosen, err));
  if ((size_t)chosen * row !=
      (size_t)tare_tensor_count(run->out[0]) * tare_dtype_size(run->out[0]->dtype)) {
    return tarei_fail(err, TARE_E_SHAPE, "%lld conditions hold, but the output has %lld elements",
                      (long long)chosen, (long long)tare_tensor_count(run->out[0]));
  }
  const uint8_t *const holds = run->in[1]->data;
  const char *from = run->in[0]->data;
  char *to = run->out[0]->data;
  for (size_t o = 0; o < r.outer; o++, from += r.n * r.bytes) {
    for (size_t i = 0; i < n; i++) {
      if (holds[i]) {
        memcpy(to, from + i * r.bytes, r.bytes);
        to += r.bytes;
      }
    }
  }
  return TARE_OK;
}

const tarei_lowering tarei_lower_compress = {.measure = compress_measure, .run = compress_run};
