#include "graph/quantize/never_negative.h"

#include <math.h>
#include <string.h>

#include "graph/op.h"
#include "graph/quantize/quantize_uses.h"
#include "graph/quantize/row_need.h"
#include "shapes/number.h"

/* --- values ----------------------------------------------------------------------------------- */

static bool never_negative_constant(const tarei_graph *const g, const int value) {
  const tare_tensor t = tarei_value_tensor(g, value);
  if (!t.data || !tarei_is_float(t.dtype)) {
    return false;
  }
  const int64_t n = tare_tensor_count(&t);
  for (int64_t i = 0; i < n; i++) {
    if (!(tarei_real_at(&t, i) >= 0)) {
      return false;
    }
  }
  return true;
}

static bool has_unsigned_type(const tare_dtype type) {
  return type == TARE_BOOL || type == TARE_U8 || type == TARE_U16 || type == TARE_U32 ||
         type == TARE_U64;
}

bool tarei_is_never_negative(const tarei_graph *const g, const int value) {
  const tarei_value *const v = &g->values[value];
  return v->never_negative || has_unsigned_type(v->dtype) ||
         (tarei_value_is_const(g, value) && never_negative_constant(g, value));
}

/* --- nodes ------------------------------------------------------------------------------------ */

static bool never_negative_input(const tarei_graph *const g, const tarei_node *const node,
                                 const int i) {
  return i < node->n_in && node->in[i] >= 0 && tarei_is_never_negative(g, node->in[i]);
}

/* Of the inputs that have the type of the output: others are indices and conditions. */
static bool all_inputs(const tarei_graph *const g, const tarei_node *const node) {
  for (int i = 0; i < node->n_in; i++) {
    const bool counts =
        node->in[i] >= 0 && g->values[node->in[i]].dtype == g->values[node->out[0]].dtype;
    if (counts && !tarei_is_never_negative(g, node->in[i])) {
      return false;
    }
  }
  return true;
}

static bool any_input(const tarei_graph *const g, const tarei_node *const node) {
  bool any = false;
  for (int i = 0; i < node->n_in && !any; i++) {
    any = never_negative_input(g, node, i);
  }
  return any;
}

static bool is_even_power(const tarei_graph *const g, const tarei_node *const node) {
  float exponent;
  return tarei_value_const_float(g, node->in[1], &exponent) && isfinite(exponent) &&
         fmodf(exponent, 2.0f) == 0;
}

/* Bounds are inputs, or attributes before opset 11; NAN where one is not known. */
static float never_negative_bound(const tarei_graph *const g, const tarei_node *const node,
                                  const int input, const char *const attr, const float absent) {
  float bound = NAN;
  if (input < node->n_in && node->in[input] >= 0) {
    return tarei_value_const_float(g, node->in[input], &bound) ? bound : NAN;
  }
  return tarei_attr_float(node, attr, absent);
}

/* The upper bound wins where the lower one is above it. */
static bool never_negative_clip(const tarei_graph *const g, const tarei_node *const node) {
  const float low = never_negative_bound(g, node, 1, "min", -INFINITY);
  const float high = never_negative_bound(g, node, 2, "max", INFINITY);
  return high >= 0 && (low >= 0 || never_negative_input(g, node, 0));
}

static bool overshoots(const tarei_node *const node) {
  return strcmp(tarei_attr_string(node, "mode", "nearest"), "cubic") == 0 ||
         !(tarei_attr_float(node, "extrapolation_value", 0) >= 0);
}

/* Without an activation. */
static bool never_negative_sign(const tarei_graph *const g, const tarei_node *const node) {
  switch (node->op->sign) {
    case TAREI_SIGN_NEVER:
      return true;
    case TAREI_SIGN_FIRST:
      return never_negative_input(g, node, 0);
    case TAREI_SIGN_ALL:
      return all_inputs(g, node);
    case TAREI_SIGN_ONE:
      return any_input(g, node);
    case TAREI_SIGN_PRODUCT:
      return node->in[0] == node->in[1] || all_inputs(g, node);
    case TAREI_SIGN_POWER:
      return is_even_power(g, node) || never_negative_input(g, node, 0);
    case TAREI_SIGN_CLIPPED:
      return never_negative_clip(g, node);
    case TAREI_SIGN_RESIZED:
      return !overshoots(node) && never_negative_input(g, node, 0);
    case TAREI_SIGN_ANY:
      break;
  }
  return node->op->movement || node->op->picks ? never_negative_input(g, node, 0)
                                               : tarei_node_selects(node) && all_inputs(g, node);
}

/* What an activation that a node takes makes: never below zero, so only where its input is not, or
 * anything. */
typedef enum activation_sign { SIGN_LOST, SIGN_KEPT, SIGN_CUT } activation_sign;

static activation_sign activation_sign_of(const tarei_node *const node) {
  static const struct {
    const char *name;
    activation_sign sign;
  } SIGNS[] = {{"none", SIGN_KEPT},
               {"relu", SIGN_CUT},
               {"sigmoid", SIGN_CUT},
               {"hard_sigmoid", SIGN_CUT},
               {"tanh", SIGN_KEPT}};
  const char *const name = tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none");
  if (strcmp(name, "clip") == 0) {
    const float low = tarei_attr_float(node, TAREI_ATTR_ACTIVATION_A, 0);
    const float high = tarei_attr_float(node, TAREI_ATTR_ACTIVATION_B, 0);
    return !(high >= 0) ? SIGN_LOST : low >= 0 ? SIGN_CUT : SIGN_KEPT;
  }
  for (size_t i = 0; i < sizeof SIGNS / sizeof *SIGNS; i++) {
    if (strcmp(name, SIGNS[i].name) == 0) {
      return SIGNS[i].sign;
    }
  }
  return SIGN_LOST;
}

/* A residual is added after the activation, unless that is the last. */
static bool makes_no_negative(const tarei_graph *const g, const tarei_node *const node) {
  const int residual = node->op->adds_residual && node->n_in > TAREI_INT8_RESIDUAL
                           ? node->in[TAREI_INT8_RESIDUAL]
                           : -1;
  switch (activation_sign_of(node)) {
    case SIGN_CUT:
      return residual < 0 || tarei_attr_int(node, TAREI_ATTR_ACTIVATION_LAST, 0) ||
             tarei_is_never_negative(g, residual);
    case SIGN_KEPT:
      return never_negative_sign(g, node);
    case SIGN_LOST:
      break;
  }
  return false;
}

/* --- graphs ----------------------------------------------------------------------------------- */

/* What a body takes from outside; its formal inputs may be anything. */
static void mark_captures(const tarei_graph *const outside, const tarei_node *const node,
                          tarei_graph *const body) {
  for (int i = body->n_formal; i < body->n_inputs; i++) {
    const int input = body->captures[i - body->n_formal];
    body->values[body->inputs[i]].never_negative = never_negative_input(outside, node, input);
  }
}

void tarei_graph_mark_never_negative(tarei_graph *const g) {
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(node, i)) != NULL; i++) {
      mark_captures(g, node, body);
      tarei_graph_mark_never_negative(body);
    }
    const bool marks = makes_no_negative(g, node);
    for (int i = 0; i < node->n_out; i++) {
      if (node->out[i] >= 0) {
        g->values[node->out[i]].never_negative = marks;
      }
    }
  }
}

void tarei_graph_expect_unsigned_rows(tarei_graph *const g) {
  for (int v = 0; v < g->n_values; v++) {
    tarei_quant *const quant = &g->values[v].quant;
    if (g->values[v].never_negative && quant->n_scales && !quant->stated) {
      tarei_quant_expect_unsigned(quant);
    }
  }
}
