/* LinearRecurrence: a state S [dk, dv] for each sequence and head, which each step scales, corrects
 * and reads: S = S * decay; S += k (beta * (v - S^T k))^T with "delta", else k v^T; y = scale * S^T
 * q. Q [B, T, Hq*dk], K [B, T, Hk*dk], V [B, T, H*dv], [S0 [B, H, dk, dv]], [decay [B, T, H or
 * H*dk]], [beta [B, T, H or 1]]; Y [B, T, max(Hq, H)*dv], S. Heads that are fewer are shared by
 * neighbours. */
#include <inttypes.h>

#include "base/mem.h"
#include "graph/ops/ops_common.h"

enum { Q, K, V, STATE, DECAY, BETA };

typedef struct linear_recurrence {
  const tarei_graph *graph;
  const tarei_node *node;
  int64_t q_heads, heads, depth, width;
} linear_recurrence;

static int64_t linear_recurrence_last(const linear_recurrence *const l, const int i) {
  const tarei_value *const v = tarei_ops_in(l->graph, l->node, i);
  int64_t n;
  return tarei_expr_is_const(l->graph->exprs, v->dims[v->rank - 1], &n) ? n : -1;
}

static tare_status linear_recurrence_heads(linear_recurrence *const l, tare_error *const err) {
  l->q_heads = tarei_attr_int(l->node, "q_num_heads", 0);
  l->heads = tarei_attr_int(l->node, "kv_num_heads", 0);
  const int64_t q = linear_recurrence_last(l, Q), k = linear_recurrence_last(l, K),
                v = linear_recurrence_last(l, V);
  if (l->q_heads < 1 || l->heads < 1 || l->q_heads > INT32_MAX || l->heads > INT32_MAX ||
      (l->q_heads % l->heads && l->heads % l->q_heads)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "%" PRId64 " heads of queries and %" PRId64
                      " of keys and values: expected a multiple of each other",
                      l->q_heads, l->heads);
  }
  if (q < 1 || v < 1 || q % l->q_heads || v % l->heads) {
    return tarei_fail(err, TARE_E_MODEL,
                      "widths %" PRId64 " of queries and %" PRId64
                      " of values (-1: not constant) must be multiples of %" PRId64 " and %" PRId64
                      " heads",
                      q, v, l->q_heads, l->heads);
  }
  l->depth = q / l->q_heads;
  l->width = v / l->heads;
  int64_t all;
  if (!tarei_mul_i64(l->heads, l->depth, &all) || !tarei_mul_i64(l->q_heads, l->width, &all)) {
    return tarei_fail(err, TARE_E_LIMIT, "the heads have too many elements");
  }
  if (k < l->depth || k % l->depth || l->heads % (k / l->depth)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "width %" PRId64 " of keys (-1: not constant) must be that of %" PRId64
                      " heads of %" PRId64 ", or of a divisor of them",
                      k, l->heads, l->depth);
  }
  return TARE_OK;
}

/* Input i, if it is there, is [B, T, n or m]. */
static tare_status linear_recurrence_gate(const linear_recurrence *const l, const int i,
                                          const int64_t n, const int64_t m, tare_error *const err) {
  const tarei_value *const v = tarei_ops_in(l->graph, l->node, i);
  if (!v) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_rank(v, 3, 3, err));
  const int64_t last = linear_recurrence_last(l, i);
  return last == n || last == m
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "the last axis of '%s' has %" PRId64
                          " elements (-1: not constant), expected %" PRId64 " or %" PRId64,
                          v->name, last, n, m);
}

static tare_status linear_recurrence_unify(const linear_recurrence *const l,
                                           tarei_expr *const batch, tarei_expr *const steps,
                                           tare_error *const err) {
  static const int inputs[] = {Q, K, V, DECAY, BETA};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
    const tarei_value *const v = tarei_ops_in(l->graph, l->node, inputs[i]);
    if (v && (!tarei_ops_unify(l->graph, *batch, v->dims[0], batch) ||
              !tarei_ops_unify(l->graph, *steps, v->dims[1], steps))) {
      return tarei_fail(err, TARE_E_MODEL,
                        "'%s' has another number of sequences or steps than the queries", v->name);
    }
  }
  return TARE_OK;
}

static tare_status linear_recurrence_state(const linear_recurrence *const l,
                                           tarei_shape *const shape, tare_error *const err) {
  const tarei_value *const v = tarei_ops_in(l->graph, l->node, STATE);
  if (!v) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_rank(v, 4, 4, err));
  for (int d = 0; d < 4; d++) {
    if (!tarei_ops_unify(l->graph, shape->dims[d], v->dims[d], &shape->dims[d])) {
      char expected[128];
      return tarei_fail(err, TARE_E_MODEL, "the state '%s' does not have the shape %s", v->name,
                        tarei_ops_show(l->graph, shape, expected, sizeof expected));
    }
  }
  return TARE_OK;
}

static tare_status linear_recurrence_infer(tarei_graph *const graph, tarei_node *const node,
                                           tare_error *const err) {
  linear_recurrence l = {.graph = graph, .node = node};
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const q = tarei_ops_in(graph, node, Q);
  for (int i = 0; i < node->n_in; i++) {
    const tarei_value *const v = tarei_ops_in(graph, node, i);
    if (v) {
      TAREI_TRY(i < STATE ? tarei_ops_want_rank(v, 3, 3, err) : TARE_OK);
      TAREI_TRY(tarei_ops_want_same_dtype(v, q, err));
    }
  }
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(linear_recurrence_heads(&l, err));
  TAREI_TRY(linear_recurrence_gate(&l, DECAY, l.heads, l.heads * l.depth, err));
  TAREI_TRY(linear_recurrence_gate(&l, BETA, l.heads, 1, err));
  tarei_expr batch = q->dims[0], steps = q->dims[1];
  TAREI_TRY(linear_recurrence_unify(&l, &batch, &steps, err));
  const int64_t out = (l.q_heads > l.heads ? l.q_heads : l.heads) * l.width;
  tarei_exprs *const exprs = graph->exprs;
  const tarei_shape y = {3, {batch, steps, tarei_expr_const(exprs, out)}};
  tarei_shape state = {4,
                       {batch, tarei_expr_const(exprs, l.heads), tarei_expr_const(exprs, l.depth),
                        tarei_expr_const(exprs, l.width)}};
  TAREI_TRY(linear_recurrence_state(&l, &state, err));
  const tare_dtype dtype = q->dtype;
  TAREI_TRY(tarei_ops_give(graph, node, 0, dtype, &y, err));
  return tarei_ops_give(graph, node, 1, dtype, &state, err);
}

const tarei_op tarei_op_linear_recurrence = {
    .name = "LinearRecurrence",
    .domain = "tare",
    .stands_for = "LinearAttention",
    .min_in = 3,
    .max_in = 6,
    .min_out = 2,
    .max_out = 2,
    .infer = linear_recurrence_infer,
};
