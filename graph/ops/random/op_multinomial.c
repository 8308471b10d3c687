#include "graph/ops/random/ops_random.h"

/* [batch, classes] logits, [batch, sample_size] classes. */
static tare_status infer_multinomial(tarei_graph *const graph, tarei_node *const node,
                                     tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const int64_t dtype = tarei_attr_int(node, "dtype", TARE_I32);
  const int64_t samples = tarei_attr_int(node, "sample_size", 1);
  TAREI_TRY(tarei_ops_want_rank(x, 2, 2, err));
  if (x->dtype != TARE_F32 && x->dtype != TARE_F64) {
    return tarei_fail(err, TARE_E_MODEL, "input '%s' is %s, expected a float", x->name,
                      tare_dtype_name(x->dtype));
  }
  if (dtype != TARE_I32 && dtype != TARE_I64) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'dtype' is %lld, expected %d (int32) or %d "
                      "(int64)",
                      (long long)dtype, TARE_I32, TARE_I64);
  }
  if (samples < 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'sample_size' is %lld, expected 0 or more",
                      (long long)samples);
  }
  const tarei_shape shape = {.rank = 2,
                             .dims = {x->dims[0], tarei_expr_const(graph->exprs, samples)}};
  return tarei_ops_give(graph, node, 0, (tare_dtype)dtype, &shape, err);
}

const tarei_op tarei_op_multinomial = {
    .name = "Multinomial",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .draws = true,
    .infer = infer_multinomial,
};
