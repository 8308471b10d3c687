/* Depthwise convolution of floats over two axes, instantiated once per ISA: one fused multiply-add
 * chain per output over the taps row by row; taps in the padding are zeros. */
#include <math.h>

#include "kernels/generic/depthwise/dw_planes.h"
#include "kernels/generic/v16.h"

#define PLANES(name) planes_f32_##name
#define PLANES_X float
#define PLANES_W float
#define PLANES_SUM v16
#define PLANES_SINK planes_f32_sink

TAREI_INLINE v16 planes_f32_start(const planes_line *l) {
  (void)l;
  return v_set1(0.0f);
}

TAREI_INLINE v16 planes_f32_tap(const float *w, const size_t lanes) {
  return v_load_n(w, lanes);
}

TAREI_INLINE v16 planes_f32_add(const float *x, v16 tap, v16 sum, const size_t lanes) {
  return v_fma(v_load_n(x, lanes), tap, sum);
}

/* What nearly every layer has, a bias and bounds, happens to the sums in registers. */
typedef struct planes_f32_sink {
  float *to;
  size_t ld;
  v16 bias, low, high;
} planes_f32_sink;

TAREI_INLINE void planes_f32_put(const planes_f32_sink *s, size_t row, v16 sum,
                                 const size_t lanes) {
  const v16 f = v_min(s->high, v_max(s->low, v_add(sum, s->bias)));
  v_store_n(s->to + row * s->ld, f, lanes);
}

#include "kernels/generic/depthwise/dw_planes_lines.h"
#undef PLANES
#undef PLANES_X
#undef PLANES_W
#undef PLANES_SUM
#undef PLANES_SINK

static bool planes_f32_is_plain(const tarei_epilogue *e) {
  return !e->out_u8 && !e->upper && !e->mult && !e->row_mult && !e->residual && !e->residual_u8 &&
         (e->act == TAREI_ACT_none || e->act == TAREI_ACT_relu || e->act == TAREI_ACT_clip);
}

/* A missing bias is -0, and a missing bound infinite: neither changes a float. */
static planes_f32_sink planes_f32_plain(const planes_tile *t) {
  const tarei_epilogue *const e = &t->planes->epilogue;
  const float low = e->act == TAREI_ACT_relu ? 0.0f : -INFINITY;
  const bool clip = e->act == TAREI_ACT_clip;
  return (planes_f32_sink){
      .to = e->out_f32 + t->first * e->ld_f32 + t->channel,
      .ld = e->ld_f32,
      .bias = e->bias ? v_load_n(e->bias + t->channel, t->lanes) : v_set1(-0.0f),
      .low = v_set1(clip ? e->act_a : low),
      .high = v_set1(clip ? e->act_b : INFINITY)};
}

static void TAREI_K(planes_f32_tile)(const planes_tile *t) {
  if (planes_f32_is_plain(&t->planes->epilogue)) {
    const planes_f32_sink out = planes_f32_plain(t);
    TAREI_K(planes_f32_sums)(t, &out);
    return;
  }
  _Alignas(64) float sums[PLANES_ROWS * PLANES_CHANNELS];
  const planes_f32_sink sink = {.to = sums,
                                .ld = PLANES_CHANNELS,
                                .bias = v_set1(-0.0f),
                                .low = v_set1(-INFINITY),
                                .high = v_set1(INFINITY)};
  TAREI_K(planes_f32_sums)(t, &sink);
  planes_finish(t, sums, TAREI_K(tarei_epilogue));
}

void TAREI_K(tarei_k_dw_planes_f32_f32_9x16)(const tarei_dw_planes *p) {
  planes_walk(p, TAREI_K(planes_f32_tile));
}
