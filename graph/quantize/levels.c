#include "graph/quantize/levels.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/op.h"
#include "graph/quantize/row_need.h"
#include "shapes/number.h"

/* How a value grows with the inputs of the model. */
typedef struct growth {
  double power; /* of the inputs, where it grows fastest; 0: not at all */
  double least; /* the same of the channel that grows least: it is what others are divided by */
  bool late;    /* a layer lies between, */
  bool biased;  /* and one has a bias or a state */
  double root;  /* the least power that a logarithm, 0, or a root makes of it; or INFINITY */
} growth;

#define FLAT_ROOT \
  0.5 /* share of the power of a value, up to which a root of it is like a logarithm */

/* The first walk listens, the second marks. */
typedef struct levels_walk {
  bool heard; /* an input of the model, or what a first layer reads, has a varying level */
  bool marks;
} levels_walk;

static bool levels_has_single_values(const tarei_graph *const g, const tarei_value *const x) {
  int64_t channels = 0;
  return x->rank > 0 && tarei_expr_is_const(g->exprs, x->dims[x->rank - 1], &channels) &&
         channels == 1;
}

bool tarei_reads_single_channel(const tarei_graph *const g, const tarei_node *const node) {
  return node->op->int8->windows && levels_has_single_values(g, &g->values[node->in[0]]);
}

/* Whether a tensor N x space x C lies along one axis: it is a recording, and not an image. */
static bool levels_is_line(const tarei_graph *const g, const tarei_value *const x) {
  int long_axes = 0;
  for (int d = 1; d < x->rank - 1; d++) {
    int64_t size;
    long_axes += !(tarei_expr_is_const(g->exprs, x->dims[d], &size) && size == 1);
  }
  return long_axes == 1;
}

/* The annotation of a value, or of what it is moved from. */
static const tarei_quant *levels_quant(const tarei_graph *const g, int value) {
  int producer;
  while (!g->values[value].quant.n_scales && (producer = g->values[value].producer) >= 0 &&
         g->nodes[producer].op->movement) {
    value = g->nodes[producer].in[0];
  }
  return &g->values[value].quant;
}

static bool levels_vary(const tarei_graph *const g, const tarei_node *const layer) {
  return tarei_reads_single_channel(g, layer)
             ? levels_is_line(g, &g->values[layer->in[0]])
             : tarei_quant_wants_windows(levels_quant(g, layer->in[0]));
}

/* --- growth through a node -------------------------------------------------------------------- */

static bool fused_activation_is_bounded(const tarei_node *const node) {
  const char *const name = tarei_attr_string(node, TAREI_ATTR_ACTIVATION, "none");
  const bool clips = strcmp(name, "clip") == 0 &&
                     fabsf(tarei_attr_float(node, TAREI_ATTR_ACTIVATION_A, FLT_MAX)) < FLT_MAX &&
                     fabsf(tarei_attr_float(node, TAREI_ATTR_ACTIVATION_B, FLT_MAX)) < FLT_MAX;
  return clips || strcmp(name, "sigmoid") == 0 || strcmp(name, "tanh") == 0;
}

/* Bounds are inputs, or attributes before opset 11. */
static bool clip_is_bounded(const tarei_node *const node) {
  const bool low = node->n_in > 1 ? node->in[1] >= 0 : tarei_attr_find(node, "min") != NULL;
  const bool high = node->n_in > 2 ? node->in[2] >= 0 : tarei_attr_find(node, "max") != NULL;
  return low && high;
}

static growth growth_of_input(const growth *const values, const tarei_node *const node,
                              const int i) {
  return i < node->n_in && node->in[i] >= 0 ? values[node->in[i]] : (growth){0};
}

static growth growth_from(const double one, const double other) {
  return (growth){.power = fmax(one, other), .least = fmin(one, other)};
}

/* Of the inputs that are not constant. */
static growth fastest(const tarei_graph *const g, const growth *const values,
                      const tarei_node *const node) {
  double power = -INFINITY, least = -INFINITY;
  for (int i = 0; i < node->n_in; i++) {
    if (node->in[i] >= 0 && !g->values[node->in[i]].data) {
      power = fmax(power, values[node->in[i]].power);
      least = fmax(least, values[node->in[i]].least);
    }
  }
  return isfinite(power) ? growth_from(power, least) : (growth){0};
}

