/* What fused layers (convolutions, linear layers, products) share: their epilogue and scales. */
#ifndef TAREI_ENGINE_LOWER_FUSED_H
#define TAREI_ENGINE_LOWER_FUSED_H

#include "engine/lower/act_table.h"
#include "engine/lower/operands.h"

/* The fixed part of a layer's epilogue, from the node's attributes. */
typedef struct tarei_fused {
  tarei_act act;
  float act_a, act_b;
  bool act_last;             /* the residual is added before the activation */
  int f32_output, u8_output; /* output numbers, or -1 */
  int rows_output;           /* bytes with row scales, which are the next output; or -1 */
  int32_t rows_zero_point;   /* of these */
} tarei_fused;

/* Reads activation, activation_a, activation_b, activation_last and outputs ("f32", "u8", "both",
 * "rows", "f32+rows"). A u8 output has to have its scales. */
tare_status tarei_fused_read(const tarei_step *step, tarei_fused *out, tare_error *err);

/* Static scale and zero point of a stored u8 value in a profile. The value has an annotation. */
float tarei_u8_scale(const tarei_graph *graph, int value, int profile);
int32_t tarei_u8_zero_point(const tarei_graph *graph, int value);

/* The zero point of bytes with row scales: TAREI_SYMMETRIC, or 0 where none is below zero. */
tare_status tarei_rows_zero_point(const tarei_step *step, int value, int32_t *out, tare_error *err);

/* The table of the activation for the u8 output in a profile; false where there is none. */
bool tarei_fused_table(const tarei_fused *fused, const tarei_step *step, int profile,
                       tarei_act_table *out);

/* The epilogue of a run over whole outputs with rows of n elements: pointers, strides, activation.
 * residual may be NULL. inv_scale is set where there is a u8 output. mult and bias stay NULL. */
tarei_epilogue tarei_fused_epilogue(const tarei_fused *fused, const tarei_step *step,
                                    const tarei_run *run, const tare_tensor *residual, size_t n);

/* The residual (input 3) of a layer is absent, float32, or bytes with their scales. */
tare_status tarei_want_residual(const tarei_step *step, tare_error *err);

/* The residual (input 3) of a run, or NULL; it has to be as large as the output. */
tare_status tarei_fused_residual(const tarei_step *step, const tarei_run *run,
                                 const tare_tensor **out, tare_error *err);

/* Scale of a float value that a layer quantizes to 16 bits when it runs: amax / 32767. */
float tarei_i16_scale(const tarei_graph *graph, int value, int profile);

/* Scales of an int8 layer for each profile: mult[p * n + i] = scale(x) * weight_scale[i], and the
 * bias beside it. Where the only output is u8 and the activation allows it, the output scale is
 * folded in, so that requantization is one rounding. */
typedef struct tarei_requant {
  const float *mult, *bias; /* [n_profiles][n]; bias NULL without one */
  bool folded;              /* the epilogue's inv_scale is 1 */
} tarei_requant;

/* True where the output scale can be folded in: u8 only, nothing that does not commute with it. A
 * residual of bytes takes the scale into its own, and so do the bounds of a Clip. */
bool tarei_requant_folds(const tarei_fused *fused, bool has_float_residual);

/* Makes an epilogue go on in units of the output: the scale of a residual of bytes, bounds. */
void tarei_requant_fold(tarei_epilogue *epilogue, double unit);

/* Fills `mult` and, where bias is not NULL, `bias_out`, both of n floats for one profile, in units
 * of what the epilogue goes on with. */
void tarei_requant_fill(const tarei_step *step, int profile, double unit, size_t n,
                        const float *weight_scale, const float *bias, float *mult, float *bias_out);

#endif
