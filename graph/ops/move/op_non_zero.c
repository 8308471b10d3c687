#include "graph/ops/ops_common.h"

/* Whether a value repeats one constant that is not 0, as ConstantOfShape makes it. */
static bool is_filled(const tarei_graph *const graph, const int value) {
  const int producer = graph->values[value].producer;
  const tarei_node *const node = producer < 0 ? NULL : &graph->nodes[producer];
  if (!node || !tarei_node_is(node, &tarei_op_constant_of_shape)) {
    return false;
  }
  const tarei_attr *const attr = tarei_attr_find(node, "value");
  const bool has_tensor = attr && attr->kind == TAREI_ATTR_TENSOR && attr->tensor.data;
  const uint8_t *const bytes = has_tensor ? attr->tensor.data : NULL;
  const tare_dtype dtype = has_tensor ? attr->tensor.dtype : TARE_DTYPE_NONE;
  if (dtype == TARE_F32) {
    return *(const float *)attr->tensor.data != 0;
  }
  for (size_t i = 0; has_tensor && !tarei_is_float(dtype) && i < tare_dtype_size(dtype); i++) {
    if (bytes[i]) {
      return true;
    }
  }
  return false;
}

/* Places in a tensor of known contents; false where an element is not known to be 0 or not. */
static bool find_places(const tarei_graph *const graph, const tarei_node *const node,
                        int *const places, int *const n) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int count = tarei_ops_contents(graph, node->in[0], contents);
  *n = 0;
  for (int i = 0; i < count; i++) {
    int64_t x = 1;
    if (!tarei_expr_is_const(graph->exprs, contents[i], &x) &&
        !tarei_ops_at_least(graph, contents[i], 1)) {
      return false;
    }
    if (x) {
      places[(*n)++] = i;
    }
  }
  return count >= 0;
}

static tare_status non_zero_infer(tarei_graph *const graph, tarei_node *const node,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_shape shape = tarei_ops_shape(x);
  int places[TAREI_MAX_CONTENTS], n = 0;
  const bool known = x->rank == 1 && find_places(graph, node, places, &n);
  tarei_shape out = {2, {tarei_expr_const(graph->exprs, x->rank)}};
  out.dims[1] = known                           ? tarei_expr_const(graph->exprs, n)
                : is_filled(graph, node->in[0]) ? tarei_ops_product(graph, &shape, 0, shape.rank)
                                                : tarei_ops_measured(graph, node, 0);
  TAREI_TRY(tarei_ops_give(graph, node, 0, TARE_I64, &out, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  for (int i = 0; i < n; i++) {
    contents[i] = tarei_expr_const(graph->exprs, places[i]);
  }
  return known ? tarei_ops_give_contents(graph, node, 0, contents, n, err) : TARE_OK;
}

const tarei_op tarei_op_non_zero = {
    .name = "NonZero",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = non_zero_infer,
};
