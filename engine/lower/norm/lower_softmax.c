/* Softmax, LogSoftmax and Hardmax along any axis. Before opset 13 the dims from the axis on are one
 * row. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/lower/operands.h"
#include "engine/threads.h"

typedef struct softmax_rows {
  size_t outer, n, inner; /* inner > 1: the elements of a row lie `inner` apart */
} softmax_rows;

static softmax_rows softmax_rows_of(const tarei_step *const step, const tare_tensor *const x) {
  const bool flattens = step->node->opset < 13;
  int64_t axis = tarei_attr_int(step->node, "axis", flattens ? 1 : -1);
  axis += axis < 0 ? x->rank : 0;
  softmax_rows r = {1, 1, 1};
  for (int d = 0; d < x->rank; d++) {
    size_t *const part = d < axis ? &r.outer : d == axis || flattens ? &r.n : &r.inner;
    *part *= (size_t)x->dims[d];
  }
  return r;
}

/* Rows whose elements do not lie side by side are turned so many at a time. */
enum { TURNED_ROWS = 16 };

static size_t turned_bytes(const softmax_rows *const r, const tare_dtype dtype) {
  const size_t row = tarei_times(r->n, tare_dtype_size(dtype));
  return tarei_round_up(tarei_times(row, TURNED_ROWS), TAREI_ALIGN);
}

static size_t softmax_scratch(const tarei_step *const step, const tare_tensor *const *const in,
                              const tare_tensor *const *const out, const int threads) {
  (void)out;
  const softmax_rows r = softmax_rows_of(step, in[0]);
  return r.inner == 1 ? 0 : tarei_times(turned_bytes(&r, in[0]->dtype), (size_t)threads);
}

/* One row side by side; in place where out is x. */
typedef void row_f32_fn(const tarei_kernels *kernels, const float *x, size_t n, float *out);
typedef void row_f64_fn(const double *x, size_t n, double *out);

typedef struct softmax_job {
  softmax_rows r;
  const tarei_run *run;
  row_f32_fn *f32;
  row_f64_fn *f64;
} softmax_job;

/* Rows that lie one after the other. */
static void softmax_lines(const softmax_job *const j, const void *const x, const size_t m,
                          void *const out) {
  for (size_t i = 0, at = 0; i < m; i++, at += j->r.n) {
    if (j->run->in[0]->dtype == TARE_F32) {
      j->f32(j->run->kernels, (const float *)x + at, j->r.n, (float *)out + at);
    } else {
      j->f64((const double *)x + at, j->r.n, (double *)out + at);
    }
  }
}

/* Rows of the input from an element on become lines, m of each of `count` matrices of the inner
 * dims. */
static void softmax_turn_in(const softmax_job *const j, const size_t at, const size_t m,
                            const size_t count, void *const lines) {
  const softmax_rows *const r = &j->r;
  const size_t element = tare_dtype_size(j->run->in[0]->dtype);
  const tarei_turn turn = {.element = element,
                           .from = (const char *)j->run->in[0]->data + at * element,
                           .from_step = r->inner,
                           .from_next = r->n * r->inner,
                           .to = lines,
                           .to_step = r->n,
                           .to_next = r->n * m,
                           .rows = m,
                           .columns = r->n,
                           .count = count};
  j->run->kernels->transpose(&turn);
}

/* The other way round, into the output. */
static void softmax_turn_out(const softmax_job *const j, const size_t at, const size_t m,
                             const size_t count, const void *const lines) {
  const softmax_rows *const r = &j->r;
  const size_t element = tare_dtype_size(j->run->in[0]->dtype);
  const tarei_turn turn = {.element = element,
                           .from = lines,
                           .from_step = r->n,
                           .from_next = r->n * m,
                           .to = (char *)j->run->out[0]->data + at * element,
                           .to_step = r->inner,
                           .to_next = r->n * r->inner,
                           .rows = r->n,
                           .columns = m,
                           .count = count};
  j->run->kernels->transpose(&turn);
}

/* Some rows from one on, of the same elements of the dims in front. */
static void softmax_turned(const softmax_job *const j, const size_t row, const size_t m,
                           void *const lines) {
  const softmax_rows *const r = &j->r;
  const size_t at = row / r->inner * r->n * r->inner + row % r->inner;
  softmax_turn_in(j, at, m, 1, lines);
  softmax_lines(j, lines, m, lines);
  softmax_turn_out(j, at, m, 1, lines);
}

static void row_range(const void *const user, const size_t first, const size_t end,
                      const int thread) {
  const softmax_job *const j = user;
  const softmax_rows *const r = &j->r;
  const tare_dtype dtype = j->run->in[0]->dtype;
  if (r->inner == 1) {
    const size_t at = first * r->n * tare_dtype_size(dtype);
    softmax_lines(j, (const char *)j->run->in[0]->data + at, end - first,
                  (char *)j->run->out[0]->data + at);
    return;
  }
  void *const lines = tarei_thread_scratch(j->run, thread, turned_bytes(r, dtype));
  for (size_t row = first, m; row < end; row += m) {
    const size_t left = r->inner - row % r->inner;
    m = left < TURNED_ROWS ? left : TURNED_ROWS;
    m = m < end - row ? m : end - row;
    softmax_turned(j, row, m, lines);
  }
}

static tare_status softmax_run_rows(const tarei_step *const step, const tarei_run *const run,
                                    row_f32_fn *const f32, row_f64_fn *const f64) {
  const softmax_job j = {softmax_rows_of(step, run->in[0]), run, f32, f64};
  tarei_row_ranges(run, j.r.n ? j.r.outer * j.r.inner : 0, j.r.n, 4096, row_range, &j);
  return TARE_OK;
}

