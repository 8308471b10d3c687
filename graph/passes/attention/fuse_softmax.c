/* Attention scores: softmax(x / c + mask) along the last axis becomes one ScaledSoftmax, with the
 * division (or product) by a constant, the mask, or both. The values between disappear. A Where
 * that sets scores to minus infinity, or as good as that, is a mask too: what it adds is made of
 * its condition, which has no heads. */
#include <math.h>

#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

typedef struct fuse_softmax_match {
  tarei_pattern nodes;
  int x, mask; /* mask -1: none */
  int where;   /* a node that masks, or -1 */
  float scale;
} fuse_softmax_match;

static bool is_last_axis(const tarei_graph *const graph, const tarei_node *const node) {
  const int rank = graph->values[node->in[0]].rank;
  const int64_t axis = tarei_attr_int(node, "axis", node->opset < 13 ? 1 : -1);
  return rank >= 1 && (axis == -1 || axis == rank - 1);
}

/* The mask has no more axes than the scores, the same last one, and each other is the same or 1. */
static bool fits_as_mask(const tarei_graph *const graph, const int mask, const int x,
                         const tare_dtype dtype) {
  const tarei_value *const m = &graph->values[mask], *const v = &graph->values[x];
  if (m->dtype != dtype || m->rank < 1 || m->rank > v->rank ||
      m->dims[m->rank - 1] != v->dims[v->rank - 1]) {
    return false;
  }
  for (int d = 0; d < m->rank - 1; d++) {
    if (!tarei_axis_is_one(graph, mask, d) && m->dims[d] != v->dims[v->rank - m->rank + d]) {
      return false;
    }
  }
  return true;
}

/* x behind an Add of a mask; either operand may be the mask, the scores are made by a node. */
static void take_mask(const tarei_graph *const graph, fuse_softmax_match *const m) {
  const tarei_node *const add = tarei_producer_is(graph, m->x, &tarei_op_add);
  for (int i = 1; add && i >= 0; i--) {
    const int mask = add->in[i], x = add->in[1 - i];
    if (tarei_values_same_shape(graph, x, m->x) && tarei_producer(graph, x) &&
        fits_as_mask(graph, mask, x, TARE_F32) && tarei_pattern_add(graph, &m->nodes, m->x)) {
      m->mask = mask;
      m->x = x;
      return;
    }
  }
}

/* Adding it to any score that is not larger gives the same: minus infinity, or so far down that no
 * score matters beside it. */
static bool masks_out(const tarei_graph *const graph, const int value) {
  float c;
  return tarei_value_const_float(graph, value, &c) && c <= -1e30f;
}

/* x behind a Where that masks some of it. */
static void take_where(const tarei_graph *const graph, fuse_softmax_match *const m) {
  const tarei_node *const where = tarei_producer_is(graph, m->x, &tarei_op_where);
  for (int i = 1; m->mask < 0 && where && i < 3; i++) {
    const int x = where->in[i];
    if (masks_out(graph, where->in[3 - i]) && tarei_values_same_shape(graph, x, m->x) &&
        tarei_producer(graph, x) && fits_as_mask(graph, where->in[0], x, TARE_BOOL) &&
        tarei_pattern_add(graph, &m->nodes, m->x)) {
      m->where = (int)(where - graph->nodes);
      m->x = x;
      return;
    }
  }
}

/* What a Where adds: 0 where it keeps the scores. */
static tare_status write_mask(tarei_graph *const graph, fuse_softmax_match *const m,
                              tare_error *const err) {
  int in[3], zero, node;
  for (int i = 0; i < 3; i++) {
    in[i] = graph->nodes[m->where].in[i];
  }
  TAREI_TRY(tarei_add_helper(graph, in[0], "__mask", &m->mask, err));
  graph->values[m->mask].dtype = TARE_F32;
  zero = tarei_graph_add_const(graph, "zero", TARE_F32, 0, NULL, NULL);
  if (zero < 0) {
    return tarei_fail_memory(err, "zero", sizeof(float));
  }
  in[masks_out(graph, in[1]) ? 2 : 1] = zero;
  return tarei_add_node(graph, &tarei_op_where, graph->values[m->mask].name, 13, in, 3, m->mask,
                        &node, err);
}

static void take_scale(const tarei_graph *const graph, fuse_softmax_match *const m) {
  const tarei_node *const node = tarei_producer(graph, m->x);
  const bool div = node && node->op == &tarei_op_div, mul = node && node->op == &tarei_op_mul;
  float c = 0;
  int x = -1;
  if ((div || mul) && tarei_value_const_float(graph, node->in[1], &c)) {
    x = node->in[0];
  } else if (mul && tarei_value_const_float(graph, node->in[0], &c)) {
    x = node->in[1];
  }
  const float scale = div ? 1.0f / c : c;
  if (x >= 0 && isnormal(scale) && tarei_values_same_shape(graph, x, m->x) &&
      tarei_pattern_add(graph, &m->nodes, m->x)) {
    m->x = x;
    m->scale = scale;
  }
}

static tare_status fuse_softmax_at(tarei_graph *const graph, const int softmax, bool *const changed,
                                   tare_error *const err) {
  const int root = graph->nodes[softmax].out[0];
  fuse_softmax_match m = {.x = graph->nodes[softmax].in[0], .mask = -1, .where = -1, .scale = 1};
  if (!tarei_value_is_f32(graph, root) || !is_last_axis(graph, &graph->nodes[softmax]) ||
      !tarei_pattern_add(graph, &m.nodes, root)) {
    return TARE_OK;
  }
  take_mask(graph, &m);
  take_where(graph, &m);
  take_scale(graph, &m);
  if (m.nodes.n < 2 || !tarei_pattern_is_closed(graph, &m.nodes, root)) {
    return TARE_OK;
  }
  if (m.where >= 0) {
    TAREI_TRY(write_mask(graph, &m, err));
  }
  const int in[] = {m.x, m.mask};
  int node;
  TAREI_TRY(tarei_pattern_replace(graph, &m.nodes, root, &tarei_op_scaled_softmax, 1, in,
                                  m.mask < 0 ? 1 : 2, &node, err));
  *changed = true;
  return tarei_attr_set_float(&graph->nodes[node], "scale", m.scale)
             ? TARE_OK
             : tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
}

static tare_status fuse_softmax_run(tarei_graph *const graph,
                                    const tarei_pass_options *const options, bool *const changed,
                                    tare_error *const err) {
  (void)options;
  for (int i = 0; i < graph->n_nodes; i++) {
    if (graph->nodes[i].op == &tarei_op_softmax) {
      TAREI_TRY(fuse_softmax_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_softmax = {
    .name = "fuse_softmax",
    .summary = "takes a constant factor and a mask into the softmax behind them",
    .removes_tensors = true,
    .run = fuse_softmax_run,
};
