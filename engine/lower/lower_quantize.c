/* float to u8 and back, with the scale of the annotation and the run's profile. */
#include "engine/lower/fused.h"
#include "engine/threads.h"

#define CHUNK ((size_t)1 << 14) /* elements a thread takes at a time */

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

static tare_status run_quantize(const tarei_step *const step, const tarei_run *const r,
                                tare_error *const err) {
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->in[0]);
  const float *const x = r->in[0]->data;
  uint8_t *const out = r->out[0]->data;
  const float inv_scale = 1.0f / tarei_u8_scale(step->graph, step->node->out[0], r->profile);
  const int32_t zero_point = tarei_u8_zero_point(step->graph, step->node->out[0]);
  const int threads = tarei_threads_for(r->threads, n, CHUNK);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (size_t i = 0; i < n; i += CHUNK) {
    r->kernels->quantize(x + i, n - i < CHUNK ? n - i : CHUNK, inv_scale, zero_point, out + i);
  }
  return TARE_OK;
}

static tare_status run_dequantize(const tarei_step *const step, const tarei_run *const r,
                                  tare_error *const err) {
  (void)err;
  const size_t n = (size_t)tare_tensor_count(r->in[0]);
  const uint8_t *const x = r->in[0]->data;
  float *const out = r->out[0]->data;
  const float scale = tarei_u8_scale(step->graph, step->node->in[0], r->profile);
  const int32_t zero_point = tarei_u8_zero_point(step->graph, step->node->in[0]);
  const int threads = tarei_threads_for(r->threads, n, CHUNK);
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (size_t i = 0; i < n; i += CHUNK) {
    r->kernels->dequantize(x + i, n - i < CHUNK ? n - i : CHUNK, scale, zero_point, out + i);
  }
  return TARE_OK;
}

static const char *kernel_quantize(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->quantize_name;
}

static const char *kernel_dequantize(const tarei_step *const step, const tarei_kernels *const k) {
  (void)step;
  return k->dequantize_name;
}

const tarei_lowering tarei_lower_quantize = {
    .prepare = prepare_quantize, .run = run_quantize, .kernel = kernel_quantize};
const tarei_lowering tarei_lower_dequantize = {
    .prepare = prepare_dequantize, .run = run_dequantize, .kernel = kernel_dequantize};
