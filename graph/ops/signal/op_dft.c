/* DFT and STFT: the last axis holds real numbers (1) or real and imaginary parts (2). */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* A number as contents, or TAREI_EXPR_NONE where only the data tell. */
static tarei_expr dft_number_of(const tarei_graph *const graph, const tarei_node *const node,
                                const int i) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  return tarei_ops_contents(graph, node->in[i], contents) == 1 ? contents[0] : TAREI_EXPR_NONE;
}

static tare_status want_parts(const tarei_graph *const graph, const tarei_value *const x,
                              int64_t *const parts, tare_error *const err) {
  TAREI_TRY(tarei_ops_want_float(x, err));
  if (!tarei_expr_is_const(graph->exprs, x->dims[x->rank - 1], parts) || *parts < 1 || *parts > 2) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of '%s' must be 1 (real) or 2 (real and imaginary)", x->name);
  }
  return TARE_OK;
}

/* The axis is an attribute before opset 20, then an input. */
tare_status tarei_ops_dft_axis(const tarei_graph *const graph, const tarei_node *const node,
                               int *const out, tare_error *const err) {
  const int rank = tarei_ops_in(graph, node, 0)->rank;
  int64_t axis = node->opset < 20 ? tarei_attr_int(node, "axis", 1) : -2;
  if (tarei_ops_in(graph, node, 2)) {
    const tarei_expr given = dft_number_of(graph, node, 2);
    if (given == TAREI_EXPR_NONE || !tarei_expr_is_const(graph->exprs, given, &axis)) {
      *out = -1;
      return TARE_OK;
    }
  }
  TAREI_TRY(tarei_ops_axis(axis, rank, out, err));
  return *out < rank - 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "axis %" PRId64 " is the last one, which holds real and imaginary parts",
                          axis);
}

static tarei_expr dft_half_of(const tarei_graph *const graph, const tarei_expr length) {
  const tarei_expr two = tarei_expr_const(graph->exprs, 2);
  return tarei_ops_plus(graph, tarei_expr_floordiv(graph->exprs, length, two), 1);
}

static tarei_expr transformed_length(const tarei_graph *const graph, const tarei_node *const node,
                                     tarei_expr length, const bool onesided, const bool inverse) {
  if (tarei_ops_in(graph, node, 1)) {
    length = dft_number_of(graph, node, 1);
    if (length == TAREI_EXPR_NONE) {
      return tarei_ops_measured(graph, node, 0);
    }
  } else if (onesided && inverse) { /* all of a real signal from one side of its transform */
    const tarei_expr two = tarei_expr_const(graph->exprs, 2);
    length = tarei_expr_mul(graph->exprs, tarei_ops_plus(graph, length, -1), two);
  }
  return onesided && !inverse ? dft_half_of(graph, length) : length;
}

/* Lengths, steps and axes are integers, where they are given. */
static tare_status want_integers(const tarei_graph *const graph, const tarei_node *const node,
                                 const int i, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, i);
  return value ? tarei_ops_want_indices(value, err) : TARE_OK;
}

static tare_status infer_dft(tarei_graph *const graph, tarei_node *const node,
                             tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_rank(x, 2, TARE_MAX_RANK, err));
  int64_t parts;
  int axis;
  TAREI_TRY(want_parts(graph, x, &parts, err));
  TAREI_TRY(want_integers(graph, node, 1, err));
  TAREI_TRY(want_integers(graph, node, 2, err));
  TAREI_TRY(tarei_ops_dft_axis(graph, node, &axis, err));
  const bool inverse = tarei_attr_int(node, "inverse", 0) != 0;
  const bool onesided = tarei_attr_int(node, "onesided", 0) != 0;
  if (onesided && !inverse && parts == 2) {
    return tarei_fail(err, TARE_E_MODEL, "'onesided' needs a real input, but '%s' is complex",
                      x->name);
  }
  tarei_shape out = tarei_ops_shape(x);
  const bool resized = onesided || tarei_ops_in(graph, node, 1);
  for (int d = 0; d < x->rank - 1 && axis < 0 && resized; d++) {
    out.dims[d] = tarei_ops_measured(graph, node, d);
  }
  if (axis >= 0 && resized) {
    out.dims[axis] = transformed_length(graph, node, x->dims[axis], onesided, inverse);
  }
  out.dims[x->rank - 1] = tarei_expr_const(graph->exprs, onesided && inverse ? 1 : 2);
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

static tare_status infer_stft(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  enum { SIGNAL, STEP, WINDOW, LENGTH };
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, SIGNAL);
  const tarei_value *const window = tarei_ops_in(graph, node, WINDOW);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(want_integers(graph, node, STEP, err));
  TAREI_TRY(want_integers(graph, node, LENGTH, err));
  TAREI_TRY(tarei_ops_want_rank(x, 2, 3, err)); /* some exporters leave the last axis of 1 out */
  int64_t parts = 1;
  if (x->rank == 3) {
    TAREI_TRY(want_parts(graph, x, &parts, err));
  }
  if (window) {
    TAREI_TRY(tarei_ops_want_rank(window, 1, 1, err));
    TAREI_TRY(tarei_ops_want_same_dtype(x, window, err));
  }
  const bool given = tarei_ops_in(graph, node, LENGTH) != NULL;
  if (!given && !window) {
    return tarei_fail(err, TARE_E_MODEL, "has neither a window nor a frame length");
  }
  const tarei_expr step = dft_number_of(graph, node, STEP);
  const tarei_expr length = given ? dft_number_of(graph, node, LENGTH) : window->dims[0];
  const bool known = step != TAREI_EXPR_NONE && length != TAREI_EXPR_NONE;
  if (known && (!tarei_ops_at_least(graph, step, 1) || !tarei_ops_at_least(graph, length, 1))) {
    return tarei_fail(err, TARE_E_MODEL, "frame step and frame length must be positive");
  }
  const bool onesided = tarei_attr_int(node, "onesided", 1) != 0;
  if (onesided && parts == 2) {
    return tarei_fail(err, TARE_E_MODEL, "'onesided' needs a real input, but '%s' is complex",
                      x->name);
  }
  tarei_shape out = {
      4, {x->dims[0], TAREI_EXPR_NONE, TAREI_EXPR_NONE, tarei_expr_const(graph->exprs, 2)}};
  if (known) {
    const tarei_expr rest = tarei_expr_sub(graph->exprs, x->dims[1], length);
    out.dims[1] = tarei_ops_plus(graph, tarei_expr_floordiv(graph->exprs, rest, step), 1);
    out.dims[2] = onesided ? dft_half_of(graph, length) : length;
  } else {
    out.dims[1] = tarei_ops_measured(graph, node, 0);
    out.dims[2] = tarei_ops_measured(graph, node, 1);
  }
  return tarei_ops_give(graph, node, 0, x->dtype, &out, err);
}

const tarei_op tarei_op_dft = {
    .name = "DFT",
    .domain = "",
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_dft,
};

const tarei_op tarei_op_stft = {
    .name = "STFT",
    .domain = "",
    .slides = true,
    .min_in = 2,
    .max_in = 4,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_stft,
};
