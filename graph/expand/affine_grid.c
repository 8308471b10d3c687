/* AffineGrid: theta [N, d, d + 1] times the coordinates of all places of an output [N, C, space],
 * as [N, space, d]. Computed in float64. */
#include "graph/expand/attend.h"

enum { THETA, SIZE, MOST_AXES = 3 };

/* The coordinates of -1 to 1 along an axis of the output, as axis `d` of four or five. */
static int affine_grid_axis(tarei_build *const b, const int size, const int d, const int n,
                            const bool align) {
  const int at = tarei_build_number(b, TARE_I64, 2 + d), one = tarei_build_number(b, TARE_I64, 1);
  const int count = tarei_build_binary(b, "Gather", size, at);
  const int in[] = {tarei_build_number(b, TARE_I64, 0), count, one};
  const int index = tarei_build_cast(b, tarei_build_node(b, "Range", in, 3), TARE_F64);
  const int length = tarei_build_cast(b, count, TARE_F64);
  const int unit = tarei_build_number(b, TARE_F64, 1), two = tarei_build_number(b, TARE_F64, 2);
  int x;
  if (align) { /* 1 - 2 (last - i) / last: a single place is at the end */
    const int last = tarei_build_binary(b, "Sub", length, unit);
    const int rest = tarei_build_binary(b, "Mul", tarei_build_binary(b, "Sub", last, index), two);
    x = tarei_build_binary(
        b, "Sub", unit,
        tarei_build_binary(b, "Div", rest, tarei_build_binary(b, "Max", last, unit)));
  } else { /* (2 i + 1) / length - 1 */
    const int odd = tarei_build_binary(b, "Add", tarei_build_binary(b, "Mul", index, two), unit);
    x = tarei_build_binary(b, "Sub", tarei_build_binary(b, "Div", odd, length), unit);
  }
  int64_t others[MOST_AXES + 1];
  int n_others = 0;
  for (int i = 0; i < n + 2; i++) {
    if (i != 1 + d) {
      others[n_others++] = i;
    }
  }
  return tarei_attend_unsqueeze(b, x, others, n_others);
}

/* Column k of theta, [N, 1, .., d]. */
static int affine_grid_column(tarei_build *const b, const int theta, const int k, const int n) {
  static const int64_t axes[] = {1, 2, 3};
  const int column = tarei_build_binary(b, "Gather", theta, tarei_build_number(b, TARE_I64, k));
  tarei_build_int(b, "axis", 2);
  return tarei_attend_unsqueeze(b, column, axes, n);
}

/* The number of axes of the output's space, of the length of `size` or the dims of theta. */
static tare_status affine_grid_count(const tarei_graph *const graph, const tarei_value *const theta,
                                     const tarei_value *const size, int64_t *const n,
                                     tare_error *const err) {
  TAREI_TRY(tarei_ops_want_rank(theta, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(size, 1, 1, err));
  if (tarei_expr_is_const(graph->exprs, size->dims[0], n)) {
    *n -= 2;
  } else if (!tarei_expr_is_const(graph->exprs, theta->dims[1], n)) {
    return tarei_ops_fail_data(size, err);
  }
  return *n >= 2 && *n <= MOST_AXES
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "grids over %lld axes are not supported: expected 2..%d", (long long)*n,
                          MOST_AXES);
}

static tare_status check_theta(const tarei_graph *const graph, const tarei_node *const node,
                               int *const n, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const theta = tarei_ops_in(graph, node, THETA);
  const tarei_value *const size = tarei_ops_in(graph, node, SIZE);
  tarei_exprs *const pool = graph->exprs;
  int64_t axes = 0;
  TAREI_TRY(tarei_ops_want_float(theta, err));
  TAREI_TRY(tarei_ops_want_dtype(size, TARE_I64, err));
  TAREI_TRY(affine_grid_count(graph, theta, size, &axes, err));
  TAREI_TRY(tarei_ops_want_vector(graph, size, tarei_expr_const(pool, axes + 2), err));
  if (tarei_ops_differ(graph, theta->dims[1], tarei_expr_const(pool, axes)) ||
      tarei_ops_differ(graph, theta->dims[2], tarei_expr_const(pool, axes + 1))) {
    return tarei_fail(err, TARE_E_MODEL, "'%s' must be [N, %lld, %lld] for a grid over %lld axes",
                      theta->name, (long long)axes, (long long)axes + 1, (long long)axes);
  }
  tarei_expr contents[TAREI_MAX_CONTENTS];
  if (tarei_ops_contents(graph, node->in[SIZE], contents) > 0 && contents[0] != TAREI_EXPR_NONE &&
      tarei_ops_differ(graph, contents[0], theta->dims[0])) {
    return tarei_fail(err, TARE_E_MODEL, "'%s' asks for another batch than that of '%s'",
                      size->name, theta->name);
  }
  *n = (int)axes;
  return TARE_OK;
}

static tare_status affine_grid_expand(tarei_graph *const graph, const int index,
                                      tare_error *const err) {
  int n = 0;
  TAREI_TRY(check_theta(graph, &graph->nodes[index], &n, err));
  const tarei_node *const node = &graph->nodes[index];
  const bool align = tarei_attr_int(node, "align_corners", 0) != 0;
  const int size = node->in[SIZE], out = node->out[0];
  const tare_dtype dtype = graph->values[node->in[THETA]].dtype;
  tarei_build b = tarei_build_at(graph, index);
  const int theta = tarei_build_cast(&b, tarei_build_in(&b, THETA), TARE_F64);
  int sum = affine_grid_column(&b, theta, n, n);
  for (int d = 0; d < n; d++) { /* the last axis comes first */
    const int x = affine_grid_axis(&b, size, d, n, align);
    const int column = affine_grid_column(&b, theta, n - 1 - d, n);
    sum = tarei_build_binary(&b, "Add", tarei_build_binary(&b, "Mul", x, column), sum);
  }
  tarei_build_into(&b, "Cast", &sum, 1, out);
  tarei_build_int(&b, "to", dtype);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_affine_grid = {
    .name = "AffineGrid",
    .domain = "",
    .min_in = 2,
    .max_in = 2,
    .min_out = 1,
    .max_out = 1,
    .expand = affine_grid_expand,
};
