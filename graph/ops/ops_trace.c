#include <math.h>

#include "graph/ops/ops_common.h"

#define MAX_TRACE_STEPS 256 /* far beyond what exporters write */
#define MAX_DIVISOR 4096    /* of a constant: products with lengths are exact in float */

/* A float as a quotient of lengths: floats that exporters compute lengths with are rational. */
typedef struct ops_trace_fraction {
  tarei_expr over, under;
} ops_trace_fraction;

typedef ops_trace_fraction (*fraction_fn)(tarei_exprs *pool, ops_trace_fraction a,
                                          ops_trace_fraction b);

/* A walk from a value back to lengths. A value that is read twice is traced twice. */
typedef struct ops_trace_walk {
  const tarei_graph *graph;
  int left; /* steps */
} ops_trace_walk;

static int trace(ops_trace_walk *walk, int index, ops_trace_fraction *out);

static ops_trace_fraction whole(tarei_exprs *const pool, const tarei_expr e) {
  return (ops_trace_fraction){e, tarei_expr_const(pool, 1)};
}

static ops_trace_fraction add_multiple(tarei_exprs *const pool, const ops_trace_fraction a,
                                       const ops_trace_fraction b, const int64_t factor) {
  const tarei_expr scaled = tarei_expr_mul(pool, b.over, tarei_expr_const(pool, factor));
  if (a.under == b.under) {
    return (ops_trace_fraction){tarei_expr_add(pool, a.over, scaled), a.under};
  }
  return (ops_trace_fraction){tarei_expr_add(pool, tarei_expr_mul(pool, a.over, b.under),
                                             tarei_expr_mul(pool, scaled, a.under)),
                              tarei_expr_mul(pool, a.under, b.under)};
}

static ops_trace_fraction ops_trace_add(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return add_multiple(pool, a, b, 1);
}

static ops_trace_fraction ops_trace_sub(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return add_multiple(pool, a, b, -1);
}

static ops_trace_fraction ops_trace_mul(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return (ops_trace_fraction){tarei_expr_mul(pool, a.over, b.over),
                              tarei_expr_mul(pool, a.under, b.under)};
}

static ops_trace_fraction ops_trace_div(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return (ops_trace_fraction){tarei_expr_mul(pool, a.over, b.under),
                              tarei_expr_mul(pool, a.under, b.over)};
}

/* Of quotients by the same number, which must be positive. */
static ops_trace_fraction select_one(tarei_exprs *const pool, const ops_trace_fraction a,
                                     const ops_trace_fraction b, const bool greater) {
  int64_t under;
  if (a.under != b.under || !tarei_expr_is_const(pool, a.under, &under) || under < 1) {
    return (ops_trace_fraction){TAREI_EXPR_NONE, TAREI_EXPR_NONE};
  }
  return (ops_trace_fraction){
      greater ? tarei_expr_max(pool, a.over, b.over) : tarei_expr_min(pool, a.over, b.over),
      a.under};
}

static ops_trace_fraction ops_trace_max(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return select_one(pool, a, b, true);
}

static ops_trace_fraction ops_trace_min(tarei_exprs *const pool, const ops_trace_fraction a,
                                        const ops_trace_fraction b) {
  return select_one(pool, a, b, false);
}

/* x = n / 2^k, where that is small enough for floats to multiply lengths without rounding. */
static ops_trace_fraction constant(tarei_exprs *const pool, const float x) {
  float over = x;
  int64_t under = 1;
  while (under < MAX_DIVISOR && over != floorf(over)) {
    over *= 2;
    under *= 2;
  }
  const float most = under == 1 ? 16777216.0f : (float)MAX_DIVISOR; /* 2^24: all are exact */
  if (!(fabsf(over) < most) || over != floorf(over)) {
    return whole(pool, TAREI_EXPR_NONE);
  }
  return (ops_trace_fraction){tarei_expr_const(pool, (int64_t)over), tarei_expr_const(pool, under)};
}

static int trace_constant(const tarei_graph *const graph, const int index, const int n,
                          ops_trace_fraction *const out) {
  const tare_tensor tensor = tarei_value_tensor(graph, index);
  float one;
  const bool scalar = tarei_value_const_float(graph, index, &one);
  if (!scalar && tensor.dtype != TARE_F32) {
    return -1;
  }
  for (int i = 0; i < n; i++) {
    out[i] = constant(graph->exprs, scalar ? one : ((const float *)tensor.data)[i]);
  }
  return n;
}

