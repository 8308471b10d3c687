/* float to u8 and back, with the scale of the annotation and the run's profile. */
#include "engine/lower/elementwise/elementwise.h"
#include "engine/lower/fused.h"

typedef struct quantize_job {
  const tarei_run *run;
  float scale; /* or its inverse, for quantizing */
  int32_t zero_point;
} quantize_job;

static tare_status prepare_quantize(tarei_step *const step, tarei_blobs *const blobs,
                                    tare_error *const err) {
  (void)blobs;
  return tarei_want_scales(step, step->node->out[0], err);
}

static tare_status prepare_dequantize(tarei_step *const step, tarei_blobs *const blobs,
                                      tare_error *const err) {
  (void)blobs;
  return tarei_want_scales(step, step->node->in[0], err);
}

static void quantize_chunk(const void *const user, const size_t first, const size_t n) {
  const quantize_job *const j = user;
  j->run->kernels->quantize((const float *)j->run->in[0]->data + first, n, j->scale, j->zero_point,
                            (uint8_t *)j->run->out[0]->data + first);
}

static void dequantize_chunk(const void *const user, const size_t first, const size_t n) {
  const quantize_job *const j = user;
  j->run->kernels->dequantize((const uint8_t *)j->run->in[0]->data + first, n, j->scale,
                              j->zero_point, (float *)j->run->out[0]->data + first);
}

static tare_status quantize_run(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  (void)err;
  const quantize_job j = {r, 1.0f / tarei_u8_scale(step->graph, step->node->out[0], r->profile),
                          tarei_u8_zero_point(step->graph, step->node->out[0])};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), quantize_chunk, &j);
  return TARE_OK;
}

static tare_status run_dequantize(const tarei_step *const step, const tarei_run *const r,
                                  tare_error *const err) {
  (void)err;
  const quantize_job j = {r, tarei_u8_scale(step->graph, step->node->in[0], r->profile),
                          tarei_u8_zero_point(step->graph, step->node->in[0])};
  tarei_chunks(r, (size_t)tare_tensor_count(r->in[0]), dequantize_chunk, &j);
  return TARE_OK;
}

TAREI_KERNEL_OF(kernel_quantize, quantize)

TAREI_KERNEL_OF(kernel_dequantize, dequantize)

const tarei_lowering tarei_lower_quantize = {
    .prepare = prepare_quantize, .run = quantize_run, .kernel = kernel_quantize};
const tarei_lowering tarei_lower_dequantize = {
    .prepare = prepare_dequantize, .run = run_dequantize, .kernel = kernel_dequantize};
