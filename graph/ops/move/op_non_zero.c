#include "graph/ir/build.h"
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

/* The value of which another is a copy. */
static int original_of(const tarei_graph *const graph, const int value) {
  int v = value;
  for (int turns = 0; turns < graph->n_nodes; turns++) {
    const int producer = graph->values[v].producer;
    const tarei_node *const node = producer < 0 ? NULL : &graph->nodes[producer];
    const bool copies =
        node && (tarei_node_is(node, &tarei_op_identity) || tarei_node_is(node, &tarei_op_expand));
    if (!copies || node->in[0] < 0 || !tarei_values_same_shape(graph, v, node->in[0])) {
      break;
    }
    v = node->in[0];
  }
  return v;
}

/* A node before this one that finds the same places, or NULL. Exporters write one for each use of a
 * mask, and what is selected by all of them has one length. */
static const tarei_node *twin_of_places(const tarei_graph *const graph,
                                        const tarei_node *const node) {
  const int in = node->in[0] < 0 ? -1 : original_of(graph, node->in[0]);
  for (int n = 0; in >= 0 && n < graph->n_nodes; n++) {
    const tarei_node *const other = &graph->nodes[n];
    if (other != node && other->op == node->op && other->in[0] >= 0 &&
        graph->values[other->out[0]].rank == 2 && original_of(graph, other->in[0]) == in) {
      return other;
    }
  }
  return NULL;
}

static bool has_twin(const tarei_graph *const graph, const tarei_node *const node) {
  return graph->values[node->out[0]].rank < 0 && twin_of_places(graph, node);
}

static tare_status non_zero_expand(tarei_graph *const graph, const int index,
                                   tare_error *const err) {
  const int places = twin_of_places(graph, &graph->nodes[index])->out[0];
  const int out = graph->nodes[index].out[0];
  tarei_build b = tarei_build_at(graph, index);
  tarei_build_into(&b, "Identity", &places, 1, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_non_zero = {
    .name = "NonZero",
    .domain = "",
    .min_in = 1,
    .max_in = 1,
    .min_out = 1,
    .max_out = 1,
    .infer = non_zero_infer,
    .expand = non_zero_expand,
    .expands = has_twin,
};