/* The largest and the smallest exponent: each channel may have its own. Both are 1 if unknown. */
static growth exponents_of(const tarei_graph *const g, const tarei_node *const node) {
  const int value = node->in[1];
  const tare_tensor t =
      tarei_value_is_const(g, value) ? tarei_value_tensor(g, value) : (tare_tensor){0};
  const int64_t n = t.data && tarei_is_float(t.dtype) ? tare_tensor_count(&t) : 0;
  growth out = {.power = -INFINITY, .least = INFINITY};
  float exponent;
  if (tarei_value_const_float(g, value, &exponent)) {
    return growth_from((double)exponent, (double)exponent);
  }
  for (int64_t i = 0; i < n; i++) {
    out.power = fmax(out.power, tarei_real_at(&t, i));
    out.least = fmin(out.least, tarei_real_at(&t, i));
  }
  return isfinite(out.power) && isfinite(out.least) ? out : growth_from(1, 1);
}

static growth raise_to(const growth x, const growth exponents) {
  const growth fast = growth_from(x.power * exponents.power, x.power * exponents.least);
  const growth slow = growth_from(x.least * exponents.power, x.least * exponents.least);
  return growth_from(fmax(fast.power, slow.power), fmin(fast.least, slow.least));
}

/* The power alone. */
static growth power_of_output(const tarei_graph *const g, const growth *const values,
                              const tarei_node *const node) {
  const growth first = growth_of_input(values, node, 0), second = growth_of_input(values, node, 1);
  switch (node->op->growth) {
    case TAREI_GROWTH_LOG:
    case TAREI_GROWTH_LINEAR:
      return fused_activation_is_bounded(node) ? (growth){0} : fastest(g, values, node);
    case TAREI_GROWTH_ROOT:
      return raise_to(first, growth_from(0.5, 0.5));
    case TAREI_GROWTH_SQUARE:
      return raise_to(first, growth_from(2, 2));
    case TAREI_GROWTH_INVERSE:
      return raise_to(first, growth_from(-1, -1));
    case TAREI_GROWTH_PRODUCT:
      return growth_from(first.power + second.power, first.least + second.least);
    case TAREI_GROWTH_RATIO:
      return growth_from(first.power - second.least, first.least - second.power);
    case TAREI_GROWTH_POWER:
      return raise_to(first, exponents_of(g, node));
    case TAREI_GROWTH_CLIPPED:
      return clip_is_bounded(node) ? (growth){0} : growth_from(first.power, first.least);
    case TAREI_GROWTH_BOUNDED:
      break;
  }
  return (growth){0};
}

/* One number for all channels is no bias: it keeps the logarithm of zero finite. */
static bool is_epsilon(const tarei_graph *const g, const int value) {
  if (!g->values[value].data || g->values[value].dtype != TARE_F32) {
    return false;
  }
  const tare_tensor t = tarei_value_tensor(g, value);
  const float *const x = t.data;
  const int64_t n = tare_tensor_count(&t);
  for (int64_t i = 1; i < n; i++) {
    if (x[i] != x[0]) {
      return false;
    }
  }
  return true;
}

static bool adds_bias(const tarei_graph *const g, const tarei_node *const node) {
  const tarei_int8_form *const form = node->op->int8;
  const int first = form ? form->activations + form->weights : 0;
  bool adds = false;
  for (int i = first; form && i < node->n_in; i++) {
    adds |= node->in[i] >= 0 && !is_epsilon(g, node->in[i]);
  }
  return adds;
}

static growth growth_of_output(const tarei_graph *const g, const growth *const values,
                               const tarei_node *const node) {
  growth out = power_of_output(g, values, node);
  out.late = node->op->int8 != NULL;
  out.biased = adds_bias(g, node);
  for (int i = 0; i < node->n_in; i++) {
    const growth *const in = node->in[i] >= 0 ? &values[node->in[i]] : NULL;
    out.late |= in && in->late;
    out.biased |= in && in->biased;
  }
  return out;
}

/* --- logarithms and roots --------------------------------------------------------------------- */

/* Whether all channels get one exponent: where each has its own, as after an automatic gain, what
 * is left of the growth says nothing about quiet elements. */
static bool is_root(const tarei_graph *const g, const tarei_node *const node) {
  if (node->op->growth != TAREI_GROWTH_POWER) {
    return node->op->growth == TAREI_GROWTH_ROOT;
  }
  const growth exponents = exponents_of(g, node);
  return exponents.power <= exponents.least;
}

/* What a node and those behind it make of its inputs. */
static double root_behind(const tarei_graph *const g, const growth *const values,
                          const tarei_node *const node) {
  const bool root = is_root(g, node);
  double least = node->op->growth == TAREI_GROWTH_LOG ? 0 : INFINITY;
  for (int i = 0; i < node->n_out; i++) {
    const growth *const out = node->out[i] >= 0 ? &values[node->out[i]] : NULL;
    least = out ? fmin(least, out->root) : least;
    least = out && root && out->power < growth_of_input(values, node, 0).power
                ? fmin(least, out->power)
                : least;
  }
  return least;
}

