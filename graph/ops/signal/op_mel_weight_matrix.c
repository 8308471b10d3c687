#include "graph/ir/type_name.h"
#include "graph/ops/ops_common.h"

/* A count as contents, or one that only the data tell. */
static tarei_expr mel_weight_matrix_count_of(const tarei_graph *const graph,
                                             const tarei_node *const node, const int i) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  return tarei_ops_contents(graph, node->in[i], contents) == 1 ? contents[0] : TAREI_EXPR_NONE;
}

static tare_status infer_mel_weight_matrix(tarei_graph *const graph, tarei_node *const node,
                                           tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 5, err));
  for (int i = 0; i < 5; i++) {
    TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, i), 0, 1, err));
  }
  const tarei_expr bins = mel_weight_matrix_count_of(graph, node, 0),
                   length = mel_weight_matrix_count_of(graph, node, 1);
  const int64_t dtype = tarei_attr_int(node, "output_datatype", TARE_F32);
  if (dtype != TARE_F32 && dtype != TARE_F64) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "element type %s is not supported",
                      tarei_type_name_of(dtype).text);
  }
  tarei_shape out = {.rank = 2};
  if (bins != TAREI_EXPR_NONE && length != TAREI_EXPR_NONE) {
    const tarei_expr two = tarei_expr_const(graph->exprs, 2);
    out.dims[0] = tarei_ops_plus(graph, tarei_expr_floordiv(graph->exprs, length, two), 1);
    out.dims[1] = bins;
  } else {
    out.dims[0] = tarei_ops_measured(graph, node, 0);
    out.dims[1] = tarei_ops_measured(graph, node, 1);
  }
  return tarei_ops_give(graph, node, 0, (tare_dtype)dtype, &out, err);
}

const tarei_op tarei_op_mel_weight_matrix = {
    .name = "MelWeightMatrix",
    .domain = "",
    .sign = TAREI_SIGN_NEVER,
    .min_in = 5,
    .max_in = 5,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_mel_weight_matrix,
};
