/* MaxUnpool: the inverse of MaxPool, from the maxima and where they stood. */
#include <inttypes.h>

#include "graph/ops/conv/ops_unpool.h"

enum { X, PLACES, SHAPE };

/* What MaxPool was given, if its windows filled it: (n - 1) * stride + kernel - pads. */
static tare_status unpooled_shape(const tarei_graph *const graph, const tarei_node *const node,
                                  tarei_shape *const out, tare_error *const err) {
  tarei_window w;
  TAREI_TRY(tarei_ops_window(graph, node, out->rank - 2, NULL, &w, err));
  for (int i = 0; i < w.n; i++) {
    if (w.kernel[i] > INT32_MAX || w.pads[i] > INT32_MAX || w.pads[w.n + i] > INT32_MAX) {
      return tarei_fail(err, TARE_E_MODEL, "the window along spatial axis %d is too large", i);
    }
    const tarei_expr stride = tarei_expr_const(graph->exprs, w.strides[i]);
    tarei_expr *const dim = &out->dims[2 + i];
    *dim = tarei_ops_plus(graph, tarei_expr_mul(graph->exprs, *dim, stride),
                          tarei_unpooled_length(&w, i, 0));
  }
  return TARE_OK;
}

/* The shape that input `output_shape` asks for; batch and channels are those of X. */
static tare_status asked_shape(const tarei_graph *const graph, const tarei_node *const node,
                               const tarei_shape *const full, tarei_shape *const out,
                               tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, SHAPE);
  tarei_expr asked[TAREI_MAX_CONTENTS];
  TAREI_TRY(tarei_ops_want_indices(value, err));
  TAREI_TRY(tarei_ops_want_vector(graph, value, tarei_expr_const(graph->exprs, out->rank), err));
  const bool counted = tarei_ops_contents(graph, node->in[SHAPE], asked) == out->rank;
  for (int d = 0; d < out->rank; d++) {
    const tarei_expr dim = counted ? asked[d] : TAREI_EXPR_NONE;
    if (d < 2 && dim != TAREI_EXPR_NONE && tarei_ops_differ(graph, dim, out->dims[d])) {
      return tarei_fail(err, TARE_E_MODEL, "'%s' asks for another axis %d than that of the input",
                        value->name, d);
    }
    int64_t n, least;
    if (d >= 2 && dim != TAREI_EXPR_NONE && tarei_expr_is_const(graph->exprs, dim, &n) &&
        tarei_expr_is_const(graph->exprs, full->dims[d], &least) && n < least) {
      return tarei_fail(err, TARE_E_MODEL,
                        "'%s' asks for a length of %" PRId64
                        " along axis %d, less than the %" PRId64 " that the windows span",
                        value->name, n, d, least);
    }
    if (d >= 2) {
      out->dims[d] = dim == TAREI_EXPR_NONE ? tarei_ops_measured(graph, node, d) : dim;
    }
  }
  return TARE_OK;
}

static tare_status infer_max_unpool(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  const tarei_value *const places = tarei_ops_in(graph, node, PLACES);
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_dtype(places, TARE_I64, err));
  TAREI_TRY(tarei_ops_want_rank(places, x->rank, x->rank, err));
  tarei_shape out = tarei_ops_shape(x);
  for (int d = 0; d < x->rank; d++) {
    if (tarei_ops_differ(graph, x->dims[d], places->dims[d])) {
      return tarei_fail(err, TARE_E_MODEL, "axis %d of '%s' differs from that of '%s'", d,
                        places->name, x->name);
    }
  }
  const bool asked = tarei_ops_in(graph, node, SHAPE) != NULL;
  tarei_shape full = out;
  TAREI_TRY(unpooled_shape(graph, node, &full, err)); /* the attributes are checked in any case */
  TAREI_TRY(asked ? asked_shape(graph, node, &full, &out, err) : TARE_OK);
  return tarei_ops_give(graph, node, 0, x->dtype, asked ? &out : &full, err);
}

const tarei_op tarei_op_max_unpool = {
    .name = "MaxUnpool",
    .domain = "",
    .sign = TAREI_SIGN_FIRST,
    .min_in = 2,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .infer = infer_max_unpool,
};
