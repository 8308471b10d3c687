#include "engine/lower/int8_weights.h"

#include <assert.h>
#include <float.h>
#include <math.h>

#include "engine/lower/row_scales.h"

float tarei_weight_scale(const float *const w, const size_t n, const size_t step) {
  float amax = 0;
  for (size_t i = 0; i < n; i++) {
    const float magnitude = fabsf(w[i * step]);
    amax = magnitude > amax ? magnitude : amax;
  }
  const float scale = amax / 127.0f;
  return scale >= FLT_MIN ? scale : 1.0f;
}

int8_t tarei_weight_quantize(const float w, const float scale) {
  const float q = rintf(w / scale);
  return (int8_t)(q > 127.0f ? 127.0f : q < -127.0f ? -127.0f : q);
}

tare_status tarei_int8_layer_read(tarei_int8_layer *const layer, const tarei_step *const step,
                                  tare_error *const err) {
  const int x = step->node->in[0];
  layer->row_scales = step->graph->values[x].dtype == TARE_F32;
  if (!layer->row_scales) {
    TARE_TRY(tarei_want_scales(step, x, err));
  }
  TARE_TRY(tarei_fused_read(step, &layer->fused, err));
  layer->x_zero_point =
      layer->row_scales ? TAREI_ROW_SCALES_ZERO_POINT : tarei_u8_zero_point(step->graph, x);
  return TARE_OK;
}

tare_status tarei_int8_layer_requant(tarei_int8_layer *const layer, const tarei_step *const step,
                                     tarei_blobs *const blobs, const float *const weight_scale,
                                     const float *const bias, tare_error *const err) {
  const size_t floats = (size_t)step->n_profiles * layer->n;
  const bool has_bias = step->node->n_in > 2 && step->node->in[2] >= 0;
  const int residual = step->node->n_in > 3 ? step->node->in[3] : -1;
  const bool has_floats = residual >= 0 && step->graph->values[residual].dtype == TARE_F32;
  void *data;
  bool fresh;
  TARE_TRY(
      tarei_blobs_take(blobs, floats * (has_bias ? 2 : 1) * sizeof(float), &data, &fresh, err));
  float *const mult = data, *const bias_out = has_bias ? mult + floats : NULL;
  layer->requant = (tarei_requant){
      .mult = mult, .bias = bias_out, .folded = tarei_requant_folds(&layer->fused, has_floats)};
  if (fresh) {
    assert(!has_bias || bias);
    tarei_requant_fill(step, &layer->fused, layer->requant.folded, layer->n, weight_scale, bias,
                       mult, bias_out);
  }
  return TARE_OK;
}

tarei_epilogue tarei_int8_layer_epilogue(const tarei_int8_layer *const layer,
                                         const tarei_step *const step, const tarei_run *const run,
                                         const tare_tensor *const residual) {
  tarei_epilogue e = tarei_fused_epilogue(&layer->fused, step, run, residual, layer->n);
  e.mult = layer->requant.mult + (size_t)run->profile * layer->n;
  e.bias = layer->requant.bias ? layer->requant.bias + (size_t)run->profile * layer->n : NULL;
  if (layer->requant.folded) {
    const int out = step->node->out[layer->fused.u8_output];
    e.residual_scale = (float)((double)e.residual_scale /
                               (double)tarei_u8_scale(step->graph, out, run->profile));
    e.inv_scale = 1.0f;
  }
  return e;
}
