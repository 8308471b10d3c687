/* Weights of int8 layers: symmetric s8 per output channel, scale = max|w| / 127. */
#ifndef TAREI_ENGINE_LOWER_INT8_WEIGHTS_H
#define TAREI_ENGINE_LOWER_INT8_WEIGHTS_H

#include "engine/lower/fused.h"

/* Scale of one channel whose weights lie `step` floats apart; 1 for a channel of zeros. */
float tarei_weight_scale(const float *w, size_t n, size_t step);

/* w / scale, rounded half to even, within [-127, 127]. */
int8_t tarei_weight_quantize(float w, float scale);

/* What an int8 layer keeps beside its packed weights. */
typedef struct tarei_int8_layer {
  tarei_fused fused;
  tarei_requant requant;
  bool row_scales; /* the input is float, its rows are quantized when it runs */
  int32_t x_zero_point;
  size_t n;           /* output channels */
  const int32_t *add; /* -zero point * column sums, padded per group */
} tarei_int8_layer;

/* Reads what the input and the attributes of the node say; the rest is the lowering's. */
tare_status tarei_int8_layer_read(tarei_int8_layer *layer, const tarei_step *step,
                                  tare_error *err);

/* Takes the blob of requantization factors and fills it: needs fused, n, and, when fresh, the
 * weight scales (n) and the bias (n or NULL). */
tare_status tarei_int8_layer_requant(tarei_int8_layer *layer, const tarei_step *step,
                                     tarei_blobs *blobs, const float *weight_scale,
                                     const float *bias, tare_error *err);

/* The epilogue of a run, with the factors of its profile. */
tarei_epilogue tarei_int8_layer_epilogue(const tarei_int8_layer *layer, const tarei_step *step,
                                         const tarei_run *run, const tare_tensor *residual);

#endif
