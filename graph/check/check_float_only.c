/* Quantized values that operators read that compute in float, and that lose accuracy by it. */
#include "graph/check/check.h"

static const char *const NORMS[] = {"Softmax",
                                    "LogSoftmax",
                                    "LayerNormalization",
                                    "SkipLayerNormalization",
                                    "SimplifiedLayerNormalization",
                                    "EmbedLayerNormalization",
                                    NULL};
static const char *const SUMS[] = {"Add", "Sub", "Where", NULL};

/* Width of the range of values that its integers cover. */
static double range_of(const tarei_quantizer *const q) {
  return q->n_scales == 1 ? q->scales[0] * UINT8_MAX : 0;
}

/* Whether a QuantizeLinear is there for a convolution that needs a quantized output. */
static bool serves_layer(const tarei_check *const c, const tarei_quantizer *const q) {
  static const char *const BEFORE[] = {"Relu", "Clip", NULL};
  int node = tarei_check_producer(c, q->node, 0);
  for (int steps = 0; node >= 0 && steps < TAREI_CHECK_FARTHEST; steps++) {
    if (tarei_check_is_int8(c, node)) {
      return c->target->conv_outputs && tarei_check_is(c, node, "Conv");
    }
    if (!tarei_check_moves(c, node) && !tarei_check_is_any(c, node, BEFORE)) {
      return false;
    }
    node = tarei_check_producer(c, node, 0);
  }
  return false;
}

/* A QuantizeLinear that is there for the layer before it, and not for who reads it. */
static bool serves_maker(const tarei_check *const c, const tarei_quantizer *const restored) {
  const tarei_quantizer *const made =
      tarei_check_quantizer(c, tarei_check_producer(c, restored->node, 0));
  return made && !made->restores && serves_layer(c, made);
}

static void check_norm(tarei_check *const c, const int node) {
  const tarei_quantizer *const q = tarei_check_restored(c, node, 0);
  if (!q) {
    return;
  }
  const bool served = serves_maker(c, q);
  tarei_check_add(c, served ? TARE_SEVERITY_NOTE : TARE_SEVERITY_WARNING, node,
                  served ? "keep the layer before it in float if accuracy suffers"
                         : "remove the Q/DQ pair before it",
                  "its input is quantized by '%s': it loses accuracy",
                  tarei_check_name(c, q->node));
}

/* What makes the input of a Softmax, through a Q/DQ pair. */
static int made_for(const tarei_check *const c, const int softmax) {
  int node = tarei_check_producer(c, softmax, 0);
  for (int steps = 0; node >= 0 && steps < 2 && tarei_check_quantizer(c, node); steps++) {
    node = tarei_check_producer(c, node, 0);
  }
  return node;
}

static void check_mask(tarei_check *const c, const int softmax) {
  enum { LARGEST = 1000 }; /* no attention score is that large */
  const int sum = made_for(c, softmax);
  if (sum < 0 || !tarei_check_is_any(c, sum, SUMS)) {
    return;
  }
  for (size_t i = 0; i < c->nodes[sum]->n_input; i++) {
    const tarei_quantizer *const q = tarei_check_restored(c, sum, i);
    if (q && tarei_check_scales_usable(q) && range_of(q) > LARGEST) {
      tarei_check_add(c, TARE_SEVERITY_WARNING, sum, "keep the mask in float",
                      "adds a mask that '%s' quantizes to steps of %g, before Softmax '%s'",
                      tarei_check_name(c, q->node), q->scales[0], tarei_check_name(c, softmax));
    }
  }
}

/* --- values that nothing multiplies ----------------------------------------------------------- */

/* Whether a reader does something with integers: a layer, or any operator between DQ and Q. */
static bool reads_integers(const tarei_check *const c, const int reader) {
  const tarei_quantizer *after;
  return tarei_check_is_int8(c, reader) || tarei_check_requantized(c, reader, &after);
}

static bool is_read_as_integers(const tarei_check *const c, const int value, const int depth) {
  const tarei_check_value *const v = &c->values[value];
  for (int u = 0; u < v->n_uses; u++) {
    const tarei_check_use *const use = &c->uses[v->first_use + u];
    const int out = tarei_check_output(c, use->node, 0);
    const bool moves = use->input == 0 && out >= 0 && tarei_check_moves(c, use->node);
    if (reads_integers(c, use->node) ||
        (moves && depth < TAREI_CHECK_FARTHEST && is_read_as_integers(c, out, depth + 1))) {
      return true;
    }
  }
  return false;
}

static void check_readers(tarei_check *const c, const tarei_quantizer *const q) {
  const int out = tarei_check_output(c, q->node, 0);
  const bool judged = q->type == TARE_I8 || q->type == TARE_U8;
  if (out < 0 || !judged || tarei_check_stored(c, q) || serves_maker(c, q) ||
      is_read_as_integers(c, out, 0)) {
    return;
  }
  tarei_check_add(c, TARE_SEVERITY_NOTE, q->node, "remove the Q/DQ pair",
                  c->values[out].is_output ? "restores an output of the model, nothing reads it as "
                                             "integers"
                                           : "nothing reads its values as integers: the pair costs "
                                             "time and accuracy");
}

static void run_float_only(tarei_check *const c) {
  for (int n = 0; n < c->n_nodes; n++) {
    if (tarei_check_is_any(c, n, NORMS)) {
      check_norm(c, n);
    }
    if (tarei_check_is(c, n, "Softmax")) {
      check_mask(c, n);
    }
  }
  for (int i = 0; i < c->n_quantizers; i++) {
    if (c->quantizers[i].restores) {
      check_readers(c, &c->quantizers[i]);
    }
  }
}

const tarei_check_rule tarei_check_float_only = {"float_only", run_float_only};
