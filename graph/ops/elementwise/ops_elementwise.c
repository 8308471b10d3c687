#include "graph/ops/elementwise/ops_elementwise.h"

/* Contents of output 0, after its shape is set; -1 when they are not followed. */
static int elementwise_fold_contents(const tarei_graph *const graph, const tarei_node *const node,
                                     const tarei_combine_fn combine, tarei_expr *const out) {
  const tarei_value *const to = &graph->values[node->out[0]];
  const int n = tarei_ops_contents(graph, node->out[0], out);
  for (int k = 0; n >= 0 && k < node->n_in; k++) {
    const tarei_value *const value = tarei_ops_in(graph, node, k);
    tarei_expr in[TAREI_MAX_CONTENTS];
    if (tarei_ops_contents(graph, node->in[k], in) < 0) {
      return -1;
    }
    for (int i = 0; i < n; i++) {
      const tarei_expr x = in[tarei_ops_element(graph, value, to, i)];
      out[i] = k == 0 ? x : combine(graph, out[i], x);
    }
  }
  return n;
}

tare_status tarei_ops_elementwise(tarei_graph *const graph, const tarei_node *const node,
                                  const tare_dtype dtype, const tarei_combine_fn combine,
                                  tare_error *const err) {
  const tarei_value *const first = tarei_ops_in(graph, node, 0);
  tarei_shape shape = tarei_ops_shape(first);
  for (int k = 1; k < node->n_in; k++) {
    const tarei_value *const value = tarei_ops_in(graph, node, k);
    const tarei_shape other = tarei_ops_shape(value);
    TAREI_TRY(tarei_ops_want_same_dtype(first, value, err));
    TAREI_TRY(tarei_ops_broadcast(graph, &shape, &other, &shape, err));
  }
  TAREI_TRY(tarei_ops_give_writable(graph, node, dtype, &shape, err));
  if (node->n_out < 1 || node->out[0] < 0) {
    return TARE_OK;
  }
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = elementwise_fold_contents(graph, node, combine, contents);
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}
