#include "engine/lower/conv/pool_taps.h"

tare_status tarei_pooling_read(const tarei_step *const step, const int space,
                               tarei_pooling *const out, tare_error *const err) {
  out->space = space;
  out->with_pads = tarei_attr_int(step->node, "count_include_pad", 0) != 0;
  TAREI_TRY(tarei_windows_read(step, space, NULL /* weights */, &out->window, err));
  tarei_window_widen(&out->window, TAREI_POOL_AXES);
  return TARE_OK;
}

/* Number of multiples of step in [0, n). */
static int64_t count_steps(const int64_t n, const int64_t step) {
  return n <= 0 ? 0 : step == 1 ? n : (n - 1) / step + 1;
}

tarei_pool_taps tarei_pool_taps_of(const tarei_pool_geometry *const g, const int axis,
                                   const int64_t position) {
  const tarei_window *const w = &g->s->window;
  const int64_t k = w->kernel[axis], d = w->dilations[axis], size = g->in[axis];
  const int64_t start = position * w->strides[axis] - g->before[axis];
  const int64_t first = count_steps(-start, d), end = count_steps(size - start, d);
  const int64_t padded = count_steps(size + g->after[axis] - start, d);
  return (tarei_pool_taps){start, first < k ? first : k, end < k ? end : k,
                           padded < k ? padded : k};
}

tarei_pool_geometry tarei_pool_geometry_of(const tarei_pooling *const s, const bool average,
                                           const int first, const tare_tensor *const x,
                                           const tare_tensor *const out) {
  tarei_pool_geometry g = {.s = s, .average = average};
  for (int a = 0; a < TAREI_POOL_AXES; a++) {
    const int axis = first + a - (TAREI_POOL_AXES - s->space);
    g.in[a] = axis < first ? 1 : x->dims[axis];
    g.out[a] = axis < first ? 1 : out->dims[axis];
    const tarei_padding pads = tarei_window_padding(&s->window, a, g.in[a], g.out[a]);
    g.before[a] = pads.before;
    g.after[a] = pads.after;
  }
  return g;
}

double tarei_pool_divisor(const tarei_pool_geometry *const g, const tarei_pool_taps *const t) {
  double count = 1;
  for (int a = 0; a < TAREI_POOL_AXES; a++) {
    count *= tarei_pool_count(g, &t[a]);
  }
  return count;
}