static int trace_two(ops_trace_walk *const walk, const tarei_node *const node,
                     const fraction_fn build, ops_trace_fraction *const out) {
  const tarei_graph *const graph = walk->graph;
  const tarei_value *const to = &graph->values[node->out[0]];
  ops_trace_fraction a[TAREI_MAX_CONTENTS], b[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_count(graph, to);
  if (n < 0 || node->n_in != 2 || trace(walk, node->in[0], a) < 0 ||
      trace(walk, node->in[1], b) < 0) {
    return -1;
  }
  for (int i = 0; i < n; i++) {
    out[i] = build(graph->exprs, a[tarei_ops_element(graph, tarei_ops_in(graph, node, 0), to, i)],
                   b[tarei_ops_element(graph, tarei_ops_in(graph, node, 1), to, i)]);
  }
  return n;
}

/* Makes integers of what is traced by a division that rounds. */
static int ops_trace_round(ops_trace_walk *const walk, const int index,
                           tarei_expr (*const divide)(tarei_exprs *, tarei_expr, tarei_expr),
                           ops_trace_fraction *const out) {
  tarei_exprs *const pool = walk->graph->exprs;
  const int n = trace(walk, index, out);
  for (int i = 0; i < n; i++) {
    out[i] = whole(pool, divide(pool, out[i].over, out[i].under));
  }
  return n;
}

static int trace_node(ops_trace_walk *const walk, const tarei_node *const node,
                      ops_trace_fraction *const out) {
  static const struct {
    const tarei_op *op;
    fraction_fn build;
  } arithmetic[] = {
      {&tarei_op_add, ops_trace_add}, {&tarei_op_div, ops_trace_div},
      {&tarei_op_max, ops_trace_max}, {&tarei_op_min, ops_trace_min},
      {&tarei_op_mul, ops_trace_mul}, {&tarei_op_sub, ops_trace_sub},
  };
  for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
    if (node->op == arithmetic[i].op) {
      return trace_two(walk, node, arithmetic[i].build, out);
    }
  }
  if (node->op == &tarei_op_floor || node->op == &tarei_op_ceil) {
    return ops_trace_round(walk, node->in[0],
                           node->op == &tarei_op_ceil ? tarei_expr_ceildiv : tarei_expr_floordiv,
                           out);
  }
  const bool passes = node->op == &tarei_op_cast || node->op == &tarei_op_identity ||
                      node->op == &tarei_op_squeeze || node->op == &tarei_op_unsqueeze ||
                      node->op == &tarei_op_reshape;
  return passes ? trace(walk, node->in[0], out) : -1;
}

static int trace_integers(const tarei_graph *const graph, const int index,
                          ops_trace_fraction *const out) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, index, contents);
  for (int i = 0; i < n; i++) {
    out[i] = whole(graph->exprs, contents[i]);
  }
  return n;
}

static int trace(ops_trace_walk *const walk, const int index, ops_trace_fraction *const out) {
  const tarei_graph *const graph = walk->graph;
  if (walk->left-- <= 0 || graph->values[index].rank < 0) {
    return -1;
  }
  const tarei_value *const value = &graph->values[index];
  const int n = tarei_ops_count(graph, value);
  if (n < 0 || !tarei_is_float(value->dtype)) {
    return trace_integers(graph, index, out);
  }
  if (value->data) {
    return trace_constant(graph, index, n, out);
  }
  return value->producer < 0 ? -1 : trace_node(walk, &graph->nodes[value->producer], out);
}

/* A quotient without a rest, or NONE. */
static tarei_expr divide_exactly(tarei_exprs *const pool, const tarei_expr a, const tarei_expr b) {
  int64_t rest;
  const bool exact = tarei_expr_is_const(pool, tarei_expr_mod(pool, a, b), &rest) && rest == 0;
  return exact ? tarei_expr_floordiv(pool, a, b) : TAREI_EXPR_NONE;
}

static int trace_expressions(const tarei_graph *const graph, const int value,
                             tarei_expr (*const divide)(tarei_exprs *, tarei_expr, tarei_expr),
                             tarei_expr *const out) {
  ops_trace_fraction fractions[TAREI_MAX_CONTENTS];
  ops_trace_walk walk = {graph, MAX_TRACE_STEPS};
  const int n = ops_trace_round(&walk, value, divide, fractions);
  for (int i = 0; i < n; i++) {
    out[i] = fractions[i].over;
  }
  return n;
}

int tarei_ops_trace(const tarei_graph *const graph, const int value, tarei_expr *const out) {
  return trace_expressions(graph, value, divide_exactly, out);
}

int tarei_ops_trace_truncated(const tarei_graph *const graph, const int value,
                              tarei_expr *const out) {
  return trace_expressions(graph, value, tarei_expr_trunc, out);
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
