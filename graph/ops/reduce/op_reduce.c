/* Reductions over axes, given as attribute (before opset 18; ReduceSum before 13) or as input. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* How contents go through, where they do. */
typedef struct contents_rule {
  tarei_expr (*fold)(const tarei_graph *graph, tarei_expr a, tarei_expr b); /* NULL: not at all */
  bool has_first; /* of nothing at all there is a result */
  int64_t first;
} contents_rule;

/* No axes means all axes, unless noop_with_empty_axes says none. */
static tare_status reduce_read_axes(const tarei_graph *const graph, const tarei_node *const node,
                                    const int rank, tarei_axes *const axes, tare_error *const err) {
  TAREI_TRY(tarei_ops_axes(graph, node, 1, rank, axes, err));
  if (axes->n > 0 || tarei_attr_int(node, "noop_with_empty_axes", 0) != 0) {
    return TARE_OK;
  }
  axes->n = rank;
  for (int i = 0; i < rank; i++) {
    axes->at[i] = i;
    axes->set[i] = true;
  }
  return TARE_OK;
}

/* Element `flat` of the output that element `flat` of x goes to; axes of an output of kept dims. */
static int target_of(const tarei_graph *const graph, const tarei_value *const x,
                     const tarei_axes *const axes, int flat) {
  int at = 0, step = 1;
  for (int i = x->rank - 1; i >= 0; i--) {
    int64_t n = 1;
    (void)tarei_expr_is_const(graph->exprs, x->dims[i], &n); /* the count is known: it is */
    at += axes->set[i] ? 0 : step * (int)(flat % n);
    step *= axes->set[i] ? 1 : (int)n;
    flat /= (int)n;
  }
  return at;
}

static tare_status reduce_fold_contents(tarei_graph *const graph, const tarei_node *const node,
                                        const tarei_axes *const axes,
                                        const contents_rule *const rule, tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], in);
  const tarei_value *const y = node->out[0] < 0 ? NULL : &graph->values[node->out[0]];
  const int n_out = y ? tarei_ops_count(graph, y) : -1;
  if (n < 0 || n_out < 0 || (n == 0 && !rule->has_first)) {
    return TARE_OK;
  }
  bool begun[TAREI_MAX_CONTENTS] = {0};
  for (int i = 0; i < n_out; i++) {
    out[i] = rule->has_first ? tarei_expr_const(graph->exprs, rule->first) : TAREI_EXPR_NONE;
  }
  for (int i = 0; i < n; i++) {
    const int at = target_of(graph, tarei_ops_in(graph, node, 0), axes, i);
    out[at] = begun[at] ? rule->fold(graph, out[at], in[i]) : in[i];
    begun[at] = true;
  }
  return tarei_ops_give_contents(graph, node, 0, out, n_out, err);
}

/* Axes that a run brings: every dim of the output is measured. The rank is known where dims are
 * kept, or where it is known how many axes there are. */
