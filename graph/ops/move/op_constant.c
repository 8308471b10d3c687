#include "graph/ops/ops_common.h"

static tare_status give_numbers(tarei_graph *const graph, const tarei_node *const node,
                                const tare_dtype dtype, const tarei_shape *const shape,
                                const int64_t *const ints, const int n, tare_error *const err) {
  TAREI_TRY(tarei_ops_give(graph, node, 0, dtype, shape, err));
  if (!ints || n > TAREI_MAX_CONTENTS) {
    return TARE_OK;
  }
  tarei_expr contents[TAREI_MAX_CONTENTS];
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_const(graph->exprs, ints[i]);
  }
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

static tare_status give_tensor(tarei_graph *const graph, const tarei_node *const node,
                               const tare_tensor *const tensor, tare_error *const err) {
  if (tensor->rank < 0 || tensor->rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "tensor has rank %d, which exceeds the limit",
                      tensor->rank);
  }
  tarei_shape shape = {.rank = tensor->rank};
  for (int i = 0; i < tensor->rank; i++) {
    shape.dims[i] = tarei_expr_const(graph->exprs, tensor->dims[i]);
  }
  const int64_t count = tare_tensor_count(tensor);
  int64_t ints[TAREI_MAX_CONTENTS];
  const bool small = tensor->data && count >= 0 && count <= TAREI_MAX_CONTENTS;
  const bool listed = small && (tensor->dtype == TARE_I64 || tensor->dtype == TARE_I32);
  for (int i = 0; listed && i < count; i++) {
    ints[i] = tarei_index_at(tensor, i);
  }
  return give_numbers(graph, node, tensor->dtype, &shape, listed ? ints : NULL, (int)count, err);
}

static tare_status op_constant_infer(tarei_graph *const graph, tarei_node *const node,
                                     tare_error *const err) {
  const tarei_attr *const tensor = tarei_attr_find(node, "value");
  if (tensor && tensor->kind == TAREI_ATTR_TENSOR) {
    return give_tensor(graph, node, &tensor->tensor, err);
  }
  static const struct {
    const char *name;
    tarei_attr_kind kind;
    tare_dtype dtype;
    int rank;
  } forms[] = {
      {"value_float", TAREI_ATTR_FLOAT, TARE_F32, 0},
      {"value_floats", TAREI_ATTR_FLOATS, TARE_F32, 1},
      {"value_int", TAREI_ATTR_INT, TARE_I64, 0},
      {"value_ints", TAREI_ATTR_INTS, TARE_I64, 1},
  };
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    const tarei_attr *const attr = tarei_attr_find(node, forms[i].name);
    if (attr && attr->kind == forms[i].kind) {
      const int n = forms[i].rank == 0 ? 1 : attr->n;
      const int64_t *const ints = forms[i].rank == 0 ? &attr->i : attr->ints;
      const tarei_shape shape = {forms[i].rank, {tarei_expr_const(graph->exprs, n)}};
      return give_numbers(graph, node, forms[i].dtype, &shape,
                          forms[i].dtype == TARE_I64 ? ints : NULL, n, err);
    }
  }
  return tarei_fail(err, TARE_E_UNSUPPORTED,
                    "needs attribute value, value_float, value_floats, value_int or value_ints");
}

const tarei_op tarei_op_constant = {
    .name = "Constant",
    .domain = "",
    .min_in = 0,
    .max_in = 0,
    .min_out = 1,
    .max_out = 1,
    .infer = op_constant_infer,
};
