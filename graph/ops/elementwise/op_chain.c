/* Chain: elementwise operators as one node (graph/chains/chain.h). */
#include "graph/chains/chain.h"
#include "graph/ops/ops_common.h"

/* The shape of the part of an input that is read. */
static tare_status chain_slice_shape(const tarei_graph *const graph, const tarei_value *const x,
                                     const tarei_chain_slice *const slice, tarei_shape *const out,
                                     tare_error *const err) {
  *out = tarei_ops_shape(x);
  int64_t size = 0;
  if (slice->axis < 0) {
    return TARE_OK;
  }
  if (slice->axis >= x->rank || !tarei_expr_is_const(graph->exprs, x->dims[slice->axis], &size) ||
      slice->start > size || slice->length > size - slice->start) {
    return tarei_fail(err, TARE_E_MODEL, "axis %d of '%s' has no %lld elements from %lld on",
                      slice->axis, x->name, (long long)slice->length, (long long)slice->start);
  }
  out->dims[slice->axis] = tarei_expr_const(graph->exprs, slice->length);
  return TARE_OK;
}

/* Shapes of inputs, then of links, as the operators would have them. */
static tare_status chain_shapes(const tarei_graph *const graph, const tarei_node *const node,
                                const tarei_chain *const chain, tarei_shape *const shapes,
                                tare_error *const err) {
  for (int i = 0; i < chain->n_inputs; i++) {
    const tarei_value *const x = tarei_ops_in(graph, node, i);
    TAREI_TRY(tarei_ops_want_dtype(x, TARE_F32, err));
    TAREI_TRY(chain_slice_shape(graph, x, &chain->slices[i], &shapes[i], err));
  }
  for (int k = 0; k < chain->n_links; k++) {
    const tarei_chain_link *const link = &chain->links[k];
    tarei_shape *const out = &shapes[chain->n_inputs + k];
    *out = shapes[link->operands[0]];
    for (int i = 1; i < link->op->chain_operands; i++) {
      TAREI_TRY(tarei_ops_broadcast(graph, out, &shapes[link->operands[i]], out, err));
    }
  }
  return TARE_OK;
}

static tare_status infer_chain(tarei_graph *const graph, tarei_node *const node,
                               tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, node->n_in, err));
  tarei_chain chain;
  TAREI_TRY(tarei_chain_read(node, &chain, err));
  tarei_shape shapes[TAREI_CHAIN_INPUTS + TAREI_CHAIN_LINKS];
  TAREI_TRY(chain_shapes(graph, node, &chain, shapes, err));
  return tarei_ops_give_writable(graph, node, TARE_F32, &shapes[chain.n_inputs + chain.n_links - 1],
                                 err);
}

const tarei_op tarei_op_chain = {
    .name = "Chain",
    .domain = "tare",
    .min_in = 1,
    .max_in = TAREI_CHAIN_INPUTS,
    .min_out = 1,
    .max_out = 2,
    .elementwise = true,
    .writes_bytes = true,
    .infer = infer_chain,
};
