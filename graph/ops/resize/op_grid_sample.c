/* GridSample: values of X at the places that a grid tells, [N, C, in] and [N, out, axes] as
 * [N, C, out]. */
#include <inttypes.h>
#include <string.h>

#include "graph/ops/ops_common.h"
#include "graph/ops/resize/ops_grid_sample.h"

static int grid_sample_find(const tarei_node *const node, const char *const name,
                            const char *const *const list, const int n) {
  const char *const text = tarei_attr_string(node, name, list[0]);
  for (int i = 0; i < n; i++) {
    if (strcmp(text, list[i]) == 0) {
      return i;
    }
  }
  return -1;
}

bool tarei_grid_sample_form_of(const tarei_node *const node, tarei_grid_sample_form *const out) {
  /* as opset 20 names them, and as 16 does */
  static const char *const modes[] = {"linear", "nearest", "cubic", "bilinear", "bicubic"};
  static const tarei_grid_mode meaning[] = {TAREI_GRID_LINEAR, TAREI_GRID_NEAREST, TAREI_GRID_CUBIC,
                                            TAREI_GRID_LINEAR, TAREI_GRID_CUBIC};
  static const char *const paddings[] = {"zeros", "border", "reflection"};
  const int mode = grid_sample_find(node, "mode", modes, 5);
  const int padding = grid_sample_find(node, "padding_mode", paddings, 3);
  *out = (tarei_grid_sample_form){.mode = meaning[mode < 0 ? 0 : mode],
                                  .padding = (tarei_grid_padding)(padding < 0 ? 0 : padding),
                                  .align_corners = tarei_attr_int(node, "align_corners", 0) != 0};
  return mode >= 0 && padding >= 0;
}

static tare_status check_form(const tarei_node *const node, tare_error *const err) {
  tarei_grid_sample_form form;
  return tarei_grid_sample_form_of(node, &form)
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "mode '%s' with padding_mode '%s' is not supported: expected linear, "
                          "nearest or cubic (before opset 20 bilinear, nearest or bicubic) with "
                          "zeros, border or reflection",
                          tarei_attr_string(node, "mode", "linear"),
                          tarei_attr_string(node, "padding_mode", "zeros"));
}

static tare_status infer_grid_sample(tarei_graph *const graph, tarei_node *const node,
                                     tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *const grid =
                                                                 tarei_ops_in(graph, node, 1);
  int64_t axes;
  TAREI_TRY(check_form(node, err));
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_float(grid, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 2 + TAREI_GRID_MOST_AXES, err));
  TAREI_TRY(tarei_ops_want_rank(grid, x->rank, x->rank, err));
  if (tarei_expr_is_const(graph->exprs, grid->dims[grid->rank - 1], &axes) && axes != x->rank - 2) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of grid '%s' has length %" PRId64
                      ", expected one coordinate for each of %d axes",
                      grid->name, axes, x->rank - 2);
  }
  if (tarei_ops_differ(graph, x->dims[0], grid->dims[0])) {
    return tarei_fail(err, TARE_E_MODEL, "grid '%s' has another batch than '%s'", grid->name,
                      x->name);
  }
  tarei_shape out = {x->rank, {x->dims[0], x->dims[1]}};
  for (int d = 2; d < out.rank; d++) {
    out.dims[d] = grid->dims[d - 1];
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

const tarei_op tarei_op_grid_sample = {
    .name = "GridSample",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_grid_sample,
};
