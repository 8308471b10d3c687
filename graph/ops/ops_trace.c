#include <math.h>

#include "graph/ops/ops_common.h"

#define MAX_TRACE_DEPTH 12

static tarei_expr trace(const tarei_graph *graph, int value, int depth);

static tarei_expr trace_constant(const tarei_graph *const graph, const int value) {
  float f;
  if (!tarei_value_const_float(graph, value, &f) || !(fabsf(f) < 16777216.0f) || f != floorf(f)) {
    return TAREI_EXPR_NONE;
  }
  return tarei_expr_const(graph->exprs, (int64_t)f);
}

typedef tarei_expr (*build_fn)(tarei_exprs *pool, tarei_expr a, tarei_expr b);

static tarei_expr trace_two(const tarei_graph *const graph, const tarei_node *const node,
                            const build_fn build, const int depth) {
  const tarei_expr a = trace(graph, node->in[0], depth + 1);
  const tarei_expr b = trace(graph, node->in[1], depth + 1);
  return build(graph->exprs, a, b);
}

/* Floor and Ceil of a quotient are integers again; of anything else that is traced, they do
 * nothing. */
static tarei_expr trace_rounded(const tarei_graph *const graph, const int value,
                                const build_fn divide, const int depth) {
  const int producer = graph->values[value].producer;
  if (producer >= 0 && graph->nodes[producer].op == &tarei_op_div) {
    return trace_two(graph, &graph->nodes[producer], divide, depth);
  }
  return trace(graph, value, depth);
}

static tarei_expr trace_node(const tarei_graph *const graph, const tarei_node *const node,
                             const int depth) {
  static const struct {
    const tarei_op *op;
    build_fn build;
  } arithmetic[] = {
      {&tarei_op_add, tarei_expr_add},
      {&tarei_op_mul, tarei_expr_mul},
      {&tarei_op_sub, tarei_expr_sub},
  };
  for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
    if (node->op == arithmetic[i].op) {
      return trace_two(graph, node, arithmetic[i].build, depth);
    }
  }
  if (node->op == &tarei_op_floor || node->op == &tarei_op_ceil) {
    return trace_rounded(graph, node->in[0],
                         node->op == &tarei_op_ceil ? tarei_expr_ceildiv : tarei_expr_floordiv,
                         depth + 1);
  }
  const bool passes = node->op == &tarei_op_cast || node->op == &tarei_op_identity ||
                      node->op == &tarei_op_squeeze || node->op == &tarei_op_unsqueeze ||
                      node->op == &tarei_op_reshape;
  return passes ? trace(graph, node->in[0], depth + 1) : TAREI_EXPR_NONE;
}

static tarei_expr trace(const tarei_graph *const graph, const int index, const int depth) {
  if (index < 0 || depth > MAX_TRACE_DEPTH) {
    return TAREI_EXPR_NONE;
  }
  const tarei_value *const value = &graph->values[index];
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = value->rank >= 0 ? tarei_ops_contents(graph, index, contents) : -1;
  if (n >= 0) {
    return n == 1 ? contents[0] : TAREI_EXPR_NONE;
  }
  if (value->data) {
    return trace_constant(graph, index);
  }
  if (value->producer < 0 || !tarei_ops_is_float(value->dtype)) {
    return TAREI_EXPR_NONE;
  }
  return trace_node(graph, &graph->nodes[value->producer], depth);
}

tarei_expr tarei_ops_trace(const tarei_graph *const graph, const int value) {
  return trace(graph, value, 0);
}

tarei_expr tarei_ops_trace_truncated(const tarei_graph *const graph, const int value) {
  const int producer = graph->values[value].producer;
  if (producer < 0 || graph->nodes[producer].op != &tarei_op_div) {
    return trace(graph, value, 0);
  }
  const tarei_node *const node = &graph->nodes[producer];
  const tarei_expr a = trace(graph, node->in[0], 1);
  const tarei_expr b = trace(graph, node->in[1], 1);
  const bool toward_zero_is_down =
      tarei_ops_at_least(graph, a, 0) && tarei_ops_at_least(graph, b, 1);
  return toward_zero_is_down ? tarei_expr_floordiv(graph->exprs, a, b) : TAREI_EXPR_NONE;
}
