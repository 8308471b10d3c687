#include <inttypes.h>

#include "graph/ops/ops_common.h"
#include "graph/passes/dims_attr.h"

/* The target while it is resolved: one dim at most may follow from the number of elements. */
typedef struct reshape_target {
  tarei_shape shape;
  int inferred; /* -1: none */
  int measured; /* dims that only a run tells */
} reshape_target;

static tare_status infer_here(reshape_target *const t, const int i, tare_error *const err) {
  if (t->inferred >= 0) {
    return tarei_fail(err, TARE_E_MODEL, "target shape has -1 more than once");
  }
  t->inferred = i;
  return TARE_OK;
}

static tare_status reshape_read_entry(const tarei_graph *const graph, const tarei_node *const node,
                                      const tarei_expr entry, const int i, reshape_target *const t,
                                      tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int64_t n = 1;
  const bool known = tarei_expr_is_const(graph->exprs, entry, &n);
  if (entry == TAREI_EXPR_NONE) {
    t->shape.dims[i] = entry;
    t->measured++;
    return TARE_OK;
  }
  if (known && n == -1) {
    return infer_here(t, i, err);
  }
  if (n < 0) {
    return tarei_fail(err, TARE_E_MODEL, "target shape has %" PRId64 " at %d, expected -1 or more",
                      n, i);
  }
  if (n > 0 || tarei_attr_int(node, "allowzero", 0) != 0) {
    t->shape.dims[i] = entry;
    return TARE_OK;
  }
  if (i >= x->rank) {
    return tarei_fail(err, TARE_E_MODEL, "target shape has 0 at %d, but input '%s' has rank %d", i,
                      x->name, x->rank);
  }
  t->shape.dims[i] = x->dims[i];
  return TARE_OK;
}

/* One entry that is not known stands for the rest as -1 does: the elements leave no other choice.
 * Of several each is measured, and so is the rest. */
static void reshape_settle_unknown(const tarei_graph *const graph, const tarei_node *const node,
                                   reshape_target *const t) {
  const bool single = t->measured == 1 && t->inferred < 0;
  int next = 0;
  for (int i = 0; i < t->shape.rank && t->measured > 0; i++) {
    if (t->shape.dims[i] == TAREI_EXPR_NONE || i == t->inferred) {
      t->shape.dims[i] = single ? TAREI_EXPR_NONE : tarei_ops_measured(graph, node, next++);
      t->inferred = single ? i : t->inferred;
    }
  }
  t->measured = next;
  t->inferred = next ? -1 : t->inferred;
}

static tare_status read_target(const tarei_graph *const graph, const tarei_node *const node,
                               reshape_target *const t, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, 1);
  tarei_expr contents[TAREI_MAX_CONTENTS];
  TAREI_TRY(tarei_ops_want_rank(value, 1, 1, err));
  const int n = tarei_ops_contents(graph, node->in[1], contents);
  if (n < 0) {
    return tarei_ops_fail_data(value, err);
  }
  if (n > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "output has rank %d, the limit is %d", n,
                      TARE_MAX_RANK);
  }
  *t = (reshape_target){.shape.rank = n, .inferred = -1};
  for (int i = 0; i < n; i++) {
    TAREI_TRY(reshape_read_entry(graph, node, contents[i], i, t, err));
  }
  reshape_settle_unknown(graph, node, t);
  return TARE_OK;
}

/* Product of the dims whose `left` is set. */
static tarei_expr product_of(const tarei_graph *const graph, const tarei_shape *const shape,
                             const bool *const left) {
  tarei_expr product = tarei_expr_const(graph->exprs, 1);
  for (int i = 0; i < shape->rank; i++) {
    product = left[i] ? tarei_expr_mul(graph->exprs, product, shape->dims[i]) : product;
  }
  return product;
}

static tare_status fail_count(const tarei_graph *const graph, const tarei_shape *const in,
                              const reshape_target *const t, tare_error *const err) {
  tarei_shape wanted = t->shape;
  if (t->inferred >= 0) {
    wanted.dims[t->inferred] = tarei_expr_const(graph->exprs, -1);
  }
  char x[256], y[256];
  return tarei_fail(err, TARE_E_MODEL, "cannot reshape %s to %s",
                    tarei_ops_show(graph, in, x, sizeof x),
                    tarei_ops_show(graph, &wanted, y, sizeof y));
}

/* The inferred dim is the quotient of both products. Equal dims are cancelled first: sums such as
 * (samples + 2) / 5 + 1 would not come out of an expanded product again. */
static tare_status reshape_divide(const tarei_graph *const graph, const tarei_shape *const in,
                                  reshape_target *const t, tare_error *const err) {
  bool in_left[TARE_MAX_RANK], out_left[TARE_MAX_RANK];
  for (int i = 0; i < TARE_MAX_RANK; i++) {
    in_left[i] = i < in->rank;
    out_left[i] = i < t->shape.rank && i != t->inferred;
  }
  for (int k = 0; k < t->shape.rank; k++) {
    for (int i = 0; out_left[k] && i < in->rank; i++) {
      int64_t n = 1;
      const bool zero = tarei_expr_is_const(graph->exprs, in->dims[i], &n) && n == 0;
      if (in_left[i] && !zero && in->dims[i] == t->shape.dims[k]) {
        in_left[i] = out_left[k] = false;
      }
    }
  }
  const tarei_expr whole = product_of(graph, in, in_left);
  const tarei_expr part = product_of(graph, &t->shape, out_left);
  int64_t a, b = 1;
  const bool part_known = tarei_expr_is_const(graph->exprs, part, &b);
  if (b == 0 || (part_known && tarei_expr_is_const(graph->exprs, whole, &a) && a % b != 0)) {
    return fail_count(graph, in, t, err);
  }
  t->shape.dims[t->inferred] = tarei_expr_floordiv(graph->exprs, whole, part);
  return TARE_OK;
}

static tare_status infer_reshape(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_shape in = tarei_ops_shape(x);
  reshape_target t = {.inferred = -1};
  TAREI_TRY(tarei_ops_in(graph, node, 1)
                ? read_target(graph, node, &t, err)
                : tarei_dims_from_attr(graph, node, t.shape.dims, &t.shape.rank, err));
  if (t.inferred >= 0) {
    TAREI_TRY(reshape_divide(graph, &in, &t, err));
  } else if (!t.measured && tarei_ops_differ(graph, tarei_ops_product(graph, &in, 0, in.rank),
                                             tarei_ops_product(graph, &t.shape, 0, t.shape.rank))) {
    return fail_count(graph, &in, &t, err);
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &t.shape, err));
  return tarei_ops_pass_contents(graph, node, err);
}

const tarei_op tarei_op_reshape = {
    .name = "Reshape",
    .domain = "",
    .min_in = 1,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .movement = true,
    .reshapes = true,
    .infer = infer_reshape,
};
