/* Additions that the target takes into the convolution before them: the fused convolution writes
 * int8 only if what it adds is int8 too. */
#include "graph/check/check.h"

/* Whether input i is made by an int8 convolution for this reader alone. */
static bool is_made_for(const tarei_check *const c, const int add, const size_t i) {
  const int conv = tarei_check_producer(c, add, i), value = tarei_check_input(c, add, i);
  return conv >= 0 && tarei_check_is(c, conv, "Conv") && tarei_check_is_int8(c, conv) &&
         c->values[value].n_uses == 1 && !c->values[value].is_output;
}

static bool has_quantizer(const tarei_check *const c, const int value) {
  const tarei_check_value *const v = value < 0 ? NULL : &c->values[value];
  for (int u = 0; v && u < v->n_uses; u++) {
    const tarei_quantizer *const q = tarei_check_quantizer(c, c->uses[v->first_use + u].node);
    if (q && !q->restores) {
      return true;
    }
  }
  return false;
}

/* Whether the output of a node is quantized, or what the only Relu or Clip behind it makes. */
static bool is_quantized(const tarei_check *const c, const int node) {
  static const char *const CLIPS[] = {"Relu", "Clip", NULL};
  const int out = tarei_check_output(c, node, 0);
  const bool sole = out >= 0 && c->values[out].n_uses == 1;
  const int reader = sole ? c->uses[c->values[out].first_use].node : -1;
  return has_quantizer(c, out) || (reader >= 0 && tarei_check_is_any(c, reader, CLIPS) &&
                                   has_quantizer(c, tarei_check_output(c, reader, 0)));
}

static void check_addition(tarei_check *const c, const int add) {
  if (tarei_check_restored(c, add, 0) || tarei_check_restored(c, add, 1) || !is_quantized(c, add)) {
    return;
  }
  const size_t conv = is_made_for(c, add, 1) ? 1 : 0, other = 1 - conv;
  const int residual = tarei_check_input(c, add, other);
  if (!is_made_for(c, add, conv) || residual < 0 || c->values[residual].constant) {
    return;
  }
  tarei_check_add(c, TARE_SEVERITY_NOTE, add, "put a Q/DQ pair on that input of the addition",
                  "adds '%s' in float: convolution '%s', which %s fuses it with, then writes float",
                  c->values[residual].name, tarei_check_name(c, tarei_check_producer(c, add, conv)),
                  c->target->about.engine);
}

static void run_residual(tarei_check *const c) {
  for (int n = 0; c->target->residuals && n < c->n_nodes; n++) {
    if (tarei_check_is(c, n, "Add")) {
      check_addition(c, n);
    }
  }
}

const tarei_check_rule tarei_check_residual = {"residual", run_residual};
