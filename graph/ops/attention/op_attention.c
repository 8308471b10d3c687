/* softmax(Q . K^T * scale + mask) . V for heads that lie beside one another: Q [B, S, H*d],
 * K [B, T, H*d], V [B, T, H*dv] give [B, S, H*dv]; the mask is broadcast to [B, H, S, T]. Bytes of
 * Q and K may have a scale for each row of a head, [B, S, H] and [B, T, H]. */
#include "graph/ops/ops_common.h"

static tare_status want_row_scales(const tarei_graph *const graph, const tarei_node *const node,
                                   const int i, const bool wanted, tare_error *const err) {
  const tarei_value *const scales = tarei_ops_in(graph, node, TAREI_INT8_ROW_SCALES + i);
  const char *const name = tarei_ops_in(graph, node, i)->name;
  if (!scales && !wanted) {
    return TARE_OK;
  }
  if (!scales || !wanted) {
    return tarei_fail(err, TARE_E_MODEL, "%s scales of the rows of '%s', expected %s",
                      scales ? "has" : "lacks", name, wanted ? "them" : "none");
  }
  return tarei_ops_want_dtype(scales, TARE_F32, err);
}

static tare_status want_operands(const tarei_graph *const graph, const tarei_node *const node,
                                 tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, 0);
  const bool rows = tarei_attr_int(node, TAREI_ATTR_ROW_SCALES, 0) != 0;
  const bool bytes = rows || q->dtype == TARE_U8;
  for (int i = 0; i < 3; i++) {
    const tarei_value *const v = tarei_ops_in(graph, node, i);
    TAREI_TRY(tarei_ops_want_dtype(v, bytes ? TARE_U8 : TARE_F32, err));
    TAREI_TRY(tarei_ops_want_rank(v, 3, 3, err));
  }
  for (int i = 0; i < node->op->int8->row_factors; i++) {
    TAREI_TRY(want_row_scales(graph, node, i, rows, err));
  }
  TAREI_TRY(tarei_ops_want_inner(graph, q, 2, tarei_ops_in(graph, node, 1), 2, err));
  return tarei_ops_want_inner(graph, tarei_ops_in(graph, node, 1), 1, tarei_ops_in(graph, node, 2),
                              1, err);
}

static tare_status want_heads(const tarei_graph *const graph, const tarei_node *const node,
                              const int64_t heads, tare_error *const err) {
  if (heads < 1) {
    return tarei_fail(err, TARE_E_MODEL, "%lld heads: expected 1 or more", (long long)heads);
  }
  for (int i = 0; i < 3; i++) {
    int64_t width;
    const tarei_value *const v = tarei_ops_in(graph, node, i);
    if (!tarei_expr_is_const(graph->exprs, v->dims[2], &width) || width % heads) {
      return tarei_fail(err, TARE_E_MODEL,
                        "the width of '%s' must be a constant multiple of %lld heads", v->name,
                        (long long)heads);
    }
  }
  return TARE_OK;
}

static tare_status infer_attention(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  TAREI_TRY(want_operands(graph, node, err));
  const int64_t heads = tarei_attr_int(node, "heads", 0);
  TAREI_TRY(want_heads(graph, node, heads, err));
  const tarei_value *const q = tarei_ops_in(graph, node, 0), *const k =
                                                                 tarei_ops_in(graph, node, 1);
  const tarei_value *const v = tarei_ops_in(graph, node, 2), *const mask =
                                                                 tarei_ops_in(graph, node, 3);
  tarei_shape out = {.rank = 3, .dims = {q->dims[0], q->dims[1], v->dims[2]}};
  for (int i = 1; i < 3; i++) {
    const tarei_value *const other = i == 1 ? k : v;
    if (!tarei_ops_unify(graph, out.dims[0], other->dims[0], &out.dims[0])) {
      return tarei_fail(err, TARE_E_MODEL, "'%s' and '%s' differ in their first axis", q->name,
                        other->name);
    }
  }
  if (mask) {
    const tarei_shape scores = {
        .rank = 4,
        .dims = {out.dims[0], tarei_expr_const(graph->exprs, heads), q->dims[1], k->dims[1]}};
    TAREI_TRY(tarei_ops_want_dtype(mask, TARE_F32, err));
    TAREI_TRY(tarei_ops_want_rank(mask, 1, 4, err));
    TAREI_TRY(tarei_ops_want_fits(graph, mask, &scores, err));
  }
  return tarei_ops_give_quantized(graph, node, &out, err);
}

const tarei_op tarei_op_attention = {
    .name = "Attention",
    .stands_for = "MatMul",
    .domain = "tare",
    .min_in = 3,
    .max_in = 6,
    .min_out = 1,
    .max_out = 2,
    .writes_bytes = true,
    .int8 = &(const tarei_int8_form){.op = &tarei_op_attention,
                                     .activations = 3,
                                     .sum_first = -2,
                                     .sum_last = -2,
                                     .row_factors = 2,
                                     .centered = true},
    .infer = infer_attention,
};
