/* Zero points that do not match, or that no kernel takes. */
#include "graph/check/check.h"
#include "graph/qdq/place.h"

static double first_odd(const tarei_quantizer *const q) {
  for (int64_t i = 0; i < q->n_zeros; i++) {
    if (q->zeros[i] != 0) {
      return q->zeros[i];
    }
  }
  return 0;
}

static void check_match(tarei_check *const c, const tarei_quantizer *const q) {
  if (q->zeros && q->scales && q->n_zeros != q->n_scales) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "give both the same shape",
                    "has %lld scales and %lld zero points", (long long)q->n_scales,
                    (long long)q->n_zeros);
  }
  const Onnx__TensorProto *const stored = q->restores ? tarei_check_stored(c, q) : NULL;
  const int maker = tarei_check_producer(c, q->node, 0);
  const tarei_quantizer *const before = tarei_check_quantizer(c, maker);
  const int type = before && !before->restores ? before->type
                   : stored && !before         ? stored->data_type
                                               : q->zero_type;
  if (q->restores && q->zero_type && q->zero_type != type) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "give the zero point the type of the values",
                    "its zero point is %s, what it reads is %s",
                    tarei_check_type_name(q->zero_type), tarei_check_type_name(type));
  }
}

static void check_zero(tarei_check *const c, const tarei_quantizer *const q) {
  const double odd = first_odd(q);
  if (odd == 0) {
    return;
  }
  if (q->type == TARE_I32) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "quantize the bias with zero point 0",
                    "zero point %g for int32: ONNX has 0 only", odd);
  } else if (c->target->symmetric) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node,
                    "quantize symmetrically: int8 with zero point 0",
                    "zero point is %g, %s takes 0 only", odd, c->target->about.engine);
  }
}

/* Weights of 8 bits are multiplied around their middle; another zero point costs a sum per row. */
static void check_weights(tarei_check *const c, const int maker) {
  const tarei_quantizer *const q = tarei_check_quantizer(c, maker);
  if (!q || !q->restores || !tarei_check_stored(c, q) || c->target->symmetric ||
      (q->type != TARE_I8 && q->type != TARE_U8)) {
    return;
  }
  const double middle = q->type == TARE_U8 ? 128 : 0;
  for (int64_t i = 1; i < q->n_zeros; i++) {
    if (q->zeros[i] != q->zeros[0]) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, maker, "quantize the weights symmetrically",
                      "zero points of weights differ (%g and %g): no int8 kernel takes that",
                      q->zeros[0], q->zeros[i]);
      return;
    }
  }
  if (q->n_zeros > 0 && q->zeros[0] != middle) {
    tarei_check_add(c, TARE_SEVERITY_NOTE, maker, "quantize the weights symmetrically",
                    "zero point of weights is %g: kernels are fastest at %g", q->zeros[0], middle);
  }
}

static void run_zero_point(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    if (!tarei_check_repeats(c, &c->quantizers[i])) {
      check_match(c, &c->quantizers[i]);
      check_zero(c, &c->quantizers[i]);
    }
  }
  for (int i = 0; i < c->n_layers; i++) {
    if (tarei_placed_is_layer(c->nodes[c->layers[i].node])) {
      check_weights(c, tarei_check_producer(c, c->layers[i].node, 1));
    }
  }
}

const tarei_check_rule tarei_check_zero_point = {"zero_point", run_zero_point};
