/* CumSum and CumProd along an axis that is an input. */
#include "graph/ops/ops_common.h"

typedef tarei_expr (*fold_fn)(tarei_exprs *pool, tarei_expr a, tarei_expr b);

/* Contents of vectors go through. */
static tare_status cumulate(tarei_graph *const graph, const tarei_node *const node,
                            const fold_fn fold, const int64_t first, tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], in);
  const bool exclusive = tarei_attr_int(node, "exclusive", 0) != 0;
  const bool reverse = tarei_attr_int(node, "reverse", 0) != 0;
  if (n < 0 || tarei_ops_in(graph, node, 0)->rank != 1) {
    return TARE_OK;
  }
  tarei_expr a = tarei_expr_const(graph->exprs, first);
  for (int k = 0; k < n; k++) {
    const int i = reverse ? n - 1 - k : k;
    const tarei_expr next = fold(graph->exprs, a, in[i]);
    out[i] = exclusive ? a : next;
    a = next;
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status cumulate_infer(tarei_graph *const graph, tarei_node *const node,
                                  const fold_fn fold, const int64_t first, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *const at =
                                                                 tarei_ops_in(graph, node, 1);
  if (at->dtype != TARE_I64 && at->dtype != TARE_I32) {
    return tarei_fail(err, TARE_E_MODEL, "axis '%s' is %s, expected int64 or int32", at->name,
                      tare_dtype_name(at->dtype));
  }
  tarei_expr given;
  int64_t number;
  int axis = 0;
  TAREI_TRY(tarei_ops_one(graph, node, 1, &given, err));
  if (tarei_expr_is_const(graph->exprs, given, &number)) {
    TAREI_TRY(tarei_ops_axis(number, x->rank, &axis, err));
  }
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return cumulate(graph, node, fold, first, err);
}

static tare_status infer_cum_prod(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  return cumulate_infer(graph, node, tarei_expr_mul, 1, err);
}

static tare_status infer_cum_sum(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  return cumulate_infer(graph, node, tarei_expr_add, 0, err);
}

#define CUMULATE(id, onnx_name)    \
  const tarei_op tarei_op_##id = { \
      .name = onnx_name,           \
      .domain = "",                \
      .sign = TAREI_SIGN_FIRST,    \
      .min_in = 2,                 \
      .max_in = 2,                 \
      .min_out = 1,                \
      .max_out = 1,                \
      .infer = infer_##id,         \
  }

CUMULATE(cum_prod, "CumProd");
CUMULATE(cum_sum, "CumSum");
