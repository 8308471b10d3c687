/* Steps of a small GRU, instantiated once per ISA. */
#include "kernels/generic/recurrent/gru_steps16.h"

void TAREI_K(tarei_k_gru_steps_f32_4x16)(const tarei_gru_steps *g, size_t n) {
  gru_all(g, n, false);
}

void TAREI_K(tarei_k_gru_steps_i8_u8s8_4x16)(const tarei_gru_steps *g, size_t n) {
  gru_all(g, n, true);
}
