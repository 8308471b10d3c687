#include "graph/quantize/weights/weight_noise.h"

#include <math.h>

#include "graph/quantize/weights/weight_scale.h"
#include "graph/quantize/weights/weight_view.h"

static tarei_weight_sums sums_of_channel(const float *const w, const tarei_weight_view *const v,
                                         const int64_t channel) {
  double squares = 0;
  float amax = 0;
  for (int64_t i = 0; i < v->k; i++) {
    const float x = w[tarei_weight_view_at(v, channel, i)];
    squares += (double)x * (double)x;
    amax = fmaxf(amax, fabsf(x));
  }
  const double step = amax > 0 ? (double)tarei_weight_scale_of(amax) : 0;
  return (tarei_weight_sums){squares, (double)v->k * step * step / 12};
}

tarei_weight_sums tarei_weight_sums_of(const tarei_graph *const graph,
                                       const tarei_node *const node) {
  tarei_weight_sums mean = {0};
  tarei_weight_view v;
  if (!tarei_weight_view_of(graph, node, &v) || v.n == 0) {
    return mean;
  }
  const tare_tensor w = tarei_value_tensor(graph, v.value);
  for (int64_t channel = 0; channel < v.n; channel++) {
    const tarei_weight_sums one = sums_of_channel(w.data, &v, channel);
    mean.squares += one.squares / (double)v.n;
    mean.noise += one.noise / (double)v.n;
  }
  return mean;
}
