/* Softmax and LogSoftmax along any axis. Before opset 13 the dims from the axis on are one row. */
#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

typedef struct rows {
  size_t outer, n, inner; /* inner > 1: the elements of a row lie `inner` apart */
} rows;

static rows rows_of(const tarei_step *const step, const tare_tensor *const x) {
  const bool flattens = step->node->opset < 13;
  int64_t axis = tarei_attr_int(step->node, "axis", flattens ? 1 : -1);
  axis += axis < 0 ? x->rank : 0;
  rows r = {1, 1, 1};
  for (int d = 0; d < x->rank; d++) {
    size_t *const part = d < axis ? &r.outer : d == axis || flattens ? &r.n : &r.inner;
    *part *= (size_t)x->dims[d];
  }
  return r;
}

static size_t column_bytes(const rows *const r) {
  return tarei_round_up(r->n * sizeof(float), TAREI_ALIGN);
}

static size_t scratch(const tarei_step *const step, const tare_tensor *const *const in,
                      const tare_tensor *const *const out, const int threads) {
  (void)out;
  const rows r = rows_of(step, in[0]);
  return r.inner == 1 ? 0 : column_bytes(&r) * (size_t)threads;
}

typedef struct job {
  rows r;
  const tarei_run *run;
  tarei_softmax_fn *kernel;
} job;

static void one_row(const rows *const r, const size_t row, const float *const x, float *const out,
                    tarei_softmax_fn *const kernel, float *const column) {
  const size_t at = row / r->inner * r->n * r->inner + row % r->inner;
  if (r->inner == 1) {
    kernel(x + at, r->n, out + at);
    return;
  }
  for (size_t i = 0; i < r->n; i++) {
    column[i] = x[at + i * r->inner];
  }
  kernel(column, r->n, column);
  for (size_t i = 0; i < r->n; i++) {
    out[at + i * r->inner] = column[i];
  }
}

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  const job *const j = user;
  float *const column = tarei_thread_scratch(j->run, thread, column_bytes(&j->r));
  for (size_t row = first; row < end; row++) {
    one_row(&j->r, row, j->run->in[0]->data, j->run->out[0]->data, j->kernel, column);
  }
}

static tare_status run_rows(const tarei_step *const step, const tarei_run *const run,
                            tarei_softmax_fn *const kernel) {
  const job j = {rows_of(step, run->in[0]), run, kernel};
  tarei_row_ranges(run, j.r.n ? j.r.outer * j.r.inner : 0, j.r.n, 4096, row_range, &j);
  return TARE_OK;
}

static tare_status run_softmax(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  return run_rows(step, r, r->kernels->softmax);
}

static tare_status run_log_softmax(const tarei_step *const step, const tarei_run *const r,
                                   tare_error *const err) {
  (void)err;
  return run_rows(step, r, r->kernels->log_softmax);
}

static tare_status prepare(tarei_step *const step, tarei_blobs *const blobs,
                           tare_error *const err) {
  (void)blobs;
  const tarei_value *const x = &step->graph->values[step->node->in[0]];
  return x->dtype == TARE_F32 ? TARE_OK
                              : tarei_refuse_dtype(x->dtype, err);
}

static const char *softmax_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->softmax_name;
}

static const char *log_softmax_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->log_softmax_name;
}

const tarei_lowering tarei_lower_softmax = {
    .prepare = prepare, .scratch = scratch, .run = run_softmax, .kernel = softmax_kernel};
const tarei_lowering tarei_lower_log_softmax = {
    .prepare = prepare, .scratch = scratch, .run = run_log_softmax, .kernel = log_softmax_kernel};
