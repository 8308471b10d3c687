/*
 * Hard activations of several nodes become one: Clip(x + 3, 0, 6) / 6 is HardSigmoid, and its
 * product with x, in either order of the factors, is HardSwish. The values between disappear.
 */
#include <math.h>

#include "graph/passes/const_data.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

#define SIXTH (1.0f / 6)

typedef struct hard_match {
  const tarei_graph *graph;
  tarei_pattern nodes;
  int x;
} hard_match;

/* Whether `value` is Clip(x + 3, 0, 6); x receives its place. */
static bool is_clipped(hard_match *const m, const int value) {
  const tarei_graph *const g = m->graph;
  const tarei_node *const clip = tarei_producer_is(g, value, &tarei_op_clip);
  const tarei_node *const add = clip ? tarei_producer_is(g, clip->in[0], &tarei_op_add) : NULL;
  float low = -INFINITY, high = INFINITY;
  if (!add || !tarei_const_clip_bound(g, clip, 1, "min", &low) ||
      !tarei_const_clip_bound(g, clip, 2, "max", &high) || low != 0 || high != 6) {
    return false;
  }
  const bool first = tarei_const_near(g, add->in[0], 3);
  m->x = add->in[first];
  return (first || tarei_const_near(g, add->in[1], 3)) && tarei_values_same_shape(g, m->x, value) &&
         tarei_pattern_add(g, &m->nodes, value) && tarei_pattern_add(g, &m->nodes, add->out[0]);
}

/* What a node multiplies by a sixth, or -1. */
static int sixth_of(const tarei_graph *const g, const tarei_node *const node) {
  if (node->op == &tarei_op_div) {
    return tarei_const_near(g, node->in[1], 6) ? node->in[0] : -1;
  }
  for (int i = 0; node->op == &tarei_op_mul && i < 2; i++) {
    if (tarei_const_near(g, node->in[i], SIXTH)) {
      return node->in[1 - i];
    }
  }
  return -1;
}

/* Whether `value` is HardSigmoid(x), as one operator or as several. */
static bool is_gate(hard_match *const m, const int value) {
  const tarei_node *const node = tarei_producer(m->graph, value);
  if (!node || !tarei_pattern_add(m->graph, &m->nodes, value)) {
    return false;
  }
  if (node->op == &tarei_op_hard_sigmoid) {
    m->x = node->in[0];
    return tarei_is_near(tarei_attr_float(node, "alpha", 0.2f), SIXTH) &&
           tarei_attr_float(node, "beta", 0.5f) == 0.5f;
  }
  const int clipped = sixth_of(m->graph, node);
  return clipped >= 0 && is_clipped(m, clipped);
}

/* Whether `value` is x times Clip(x + 3, 0, 6), or times its sixth. */
static bool is_product(hard_match *const m, const int value, const bool whole) {
  const tarei_node *const mul = tarei_producer_is(m->graph, value, &tarei_op_mul);
  const tarei_pattern before = m->nodes;
  for (int i = 0; mul && i < 2; i++) {
    m->nodes = before;
    if (tarei_pattern_add(m->graph, &m->nodes, value) &&
        (whole ? is_gate(m, mul->in[i]) : is_clipped(m, mul->in[i])) && m->x == mul->in[1 - i]) {
      return true;
    }
  }
  m->nodes = before;
  return false;
}

/* The operator that the nodes before `root` are, or NULL. */
static const tarei_op *find_hard(hard_match *const m, const int root) {
  const tarei_node *const node = tarei_producer(m->graph, root);
  const int sixth = sixth_of(m->graph, node);
  if (is_product(m, root, true)) {
    return &tarei_op_hard_swish;
  }
  if (sixth >= 0 && tarei_pattern_add(m->graph, &m->nodes, root)) {
    return is_product(m, sixth, false) ? &tarei_op_hard_swish
           : is_clipped(m, sixth)      ? &tarei_op_hard_sigmoid
                                       : NULL;
  }
  return NULL;
}

static tare_status fuse_hard_at(tarei_graph *const graph, const int root, bool *const changed,
                                tare_error *const err) {
  hard_match m = {.graph = graph, .x = -1};
  const tarei_op *const op = tarei_value_is_f32(graph, root) ? find_hard(&m, root) : NULL;
  int node;
  if (!op || !tarei_pattern_is_closed(graph, &m.nodes, root)) {
    return TARE_OK;
  }
  *changed = true;
  TAREI_TRY(tarei_pattern_replace(graph, &m.nodes, root, op, 14, &m.x, 1, &node, err));
  return op == &tarei_op_hard_swish || tarei_attr_set_float(&graph->nodes[node], "alpha", SIXTH)
             ? TARE_OK
             : tarei_fail_memory(err, "alpha", sizeof(tarei_attr));
}

/* From the last node on, so that a HardSwish is found before the HardSigmoid in it. */
static tare_status fuse_hard_run(tarei_graph *const graph, const tarei_pass_options *const options,
                                 bool *const changed, tare_error *const err) {
  (void)options;
  for (int i = graph->n_nodes - 1; i >= 0; i--) {
    const tarei_op *const op = graph->nodes[i].op;
    if (op == &tarei_op_mul || op == &tarei_op_div) {
      TAREI_TRY(fuse_hard_at(graph, graph->nodes[i].out[0], changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_hard_swish = {
    .name = "fuse_hard_swish",
    .summary = "finds HardSwish and HardSigmoid written as Clip arithmetic",
    .removes_tensors = true,
    .run = fuse_hard_run,
};
