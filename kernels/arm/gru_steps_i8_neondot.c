/* Steps of a small GRU in bytes by sdot. */
#if !defined(__ARM_FEATURE_DOTPROD)
#error "needs the dot product instructions"
#endif
#define TAREI_V16_NEON
#include "kernels/generic/recurrent/gru_steps16.h"

void tarei_k_gru_steps_i8_u8s8_4x16__neondot(const tarei_gru_steps *g, size_t n) {
  gru_all(g, n, true);
}
