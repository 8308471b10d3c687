/* Depthwise convolution u8 x s8 over two axes, instantiated once per ISA. */
#include "kernels/generic/depthwise/dw_planes.h"
#include "kernels/generic/v16.h"

#define PLANES(name) planes_i8_##name
#define PLANES_X uint8_t
#define PLANES_W int8_t
#define PLANES_SUM v16i
#define PLANES_SINK planes_i8_sink

TAREI_INLINE v16i planes_i8_start(const planes_line *l) {
  return i_load_part(l->planes->add + l->channel, l->lanes);
}

TAREI_INLINE v16i planes_i8_tap(const int8_t *w, const size_t lanes) {
  return i_load_s8_n(w, lanes);
}

TAREI_INLINE v16i planes_i8_add(const uint8_t *x, v16i tap, v16i sum, const size_t lanes) {
  return i_add(sum, i_mul(i_load_u8_n(x, lanes), tap));
}

typedef struct planes_i8_sink {
  float *to;
} planes_i8_sink;

TAREI_INLINE void planes_i8_put(const planes_i8_sink *s, size_t row, v16i sum, size_t lanes) {
  (void)lanes;
  v_store(s->to + row * PLANES_CHANNELS, i_to_float(sum));
}

#include "kernels/generic/depthwise/dw_planes_lines.h"
#undef PLANES
#undef PLANES_X
#undef PLANES_W
#undef PLANES_SUM
#undef PLANES_SINK

static void TAREI_K(planes_i8_tile)(const planes_tile *t) {
  _Alignas(64) float sums[PLANES_ROWS * PLANES_CHANNELS];
  const planes_i8_sink sink = {sums};
  TAREI_K(planes_i8_sums)(t, &sink);
  planes_finish(t, sums, TAREI_K(tarei_epilogue));
}

void TAREI_K(tarei_k_dw_planes_i8_u8s8_9x16)(const tarei_dw_planes *p) {
  planes_walk(p, TAREI_K(planes_i8_tile));
}
