/*
 * Activations written as Max and Min, as Keras exports them, become one operator: Max(x, a x) is
 * LeakyRelu, and bounds that are constants are Relu or Clip, one for all that follow each other.
 * The values between disappear.
 */
#include <math.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

/* min(max(x, low), high); infinite where there is none. */
typedef struct value_bounds {
  float low, high;
} value_bounds;

/* The constant among the two inputs of a node, a number; *x receives the other one. */
static bool has_scalar(const tarei_graph *const graph, const tarei_node *const node, int *const x,
                       float *const k) {
  for (int i = 0; node->n_in == 2 && i < 2; i++) {
    *x = node->in[1 - i];
    if (tarei_const_scalar(graph, node->in[i], k) && !isnan(*k)) {
      return tarei_values_same_shape(graph, *x, node->out[0]);
    }
  }
  return false;
}

/* --- one slope below zero --------------------------------------------------------------------- */

/* Whether `value` is a x, where `slope` receives a. */
static bool is_multiple(const tarei_graph *const graph, const int value, const int x,
                        float *const slope) {
  const tarei_node *const mul = tarei_producer_is(graph, value, &tarei_op_mul);
  int factor;
  return mul && has_scalar(graph, mul, &factor, slope) && factor == x && isfinite(*slope);
}

/* Max(x, a x) where a <= 1, or Min(x, a x) where a >= 1. */
static bool is_leaky(const tarei_graph *const graph, const tarei_node *const node,
                     tarei_pattern *const nodes, int *const x, float *const slope) {
  for (int i = 0; node->n_in == 2 && i < 2; i++) {
    *x = node->in[i];
    if (is_multiple(graph, node->in[1 - i], *x, slope) &&
        (node->op == &tarei_op_max ? *slope <= 1 : *slope >= 1)) {
      return tarei_pattern_add(graph, nodes, node->out[0]) &&
             tarei_pattern_add(graph, nodes, node->in[1 - i]) &&
             tarei_pattern_is_closed(graph, nodes, node->out[0]);
    }
  }
  return false;
}

static tare_status fuse_leaky(tarei_graph *const graph, tarei_pattern *const nodes, const int root,
                              const int x, const float slope, tare_error *const err) {
  int node;
  TAREI_TRY(tarei_pattern_replace(graph, nodes, root, &tarei_op_leaky_relu, 16, &x, 1, &node, err));
  return tarei_attr_set_float(&graph->nodes[node], "alpha", slope)
             ? TARE_OK
             : tarei_fail_memory(err, "alpha", sizeof(tarei_attr));
}

/* --- bounds ----------------------------------------------------------------------------------- */

/* What a node does to `x`, if it is nothing but bounds. */
static bool bounds_of_node(const tarei_graph *const graph, const tarei_node *const node,
                           int *const x, value_bounds *const out) {
  *out = (value_bounds){-INFINITY, INFINITY};
  *x = node->in[0];
  if (node->op == &tarei_op_relu) {
    out->low = 0;
    return true;
  }
  if (node->op == &tarei_op_clip) {
    return tarei_const_clip_bound(graph, node, 1, "min", &out->low) &&
           tarei_const_clip_bound(graph, node, 2, "max", &out->high) && !isnan(out->low) &&
           !isnan(out->high);
  }
  float *const bound = node->op == &tarei_op_max   ? &out->low
                       : node->op == &tarei_op_min ? &out->high
                                                   : NULL;
  return bound && has_scalar(graph, node, x, bound);
}

static float bound(const float x, const value_bounds b) {
  return fminf(fmaxf(x, b.low), b.high);
}

/* All that bounds x before the node does, if nobody else sees it. Returns how many nodes it is. */
static int gather_bounds(const tarei_graph *const graph, const tarei_node *const last,
                         tarei_pattern *const nodes, int *const x, value_bounds *const out) {
  if (!bounds_of_node(graph, last, x, out) || !tarei_pattern_add(graph, nodes, last->out[0])) {
    return 0;
  }
  for (;;) {
    const tarei_node *const before = tarei_producer(graph, *x);
    tarei_pattern longer = *nodes;
    value_bounds inner;
    int next;
    if (!before || !bounds_of_node(graph, before, &next, &inner) ||
        !tarei_pattern_add(graph, &longer, *x) ||
        !tarei_pattern_is_closed(graph, &longer, last->out[0])) {
      return nodes->n;
    }
    *nodes = longer;
    *x = next;
    *out = (value_bounds){bound(inner.low, *out), bound(inner.high, *out)};
  }
}

static tare_status set_bound(tarei_node *const clip, const char *const name, const float value,
                             tare_error *const err) {
  return isinf(value) || tarei_attr_set_float(clip, name, value)
             ? TARE_OK
             : tarei_fail_memory(err, name, sizeof(tarei_attr));
}

static tare_status fuse_all_bounds(tarei_graph *const graph, tarei_pattern *const nodes,
                                   const int root, const int x, const value_bounds b,
                                   tare_error *const err) {
  const bool relu = b.low == 0 && isinf(b.high);
  int node;
  TAREI_TRY(tarei_pattern_replace(graph, nodes, root, relu ? &tarei_op_relu : &tarei_op_clip,
                                  6 /* opset, bounds are attributes */, &x, 1, &node, err));
  if (relu) {
    return TARE_OK;
  }
  TAREI_TRY(set_bound(&graph->nodes[node], "min", b.low, err));
  return set_bound(&graph->nodes[node], "max", b.high, err);
}

/* --- pass ------------------------------------------------------------------------------------- */

static tare_status fuse_bounds_at(tarei_graph *const graph, const int index, bool *const changed,
                                  tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  const int root = node->n_out == 1 ? node->out[0] : -1;
  const bool compares = node->op == &tarei_op_max || node->op == &tarei_op_min;
  tarei_pattern nodes = {0};
  value_bounds bounds;
  float slope;
  int x;
  if (root < 0 || !tarei_value_is_f32(graph, root)) {
    return TARE_OK;
  }
  if (compares && is_leaky(graph, node, &nodes, &x, &slope)) {
    *changed = true;
    return fuse_leaky(graph, &nodes, root, x, slope, err);
  }
  nodes.n = 0;
  const int n = gather_bounds(graph, node, &nodes, &x, &bounds);
  const bool finite = isfinite(bounds.low) || isfinite(bounds.high);
  if (n == 0 || (n == 1 && !compares) || !finite) {
    return TARE_OK;
  }
  *changed = true;
  return fuse_all_bounds(graph, &nodes, root, x, bounds, err);
}

static tare_status fuse_bounds_run(tarei_graph *const graph,
                                   const tarei_pass_options *const options, bool *const changed,
                                   tare_error *const err) {
  (void)options;
  for (int i = graph->n_nodes - 1; i >= 0; i--) {
    if (graph->nodes[i].op && graph->nodes[i].n_in > 0) {
      TAREI_TRY(fuse_bounds_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_bounds = {
    .name = "fuse_bounds",
    .summary = "finds Relu, Clip and LeakyRelu written as Max and Min",
    .removes_tensors = true,
    .run = fuse_bounds_run,
};
