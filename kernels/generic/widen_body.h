/* Weights that are stored in fewer bits, widened to rows of a panel of the fp32 gemm. Instantiated
 * once per ISA. */
#include "kernels/generic/v16.h"
#include "kernels/kernels.h"

enum { HALF_PANEL = TAREI_F32_PANEL / 2 };

void TAREI_K(tarei_k_widen_i8_s8f32_16)(const void *stored, size_t k, const float *scale,
                                       float *out) {
  const int8_t *in = stored;
  const v16 left = v_load(scale), right = v_load(scale + HALF_PANEL);
  for (size_t i = 0; i < k; i++) {
    v_store(out, v_mul(i_to_float(i_load_s8(in)), left));
    v_store(out + HALF_PANEL, v_mul(i_to_float(i_load_s8(in + HALF_PANEL)), right));
    in += TAREI_F32_PANEL;
    out += TAREI_F32_PANEL;
  }
}

TAREI_INLINE v16 v_load_bf16(const uint16_t *p) {
  return i_as_float(i_shift_left(i_load_u16(p), 16));
}

void TAREI_K(tarei_k_widen_f16_f16f32_16)(const void *stored, size_t k, const float *scale,
                                         float *out) {
  const uint16_t *in = stored;
  (void)scale;
  for (size_t i = 0; i < k * TAREI_F32_PANEL; i += TAREI_LANES) {
    v_store(out + i, v_load_f16(in + i));
  }
}

void TAREI_K(tarei_k_widen_bf16_bf16f32_16)(const void *stored, size_t k, const float *scale,
                                           float *out) {
  const uint16_t *in = stored;
  (void)scale;
  for (size_t i = 0; i < k * TAREI_F32_PANEL; i += TAREI_LANES) {
    v_store(out + i, v_load_bf16(in + i));
  }
}
