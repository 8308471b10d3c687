/* CenterCropPad: zeros around axes that are too short, and the middle of those that are too long.
 * Of an odd number of elements the smaller half comes first. */
#include "graph/expand/attend.h"

enum { X, TARGET };

static tare_status center_crop_check(const tarei_graph *const graph, const tarei_node *const node,
                                     tarei_axes *const axes, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  const tarei_value *const target = tarei_ops_in(graph, node, TARGET);
  TAREI_TRY(tarei_ops_want_indices(target, err));
  TAREI_TRY(tarei_ops_axes(graph, node, node->n_in /* no input */, x->rank, axes, err));
  for (int d = 0; !axes->given && d < x->rank; d++) {
    axes->at[axes->n++] = d;
  }
  if (axes->n == 0) {
    return tarei_fail(err, TARE_E_MODEL, "no axes of '%s' are cropped", x->name);
  }
  return tarei_ops_want_vector(graph, target, tarei_expr_const(graph->exprs, axes->n), err);
}

static tare_status center_crop_expand(tarei_graph *const graph, const int index,
                                      tare_error *const err) {
  tarei_axes axes;
  TAREI_TRY(center_crop_check(graph, &graph->nodes[index], &axes, err));
  const int out = graph->nodes[index].out[0];
  int64_t at[TARE_MAX_RANK];
  for (int i = 0; i < axes.n; i++) {
    at[i] = axes.at[i];
  }
  tarei_build b = tarei_build_at(graph, index);
  const int x = tarei_build_in(&b, X), list = tarei_build_i64s(&b, at, axes.n);
  const int target = tarei_build_cast(&b, tarei_build_in(&b, TARGET), TARE_I64);
  const int two = tarei_build_number(&b, TARE_I64, 2);
  const int dims = tarei_build_binary(&b, "Gather", tarei_build_unary(&b, "Shape", x), list);
  const int most = tarei_build_binary(&b, "Max", dims, target);
  const int more = tarei_build_binary(&b, "Sub", most, dims);
  const int before = tarei_build_binary(&b, "Div", more, two);
  const int pads[] = {before, tarei_build_binary(&b, "Sub", more, before)};
  const int padded = tarei_build_node(
      &b, "Pad", (const int[]){x, tarei_attend_concat(&b, pads, 2, 0), -1, list}, 4);
  const int start = tarei_build_binary(&b, "Div", tarei_build_binary(&b, "Sub", most, target), two);
  const int end = tarei_build_binary(&b, "Add", start, target);
  tarei_build_into(&b, "Slice", (const int[]){padded, start, end, list}, 4, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_center_crop_pad = {
    .name = "CenterCropPad",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = center_crop_expand,
};
