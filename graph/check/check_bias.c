/* Biases whose scales are not those of the products that they are added to. */
#include <inttypes.h>
#include <math.h>

#include "graph/check/check.h"

/* Scales are stored rounded, in float16 to 11 bits, below 2^-14 to multiples of 2^-24. */
static bool bias_fits(const double scale, const double product, const int real) {
  const double step = real == TARE_F16 ? 0x1p-24 : 0;
  return fabs(scale - product) <= product / 128 + step;
}

static void check_bias(tarei_check *const c, const int node, const tarei_quantizer *const bias,
                       const tarei_quantizer *const x, const tarei_quantizer *const w) {
  const tare_severity severity =
      c->target->int32_bias ? TARE_SEVERITY_ERROR : TARE_SEVERITY_WARNING;
  if (bias->n_scales != w->n_scales && bias->n_scales != 1) {
    tarei_check_add(c, severity, bias->node, "quantize the bias with the scales of the products",
                    "has %" PRId64 " scales, the weights of '%s' have %" PRId64, bias->n_scales,
                    tarei_check_name(c, node), w->n_scales);
    return;
  }
  for (int64_t i = 0; i < w->n_scales; i++) {
    const double scale = bias->scales[bias->n_scales == 1 ? 0 : i];
    const double product = x->scales[0] * w->scales[i];
    if (!bias_fits(scale, product, bias->real)) {
      tarei_check_add(c, severity, bias->node, "quantize the bias with the scales of the products",
                      "scale %" PRId64 " is %g, but input scale times weight scale of '%s' is %g",
                      i, scale, tarei_check_name(c, node), product);
      return;
    }
  }
}

static void run_bias(tarei_check *const c) {
  for (int i = 0; i < c->n_layers; i++) {
    const int node = c->layers[i].node;
    const tarei_quantizer *const bias = tarei_check_quantizer(c, tarei_check_producer(c, node, 2));
    const tarei_quantizer *const x = tarei_check_restored(c, node, 0);
    const tarei_quantizer *const w = tarei_check_restored(c, node, 1);
    if (bias && bias->restores && bias->type == TARE_I32 && x && w && x->n_scales == 1 &&
        bias->n_scales > 0) {
      check_bias(c, node, bias, x, w);
    }
  }
}

const tarei_check_rule tarei_check_bias = {"bias", run_bias};