static void log_softmax_f32(const tarei_kernels *const kernels, const float *const x,
                            const size_t n, float *const out) {
  kernels->log_softmax(x, n, out);
}

/* 1 at the first of the largest, 0 elsewhere; NaN is larger than any number. */
static void hardmax_f32(const tarei_kernels *const kernels, const float *const x, const size_t n,
                        float *const out) {
  const size_t best = kernels->arg_row(x, n, false, false);
  memset(out, 0, n * sizeof *out);
  out[best] = 1;
}

static double largest(const double *const x, const size_t n) {
  double most = x[0];
  for (size_t i = 1; i < n; i++) {
    most = x[i] > most || isnan(x[i]) ? x[i] : most;
  }
  return most;
}

static void softmax_f64(const double *const x, const size_t n, double *const out) {
  const double most = largest(x, n);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    out[i] = exp(x[i] - most);
    sum += out[i];
  }
  for (size_t i = 0; i < n; i++) {
    out[i] /= sum;
  }
}

static void log_softmax_f64(const double *const x, const size_t n, double *const out) {
  const double most = largest(x, n);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    sum += exp(x[i] - most);
  }
  const double logarithm = log(sum);
  for (size_t i = 0; i < n; i++) {
    out[i] = x[i] - most - logarithm;
  }
}

/* The same of doubles. */
static void hardmax_f64(const double *const x, const size_t n, double *const out) {
  size_t best = 0;
  for (size_t i = 1; i < n; i++) {
    best = x[i] > x[best] || (isnan(x[i]) && !isnan(x[best])) ? i : best;
  }
  memset(out, 0, n * sizeof *out);
  out[best] = 1;
}

static bool is_f32(const tarei_step *const step) {
  return step->graph->values[step->node->in[0]].dtype == TARE_F32;
}

/* Floats, many rows or columns at a time. */
static void softmax_f32_range(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  (void)thread;
  const softmax_job *const j = user;
  const size_t n = j->r.n, inner = j->r.inner;
  for (size_t row = first, m; row < end; row += m) {
    const size_t left = inner - row % inner, at = row / inner * n * inner + row % inner;
    m = inner == 1 || left > end - row ? end - row : left;
    const tarei_softmax s = {.x = (const float *)j->run->in[0]->data + at,
                             .out = (float *)j->run->out[0]->data + at,
                             .m = m,
                             .n = n,
                             .step = inner};
    j->run->kernels->softmax(&s);
  }
}

/* Few columns, which would leave lanes without work, become rows. */
static void softmax_few_range(const void *const user, const size_t first, const size_t end,
                              const int thread) {
  const softmax_job *const j = user;
  const size_t n = j->r.n, inner = j->r.inner, most = TURNED_ROWS / inner;
  float *const lines = tarei_thread_scratch(j->run, thread, turned_bytes(&j->r, TARE_F32));
  for (size_t i = first, count; i < end; i += count) {
    count = end - i < most ? end - i : most;
    softmax_turn_in(j, i * n * inner, inner, count, lines);
    const tarei_softmax s = {.x = lines, .out = lines, .m = count * inner, .n = n, .step = 1};
    j->run->kernels->softmax(&s);
    softmax_turn_out(j, i * n * inner, inner, count, lines);
  }
}

static tare_status run_softmax(const tarei_step *const step, const tarei_run *const run,
                               tare_error *const err) {
  (void)err;
  if (!is_f32(step)) {
    return softmax_run_rows(step, run, NULL, softmax_f64);
  }
  const softmax_job j = {.r = softmax_rows_of(step, run->in[0]), .run = run};
  const size_t outer = j.r.n ? j.r.outer : 0, inner = j.r.inner;
  if (inner > 1 && inner < TURNED_ROWS) {
    tarei_row_ranges(run, outer, j.r.n * inner, 4096, softmax_few_range, &j);
  } else {
    tarei_row_ranges(run, outer * inner, j.r.n, 4096, softmax_f32_range, &j);
  }
  return TARE_OK;
}

static tare_status run_log_softmax(const tarei_step *const step, const tarei_run *const r,
                                   tare_error *const err) {
  (void)err;
  return softmax_run_rows(step, r, log_softmax_f32, log_softmax_f64);
}

static tare_status run_hardmax(const tarei_step *const step, const tarei_run *const r,
                               tare_error *const err) {
  (void)err;
  return softmax_run_rows(step, r, hardmax_f32, hardmax_f64);
}

static tare_status softmax_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                   tare_error *const err) {
  (void)blobs;
  const tare_dtype dtype = step->graph->values[step->node->in[0]].dtype;
  return dtype == TARE_F32 || dtype == TARE_F64 ? TARE_OK : tarei_refuse_dtype(dtype, err);
}

static const char *softmax_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return is_f32(step) ? k->softmax_name : "";
}

static const char *log_softmax_kernel(const tarei_step *const step, const tarei_kernels *const k) {
  return is_f32(step) ? k->log_softmax_name : "";
}

const tarei_lowering tarei_lower_hardmax = {
    .prepare = softmax_prepare, .scratch = softmax_scratch, .run = run_hardmax};
const tarei_lowering tarei_lower_softmax = {.prepare = softmax_prepare,
                                            .scratch = softmax_scratch,
                                            .run = run_softmax,
                                            .kernel = softmax_kernel};
const tarei_lowering tarei_lower_log_softmax = {.prepare = softmax_prepare,
                                                .scratch = softmax_scratch,
                                                .run = run_log_softmax,
                                                .kernel = log_softmax_kernel};
