#include <math.h>

#include "graph/ops/ops_common.h"

#define MAX_TRACE_DEPTH 12

typedef tarei_expr (*build_fn)(tarei_exprs *pool, tarei_expr a, tarei_expr b);

static int trace(const tarei_graph *graph, int index, int depth, tarei_expr *out);

static int trace_constant(const tarei_graph *const graph, const int index, const int n,
                          tarei_expr *const out) {
  const tare_tensor tensor = tarei_value_tensor(graph, index);
  float one;
  const bool scalar = tarei_value_const_float(graph, index, &one);
  if (!scalar && tensor.dtype != TARE_F32) {
    return -1;
  }
  for (int i = 0; i < n; i++) {
    const float x = scalar ? one : ((const float *)tensor.data)[i];
    const bool integer = fabsf(x) < 16777216.0f && x == floorf(x); /* 2^24: all are exact */
    out[i] = integer ? tarei_expr_const(graph->exprs, (int64_t)x) : TAREI_EXPR_NONE;
  }
  return n;
}

static int trace_two(const tarei_graph *const graph, const tarei_node *const node,
                     const build_fn build, const int depth, tarei_expr *const out) {
  const tarei_value *const to = &graph->values[node->out[0]];
  tarei_expr a[TAREI_MAX_CONTENTS], b[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_count(graph, to);
  if (n < 0 || node->n_in != 2 || trace(graph, node->in[0], depth + 1, a) < 0 ||
      trace(graph, node->in[1], depth + 1, b) < 0) {
    return -1;
  }
  for (int i = 0; i < n; i++) {
    out[i] = build(graph->exprs, a[tarei_ops_element(graph, tarei_ops_in(graph, node, 0), to, i)],
                   b[tarei_ops_element(graph, tarei_ops_in(graph, node, 1), to, i)]);
  }
  return n;
}

/* Floor and Ceil of a quotient are integers again; on anything else that is traced they do
 * nothing. */
static int trace_rounded(const tarei_graph *const graph, const int index, const build_fn divide,
                         const int depth, tarei_expr *const out) {
  const int producer = graph->values[index].producer;
  if (producer >= 0 && graph->nodes[producer].op == &tarei_op_div) {
    return trace_two(graph, &graph->nodes[producer], divide, depth, out);
  }
  return trace(graph, index, depth, out);
}

static int trace_node(const tarei_graph *const graph, const tarei_node *const node, const int depth,
                      tarei_expr *const out) {
  static const struct {
    const tarei_op *op;
    build_fn build;
  } arithmetic[] = {
      {&tarei_op_add, tarei_expr_add}, {&tarei_op_max, tarei_expr_max},
      {&tarei_op_min, tarei_expr_min}, {&tarei_op_mul, tarei_expr_mul},
      {&tarei_op_sub, tarei_expr_sub},
  };
  for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
    if (node->op == arithmetic[i].op) {
      return trace_two(graph, node, arithmetic[i].build, depth, out);
    }
  }
  if (node->op == &tarei_op_floor || node->op == &tarei_op_ceil) {
    return trace_rounded(graph, node->in[0],
                         node->op == &tarei_op_ceil ? tarei_expr_ceildiv : tarei_expr_floordiv,
                         depth + 1, out);
  }
  const bool passes = node->op == &tarei_op_cast || node->op == &tarei_op_identity ||
                      node->op == &tarei_op_squeeze || node->op == &tarei_op_unsqueeze ||
                      node->op == &tarei_op_reshape;
  return passes ? trace(graph, node->in[0], depth + 1, out) : -1;
}

static int trace(const tarei_graph *const graph, const int index, const int depth,
                 tarei_expr *const out) {
  if (depth > MAX_TRACE_DEPTH || graph->values[index].rank < 0) {
    return -1;
  }
  const tarei_value *const value = &graph->values[index];
  const int n = tarei_ops_count(graph, value);
  if (n < 0 || !tarei_is_float(value->dtype)) {
    return tarei_ops_contents(graph, index, out);
  }
  if (value->data) {
    return trace_constant(graph, index, n, out);
  }
  return value->producer < 0 ? -1 : trace_node(graph, &graph->nodes[value->producer], depth, out);
}

int tarei_ops_trace(const tarei_graph *const graph, const int value, tarei_expr *const out) {
  return trace(graph, value, 0, out);
}

/* Toward zero is down where nothing is negative. */
static tarei_expr divide_positive(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  const tarei_expr zero = tarei_expr_const(pool, 0), one = tarei_expr_const(pool, 1);
  const bool positive = tarei_expr_max(pool, a, zero) == a && tarei_expr_max(pool, b, one) == b;
  return positive ? tarei_expr_floordiv(pool, a, b) : TAREI_EXPR_NONE;
}

int tarei_ops_trace_truncated(const tarei_graph *const graph, const int value,
                              tarei_expr *const out) {
  return trace_rounded(graph, value, divide_positive, 0, out);
}

tare_status tarei_ops_one(const tarei_graph *const graph, const tarei_node *const node, const int i,
                          tarei_expr *const out, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, i);
  tarei_expr contents[TAREI_MAX_CONTENTS];
  TAREI_TRY(tarei_ops_want_rank(value, 0, 1, err)); /* some exporters write one element */
  if (value->rank == 1) {
    TAREI_TRY(tarei_ops_want_vector(graph, value, tarei_expr_const(graph->exprs, 1), err));
  }
  *out = tarei_ops_trace(graph, node->in[i], contents) == 1 ? contents[0] : TAREI_EXPR_NONE;
  return TARE_OK;
}
