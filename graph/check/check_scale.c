/* Scales that no engine can use. */
#include <float.h>
#include <math.h>

#include "graph/check/check.h"

static const char *scale_fault(const double scale) {
  return isnan(scale)      ? "NaN"
         : isinf(scale)    ? "infinite"
         : scale == 0      ? "0"
         : scale < 0       ? "negative"
         : scale < FLT_MIN ? "subnormal"
                           : NULL;
}

/* One finding for all bad scales of a node. */
static void check_values(tarei_check *const c, const tarei_quantizer *const q) {
  int64_t n = 0, first = -1;
  for (int64_t i = 0; i < q->n_scales; i++) {
    if (scale_fault(q->scales[i])) {
      first = first < 0 ? i : first;
      n++;
    }
  }
  if (n > 0) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node,
                    "calibrate again, or keep what it quantizes in float",
                    "scale %lld is %s (%g): a scale must be a positive number; %lld of %lld are "
                    "not",
                    (long long)first, scale_fault(q->scales[first]), q->scales[first], (long long)n,
                    (long long)q->n_scales);
  }
}

static void run_scale(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    const tarei_quantizer *const q = &c->quantizers[i];
    if (tarei_check_repeats(c, q)) {
      continue;
    }
    check_values(c, q);
    if (q->n_scales == 0 && q->scales) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "give it a scale", "its scale is empty");
    } else if (!q->scales && c->target->constant_scales) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "use a constant scale",
                      "its scale is no constant of a float type, which %s needs",
                      c->target->about.engine);
    }
  }
}

const tarei_check_rule tarei_check_scale = {"scale", run_scale};