static tare_status infer_measured(tarei_graph *const graph, const tarei_node *const node,
                                  tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *const axes =
                                                                 tarei_ops_in(graph, node, 1);
  tarei_shape out = {.rank = x->rank};
  int64_t n = 0;
  TAREI_TRY(tarei_ops_want_rank(axes, 0, 1, err));
  if (tarei_attr_int(node, "keepdims", 1) == 0) {
    n = 1;
    if (axes->rank == 1 && !tarei_expr_is_const(graph->exprs, axes->dims[0], &n)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "the rank of the output depends on the number of axes in '%s' at run time",
                        axes->name);
    }
    if (n > x->rank) {
      return tarei_fail(err, TARE_E_MODEL, "has %" PRId64 " axes for an input of rank %d", n,
                        x->rank);
    }
  }
  out.rank -= (int)n;
  for (int i = 0; i < out.rank; i++) {
    out.dims[i] = tarei_ops_measured(graph, node, i);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

/* Whether there are axes that only a run tells. An empty list is no such. */
static bool axes_come_late(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_value *const axes = tarei_ops_in(graph, node, 1);
  int64_t ints[TAREI_MAX_CONTENTS];
  int n;
  return axes && tarei_ops_count(graph, axes) != 0 &&
         !tarei_value_ints(graph, node->in[1], ints, TAREI_MAX_CONTENTS, &n);
}

static tare_status infer_reduce(tarei_graph *const graph, tarei_node *const node,
                                const contents_rule *const rule, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  if (axes_come_late(graph, node)) {
    return infer_measured(graph, node, err);
  }
  const bool keep = tarei_attr_int(node, "keepdims", 1) != 0;
  tarei_axes axes = {0};
  TAREI_TRY(reduce_read_axes(graph, node, x->rank, &axes, err));
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    if (!axes.set[i]) {
      out.dims[out.rank++] = x->dims[i];
    } else if (keep) {
      out.dims[out.rank++] = tarei_expr_const(graph->exprs, 1);
    }
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return rule->fold ? reduce_fold_contents(graph, node, &axes, rule, err) : TARE_OK;
}

static tarei_expr reduce_add(const tarei_graph *const graph, const tarei_expr a,
                             const tarei_expr b) {
  return tarei_expr_add(graph->exprs, a, b);
}

static tarei_expr reduce_mul(const tarei_graph *const graph, const tarei_expr a,
                             const tarei_expr b) {
  return tarei_expr_mul(graph->exprs, a, b);
}

static tarei_expr max(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_max(graph->exprs, a, b);
}

static tarei_expr min(const tarei_graph *const graph, const tarei_expr a, const tarei_expr b) {
  return tarei_expr_min(graph->exprs, a, b);
}

static int count_reduced(tarei_graph *const graph, const tarei_node *const node) {
  return tarei_attr_int(node, "noop_with_empty_axes", 0) ? -1 : graph->values[node->in[0]].rank;
}

static const tarei_named_axes reduced_axes = {.input = 1, .reduces = true, .count = count_reduced};

#define REDUCE(id, onnx_name, evens_out, grows, signed_as, ...)                   \
  static tare_status infer_##id(tarei_graph *const graph, tarei_node *const node, \
                                tare_error *const err) {                          \
    static const contents_rule rule = {__VA_ARGS__};                              \
    return infer_reduce(graph, node, &rule, err);                                 \
  }                                                                               \
  const tarei_op tarei_op_##id = {                                                \
      .name = onnx_name,                                                          \
      .domain = "",                                                               \
      .min_in = 1,                                                                \
      .max_in = 2,                                                                \
      .min_out = 1,                                                               \
      .max_out = 1,                                                               \
      .averages = evens_out,                                                      \
      .growth = TAREI_GROWTH_##grows,                                             \
      .sign = TAREI_SIGN_##signed_as,                                             \
      .axes = &reduced_axes,                                                      \
      .infer = infer_##id,                                                        \
  }

REDUCE(reduce_l1, "ReduceL1", false, LINEAR, NEVER, NULL);
REDUCE(reduce_l2, "ReduceL2", false, LINEAR, NEVER, NULL);
REDUCE(reduce_log_sum, "ReduceLogSum", false, LOG, ANY, NULL);
REDUCE(reduce_log_sum_exp, "ReduceLogSumExp", false, LINEAR, ANY, NULL);
REDUCE(reduce_max, "ReduceMax", true, LINEAR, FIRST, max);
REDUCE(reduce_mean, "ReduceMean", true, LINEAR, FIRST, NULL);
REDUCE(reduce_min, "ReduceMin", false, LINEAR, FIRST, min);
REDUCE(reduce_prod, "ReduceProd", false, LINEAR, FIRST, reduce_mul, true, 1);
REDUCE(reduce_sum, "ReduceSum", false, LINEAR, FIRST, reduce_add, true, 0);
REDUCE(reduce_sum_square, "ReduceSumSquare", false, SQUARE, NEVER, NULL);
