/* Col2Im: columns of blocks as the image in which they overlap, [N, C * block, L] as [N, C, image].
 */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

enum { X, IMAGE, BLOCK };

typedef struct col2im_axes {
  int n;
  tarei_list image, block;
  int64_t dilations[TARE_MAX_RANK], strides[TARE_MAX_RANK], pads[2 * TARE_MAX_RANK];
} col2im_axes;

static tare_status col2im_want_steps(const char *const name, const int64_t *const values,
                                     const int n, const int64_t least, tare_error *const err) {
  for (int i = 0; i < n; i++) {
    if (values[i] < least || values[i] > INT32_MAX) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute '%s' holds %" PRId64 ", expected %" PRId64 "..%d", name,
                        values[i], least, INT32_MAX);
    }
  }
  return TARE_OK;
}

/* The number of axes follows from the length of either list. */
static tare_status count_axes(const tarei_graph *const graph, const tarei_node *const node,
                              int *const n, tare_error *const err) {
  for (int i = IMAGE; i <= BLOCK; i++) {
    const tarei_value *const list = tarei_ops_in(graph, node, i);
    int64_t length;
    TAREI_TRY(tarei_ops_want_rank(list, 1, 1, err));
    if (tarei_expr_is_const(graph->exprs, list->dims[0], &length)) {
      if (length < 1 || length > TARE_MAX_RANK - 2) {
        return tarei_fail(err, TARE_E_MODEL, "'%s' has %" PRId64 " elements, expected 1..%d",
                          list->name, length, TARE_MAX_RANK - 2);
      }
      *n = (int)length;
      return TARE_OK;
    }
  }
  return tarei_ops_fail_data(tarei_ops_in(graph, node, IMAGE), err);
}

static tare_status read_axes(const tarei_graph *const graph, const tarei_node *const node,
                             col2im_axes *const a, tare_error *const err) {
  TAREI_TRY(count_axes(graph, node, &a->n, err));
  const tarei_expr n = tarei_expr_const(graph->exprs, a->n);
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, IMAGE), n, err));
  TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, BLOCK), n, err));
  TAREI_TRY(tarei_ops_list(graph, node, IMAGE, "", 1, &a->image, err));
  TAREI_TRY(tarei_ops_list(graph, node, BLOCK, "", 1, &a->block, err));
  TAREI_TRY(tarei_ops_ints(node, "dilations", a->n, 1, a->dilations, err));
  TAREI_TRY(tarei_ops_ints(node, "strides", a->n, 1, a->strides, err));
  TAREI_TRY(tarei_ops_ints(node, "pads", 2 * a->n, 0, a->pads, err));
  TAREI_TRY(col2im_want_steps("dilations", a->dilations, a->n, 1, err));
  TAREI_TRY(col2im_want_steps("strides", a->strides, a->n, 1, err));
  return col2im_want_steps("pads", a->pads, 2 * a->n, 0, err);
}

static tarei_expr col2im_at(const tarei_list *const list, const int i) {
  return list->counted ? list->at[i] : TAREI_EXPR_NONE;
}

/* Where all is known, blocks must divide the channels and fill the last axis. */
static tare_status col2im_check_columns(const tarei_graph *const graph, const tarei_value *const x,
                                        const col2im_axes *const a, tare_error *const err) {
  int64_t channels, columns, size = 1, places = 1;
  bool known = tarei_expr_is_const(graph->exprs, x->dims[1], &channels);
  const bool counted = tarei_expr_is_const(graph->exprs, x->dims[2], &columns);
  bool placed = counted;
  for (int i = 0; i < a->n; i++) {
    const tarei_expr e = col2im_at(&a->block, i), m = col2im_at(&a->image, i);
    int64_t block, image;
    if (e == TAREI_EXPR_NONE || !tarei_expr_is_const(graph->exprs, e, &block)) {
      return TARE_OK;
    }
    if (block < 1 || block > INT32_MAX || size > INT32_MAX / block) {
      return tarei_fail(err, TARE_E_MODEL, "the block has %" PRId64 " along axis %d", block, i);
    }
    size *= block;
    placed = placed && m != TAREI_EXPR_NONE && tarei_expr_is_const(graph->exprs, m, &image) &&
             image <= INT32_MAX;
    const int64_t rest =
        !placed ? 0 : image + a->pads[i] + a->pads[a->n + i] - a->dilations[i] * (block - 1) - 1;
    places *= !placed || rest < 0 ? 0 : rest / a->strides[i] + 1;
    placed = placed && places <= INT32_MAX;
  }
  if (known && channels % size) {
    return tarei_fail(err, TARE_E_MODEL,
                      "axis 1 of '%s' has length %" PRId64 ", no multiple of the block's %" PRId64,
                      x->name, channels, size);
  }
  return !placed || places == columns ? TARE_OK
                                      : tarei_fail(err, TARE_E_MODEL,
                                                   "the last axis of '%s' has length %" PRId64
                                                   ", but the image has %" PRId64 " blocks",
                                                   x->name, columns, places);
}

static tare_status infer_col2im(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  col2im_axes a;
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(read_axes(graph, node, &a, err));
  TAREI_TRY(col2im_check_columns(graph, x, &a, err));
  tarei_shape out = {2 + a.n, {x->dims[0], x->dims[1]}};
  tarei_expr size = tarei_expr_const(graph->exprs, 1);
  for (int i = 0; i < a.n; i++) {
    const tarei_expr image = col2im_at(&a.image, i), block = col2im_at(&a.block, i);
    out.dims[2 + i] = image == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, 2 + i) : image;
    size = block == TAREI_EXPR_NONE || size == TAREI_EXPR_NONE
               ? TAREI_EXPR_NONE
               : tarei_expr_mul(graph->exprs, size, block);
  }
  out.dims[1] = size == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, 1)
                                        : tarei_expr_floordiv(graph->exprs, x->dims[1], size);
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

const tarei_op tarei_op_col2im = {
    .name = "Col2Im",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_col2im,
};
