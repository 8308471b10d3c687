/* Rows of floats, or equal parts of them, to bytes, each by its own largest magnitude. */
#include "engine/lower/fused.h"
#include "engine/threads.h"

#define LEAST_ELEMENTS 16384 /* worth a thread's while */

typedef struct quantize_rows_job {
  const tarei_run *run;
  size_t k; /* of a part */
  int32_t zero_point;
} quantize_rows_job;

static void quantize_rows_range(const void *const user, const size_t first, const size_t end,
                                const int thread) {
  (void)thread;
  const quantize_rows_job *const j = user;
  const tarei_run *const r = j->run;
  r->kernels->quantize_rows((const float *)r->in[0]->data + first * j->k, j->k, end - first, j->k,
                            (uint8_t *)r->out[0]->data + first * j->k, j->k,
                            (float *)r->out[1]->data + first, j->zero_point);
}

static tare_status quantize_rows_run(const tarei_step *const step, const tarei_run *const r,
                                     tare_error *const err) {
  (void)err;
  const int last = r->in[0]->rank - 1;
  const quantize_rows_job j = {r, (size_t)(r->in[0]->dims[last] / r->out[1]->dims[last]),
                               tarei_u8_zero_point(step->graph, step->node->out[0])};
  tarei_row_ranges(r, (size_t)tare_tensor_count(r->out[1]), j.k, LEAST_ELEMENTS,
                   quantize_rows_range, &j);
  return TARE_OK;
}

static tare_status quantize_rows_prepare(tarei_step *const step, tarei_blobs *const blobs,
                                         tare_error *const err) {
  (void)blobs;
  int32_t zero_point;
  return tarei_rows_zero_point(step, step->node->out[0], &zero_point, err);
}

TAREI_KERNEL_OF(quantize_rows_kernel, quantize_rows)

const tarei_lowering tarei_lower_quantize_rows = {
    .prepare = quantize_rows_prepare, .run = quantize_rows_run, .kernel = quantize_rows_kernel};
