/* Q/DQ between a layer and what engines compute together with it. */
#include "graph/check/check.h"
#include "graph/qdq/place.h"

static const char *const BEHIND_CONV[] = {"BatchNormalization", "Relu", "Clip", NULL};
static const char *const BEHIND_PRODUCT[] = {"Relu", "Clip", NULL};

/* The addition of a constant: a bias. */
static bool adds_constant(const tarei_check *const c, const int node) {
  for (size_t i = 0; tarei_check_is(c, node, "Add") && i < c->nodes[node]->n_input; i++) {
    const int value = tarei_check_input(c, node, i);
    if (value >= 0 && c->values[value].constant) {
      return true;
    }
  }
  return false;
}

static bool is_fused_behind(const tarei_check *const c, const int layer, const int node) {
  const bool conv = tarei_check_is(c, layer, "Conv");
  return tarei_check_is_any(c, node, conv ? BEHIND_CONV : BEHIND_PRODUCT) || adds_constant(c, node);
}

/* The only reader of the first output of a node, -1 where it has more, or is an output. */
static int only_reader(const tarei_check *const c, const int node) {
  const int out = tarei_check_output(c, node, 0);
  const bool one = out >= 0 && c->values[out].n_uses == 1 && !c->values[out].is_output;
  return one ? c->uses[c->values[out].first_use].node : -1;
}

/* The operator behind a pair that only a layer's output goes through; -1: another arrangement. */
static int behind_pair(const tarei_check *const c, const int layer, int *const quantize) {
  *quantize = only_reader(c, layer);
  const tarei_quantizer *const q = *quantize < 0 ? NULL : tarei_check_quantizer(c, *quantize);
  const int restore = q && !q->restores ? only_reader(c, *quantize) : -1;
  const tarei_quantizer *const dq = restore < 0 ? NULL : tarei_check_quantizer(c, restore);
  return dq && dq->restores ? only_reader(c, restore) : -1;
}

static void run_fusion(tarei_check *const c) {
  for (int n = 0; n < c->n_nodes; n++) {
    int quantize = -1;
    const int next = tarei_placed_is_layer(c->nodes[n]) ? behind_pair(c, n, &quantize) : -1;
    if (next >= 0 && is_fused_behind(c, n, next)) {
      tarei_check_add(c, TARE_SEVERITY_WARNING, quantize, "move the Q/DQ pair behind that operator",
                      "separates %s '%s' from %s '%s', which engines compute in one step",
                      tarei_check_op(c, n), tarei_check_name(c, n), tarei_check_op(c, next),
                      tarei_check_name(c, next));
    }
  }
}

const tarei_check_rule tarei_check_fusion = {"fusion", run_fusion};