/* From a logarithm or root back to the inputs of the model. */
static void mark_logged(tarei_graph *const g, growth *const values) {
  for (int v = 0; v < g->n_values; v++) {
    values[v].root = INFINITY;
  }
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    const double root = root_behind(g, values, node);
    for (int i = 0; i < node->n_in; i++) {
      growth *const in = node->in[i] >= 0 ? &values[node->in[i]] : NULL;
      if (in && in->power > 0 && !in->biased) {
        in->root = fmin(in->root, root);
        g->values[node->in[i]].quant.logged = in->root <= FLAT_ROOT * in->power;
      }
    }
  }
}

/* --- the walk --------------------------------------------------------------------------------- */

static tare_status walk_graph(tarei_graph *g, growth *values, levels_walk *walk, tare_error *err);

/* A body gets its formal inputs from the first ones of the node, and its captures from others. Any
 * output of a body may be any of the node, or carried to its next turn. */
static tare_status walk_body(tarei_graph *const body, const tarei_node *const node,
                             const growth *const outside, growth *const out,
                             levels_walk *const walk, tare_error *const err) {
  growth *const values = tarei_calloc((size_t)body->n_values, sizeof *values);
  if (!values) {
    return tarei_fail_memory(err, "levels of values", (size_t)body->n_values * sizeof *values);
  }
  for (int i = 0; i < body->n_inputs; i++) {
    const int input = i < body->n_formal ? i : body->captures[i - body->n_formal];
    const int value = input < node->n_in ? node->in[input] : -1;
    values[body->inputs[i]] = value >= 0 ? outside[value] : (growth){0};
  }
  const tare_status status = walk_graph(body, values, walk, err);
  for (int i = 0; i < body->n_outputs && status == TARE_OK; i++) {
    const growth *const v = &values[body->outputs[i]];
    out->power = fmax(out->power, v->power);
    out->least = fmax(out->least, v->least);
    out->late |= v->late;
    out->biased |= v->biased;
  }
  free(values);
  return status;
}

static tare_status walk_node(tarei_graph *const g, const tarei_node *const node,
                             growth *const values, levels_walk *const walk, tare_error *const err) {
  growth out = {0};
  tarei_graph *body = tarei_node_body(node, 0);
  if (body) {
    for (int i = 0; (body = tarei_node_body(node, i)) != NULL; i++) {
      TAREI_TRY(walk_body(body, node, values, &out, walk, err));
    }
  } else {
    out = growth_of_output(g, values, node);
  }
  for (int i = 0; i < node->n_out; i++) {
    if (node->out[i] >= 0 && g->values[node->out[i]].dtype == TARE_F32) {
      values[node->out[i]] = out;
    }
  }
  return TARE_OK;
}

static tare_status walk_graph(tarei_graph *const g, growth *const values, levels_walk *const walk,
                              tare_error *const err) {
  for (int n = 0; n < g->n_nodes; n++) {
    const tarei_node *const node = &g->nodes[n];
    const growth *const x = node->n_in > 0 && node->in[0] >= 0 ? &values[node->in[0]] : NULL;
    walk->heard |= node->op->int8 && x && x->power > 0 && !x->late && levels_vary(g, node);
    TAREI_TRY(walk_node(g, node, values, walk, err));
  }
  for (int v = 0; v < g->n_values && walk->marks; v++) {
    g->values[v].quant.follows_level = values[v].power > 0;
  }
  mark_logged(g, values);
  return TARE_OK;
}

tare_status tarei_graph_mark_levels(tarei_graph *const g, tare_error *const err) {
  const size_t n = (size_t)g->n_values;
  growth *const values = tarei_calloc(n, sizeof *values);
  if (!values) {
    return tarei_fail_memory(err, "levels of values", n * sizeof *values);
  }
  levels_walk walk = {0};
  for (int v = 0; v < g->n_values; v++) {
    const tarei_value *const x = &g->values[v];
    values[v].power = values[v].least = x->is_input && x->dtype == TARE_F32;
    walk.heard |= values[v].power > 0 && !levels_has_single_values(g, x) &&
                  tarei_quant_wants_windows(&x->quant);
  }
  tare_status status = walk_graph(g, values, &walk, err);
  if (status == TARE_OK && walk.heard) {
    walk.marks = true;
    status = walk_graph(g, values, &walk, err);
  }
  free(values);
  return status;
}
