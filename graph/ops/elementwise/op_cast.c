#include "graph/ir/type_name.h"
#include "graph/ops/ops_common.h"

/* Contents of the output. Integers pass; a bool is known where its number is; floats are
 * followed through the arithmetic that made them. */
static int convert(const tarei_graph *const graph, const tarei_node *const node,
                   const tare_dtype from, const tare_dtype to, tarei_expr *const contents) {
  if (tarei_is_float(from)) {
    return to == TARE_BOOL ? -1 : tarei_ops_trace_truncated(graph, node->in[0], contents);
  }
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  for (int i = 0; to == TARE_BOOL && i < n; i++) {
    tarei_exprs *const pool = graph->exprs;
    const tarei_expr negated = tarei_expr_sub(pool, tarei_expr_const(pool, 0), contents[i]);
    contents[i] =
        tarei_expr_min(pool, tarei_expr_max(pool, contents[i], negated), tarei_expr_const(pool, 1));
  }
  return n;
}

static tare_status infer_cast(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t to = tarei_attr_int(node, "to", 0);
  if (to < 0 || to > INT32_MAX || tare_dtype_size((tare_dtype)to) == 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "casts to unsupported ONNX type %s",
                      tarei_type_name_of(to).text);
  }
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, (tare_dtype)to, &shape, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = convert(graph, node, x->dtype, (tare_dtype)to, contents);
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

const tarei_op tarei_op_cast = {
    .name = "Cast",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .elementwise = true,
    .infer = infer_cast,
};
