/* QuantizeLinear without DequantizeLinear and the other way round. */
#include "graph/check/check.h"

static void check_quantize(tarei_check *const c, const tarei_quantizer *const q) {
  const int out = tarei_check_output(c, q->node, 0);
  const tarei_check_value *const value = out < 0 ? NULL : &c->values[out];
  if (!value || (value->n_uses == 0 && !value->is_output)) {
    tarei_check_add(c, TARE_SEVERITY_NOTE, q->node, "remove it", "nothing reads its output");
    return;
  }
  if (value->is_output) {
    tarei_check_add(c, TARE_SEVERITY_NOTE, q->node,
                    "add a DequantizeLinear, unless callers expect integers",
                    "its output is an output of the model");
  }
  for (int u = 0; u < value->n_uses; u++) {
    const int reader = c->uses[value->first_use + u].node;
    if (!tarei_check_takes_integers(c, reader) && !tarei_check_bounds(c, reader)) {
      tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "add a DequantizeLinear between them",
                      "has no DequantizeLinear: %s '%s' reads integers", tarei_check_op(c, reader),
                      tarei_check_name(c, reader));
    }
  }
}

/* Whether a node makes floats: bounds do if what they read is float. */
static bool makes_floats(const tarei_check *const c, const int maker) {
  int node = maker;
  for (int steps = 0; node >= 0 && tarei_check_bounds(c, node) && steps < TAREI_CHECK_FARTHEST;
       steps++) {
    node = tarei_check_producer(c, node, 0);
  }
  if (node < 0) {
    return true; /* an input of the model, which is float in most of them */
  }
  const tarei_quantizer *const q = tarei_check_quantizer(c, node);
  return q ? q->restores
           : !tarei_check_takes_integers(c, node) &&
                 !tarei_check_is(c, node, "DynamicQuantizeLinear");
}

/* The QuantizeLinear whose integers a node reads, through operators that only move or bound them.
 */
static const tarei_quantizer *made_by(const tarei_check *const c, const int node) {
  int maker = tarei_check_producer(c, node, 0);
  for (int steps = 0; maker >= 0 && steps < TAREI_CHECK_FARTHEST; steps++) {
    const tarei_quantizer *const q = tarei_check_quantizer(c, maker);
    if (q || !(tarei_check_moves(c, maker) || tarei_check_bounds(c, maker))) {
      return q;
    }
    maker = tarei_check_producer(c, maker, 0);
  }
  return NULL;
}

static void check_dequantize(tarei_check *const c, const tarei_quantizer *const q) {
  const int value = tarei_check_input(c, q->node, 0);
  const int maker = value < 0 ? -1 : c->values[value].producer;
  const tarei_quantizer *const found = made_by(c, q->node);
  const bool floats = maker >= 0 && tarei_check_bounds(c, maker) && makes_floats(c, maker);
  const tarei_quantizer *const before = floats ? NULL : found;
  if (before && before->restores) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "remove it, or add a QuantizeLinear",
                    "has no QuantizeLinear: DequantizeLinear '%s' makes floats",
                    tarei_check_name(c, before->node));
  } else if (before && !tarei_check_same(before, q)) {
    tarei_check_add(c, TARE_SEVERITY_WARNING, q->node, "give both the same parameters",
                    "has another scale, zero point or type than QuantizeLinear '%s'",
                    tarei_check_name(c, before->node));
  } else if (value >= 0 && maker < 0 && !c->values[value].constant) {
    tarei_check_add(c, TARE_SEVERITY_NOTE, q->node,
                    "add a QuantizeLinear, unless callers pass integers",
                    "has no QuantizeLinear: it reads the input '%s'", c->values[value].name);
  } else if (maker >= 0 && !before && !c->values[value].constant && makes_floats(c, maker)) {
    tarei_check_add(c, TARE_SEVERITY_ERROR, q->node, "add a QuantizeLinear between them",
                    "has no QuantizeLinear: %s '%s' makes floats", tarei_check_op(c, maker),
                    tarei_check_name(c, maker));
  }
}

static void run_pairs(tarei_check *const c) {
  for (int i = 0; i < c->n_quantizers; i++) {
    if (c->quantizers[i].restores) {
      check_dequantize(c, &c->quantizers[i]);
    } else {
      check_quantize(c, &c->quantizers[i]);
    }
  }
}

const tarei_check_rule tarei_check_pairs = {"pairs", run_pairs};
