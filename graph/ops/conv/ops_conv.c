/* Output shape of a convolution in either layout. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* Channels: those of the input are group times those of the weights, and each group has the same
 * number of outputs. */
static tare_status check_channels(const tarei_graph *const graph, const tarei_node *const node,
                                  const tarei_expr in, const tarei_expr per_group,
                                  const tarei_expr out, tare_error *const err) {
  const int64_t group = tarei_attr_int(node, "group", 1);
  if (group < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'group': expected 1 or more, got %" PRId64,
                      group);
  }
  const tarei_expr groups = tarei_expr_const(graph->exprs, group);
  const tarei_shape channels = {2, {in, per_group}};
  char text[256];
  if (tarei_ops_differ(graph, in, tarei_expr_mul(graph->exprs, per_group, groups))) {
    return tarei_fail(
        err, TARE_E_MODEL,
        "channels of input and weights are %s, which does not match attribute 'group', %" PRId64,
        tarei_ops_show(graph, &channels, text, sizeof text), group);
  }
  int64_t n;
  if (tarei_expr_is_const(graph->exprs, out, &n) && n % group != 0) {
    return tarei_fail(
        err, TARE_E_MODEL,
        "%" PRId64 " output channels are not a multiple of attribute 'group', %" PRId64, n, group);
  }
  return TARE_OK;
}

tare_status tarei_ops_conv(const tarei_graph *const graph, const tarei_node *const node,
                           const bool channels_last, tarei_shape *const out,
                           tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const w = tarei_ops_in(graph, node, 1);
  const tarei_value *const bias = tarei_ops_in(graph, node, 2);
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_rank(w, x->rank, x->rank, err));
  const int channel = channels_last ? x->rank - 1 : 1;
  const int spatial = channels_last ? 1 : 2;
  TAREI_TRY(check_channels(graph, node, x->dims[channel], w->dims[channel], w->dims[0], err));
  tarei_window window;
  TAREI_TRY(tarei_ops_window(graph, node, x->rank - 2, w->dims + spatial, &window, err));
  if (bias) {
    TAREI_TRY(tarei_ops_want_vector(graph, bias, w->dims[0], err));
  }
  *out = tarei_ops_shape(x);
  out->dims[channel] = w->dims[0];
  for (int i = 0; i < window.n; i++) {
    const int axis = spatial + i;
    TAREI_TRY(tarei_ops_window_dim(graph, &window, i, x->dims[axis], &out->dims[axis], err));
  }
  return TARE_OK;
}
