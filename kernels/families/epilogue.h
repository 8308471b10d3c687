/* Activations, and what becomes of the sums of a product: the epilogue. */
#ifndef TAREI_KERNELS_FAMILIES_EPILOGUE_H
#define TAREI_KERNELS_FAMILIES_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum tarei_act {
#define TAREI_ACTIVATION(id, expression) TAREI_ACT_##id,
#include "kernels/activations.inc"
#undef TAREI_ACTIVATION
  TAREI_ACT_COUNT
} tarei_act;
const char *tarei_act_name(tarei_act act);     /* "none", "relu", "gelu", "gelu_tanh", ... */
bool tarei_act_parse(const char *text, tarei_act *act);

/* f = act(acc as float [+ 256 * upper[m][n], in one rounding] [* mult[n]] [* row_mult[m]] [+ bias[n]]) [+ residual[m][n]], or with act_last
 * act(... [+ residual[m][n]]);
 * out_f32 = f;  out_u8 = [table of] saturate_u8(round_half_even(f * inv_scale) + zero_point). Steps
 * in this order, each a single rounding. At least one output is set. A u8 residual r counts as
 * (r - residual_zero_point) * residual_scale. */
typedef struct tarei_epilogue {
  const float *upper;      /* [m][n] with stride ld_upper, within 2^31, or NULL: see tarei_i16_gemm */
  size_t ld_upper;         /* elements */
  const float *mult;       /* [n], NULL for float accumulators */
  const float *row_mult;   /* [m], or NULL */
  const float *bias;       /* [n], or NULL; added in float */
  tarei_act act;
  float act_a, act_b;
  bool act_last;
  const float *residual;   /* [m][n] with stride ld_residual, or NULL */
  const uint8_t *residual_u8; /* the same as bytes, or NULL; not both */
  size_t ld_residual;      /* elements */
  float residual_scale;
  int32_t residual_zero_point;
  float *out_f32;          /* [m][n] with stride ld_f32, or NULL */
  size_t ld_f32;
  uint8_t *out_u8;         /* [m][n] with stride ld_u8, or NULL */
  size_t ld_u8;
  float inv_scale;         /* 1 / scale of out_u8 */
  int32_t zero_point;      /* of out_u8, 0..255 */
  const uint8_t *table;    /* [256], what becomes of each byte of out_u8, or NULL */
} tarei_epilogue;

/* The same epilogue for the block that begins at a row and column. */
tarei_epilogue tarei_epilogue_at(const tarei_epilogue *epilogue, size_t row, size_t column);

#endif
