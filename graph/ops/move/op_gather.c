/* Gather, GatherElements and GatherND: elements picked by indices. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

/* Checks constant indices against a constant length. */
static tare_status check_indices(const tarei_graph *const graph, const tarei_expr *const indices,
                                 const int n, const tarei_expr length, tare_error *const err) {
  int64_t limit, index;
  if (!tarei_expr_is_const(graph->exprs, length, &limit)) {
    return TARE_OK;
  }
  for (int i = 0; i < n; i++) {
    if (tarei_expr_is_const(graph->exprs, indices[i], &index) &&
        (index < -limit || index >= limit)) {
      return tarei_fail(err, TARE_E_MODEL,
                        "index %" PRId64 " is out of range for an axis of %" PRId64, index, limit);
    }
  }
  return TARE_OK;
}

/* Picks from known contents: output element (o, k, i) is element (o, indices[k], i) of the input,
 * the middle axis being the one that is gathered along. */
static tare_status pick(tarei_graph *const graph, const tarei_node *const node, const int axis,
                        const tarei_expr *const indices, const int n, tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  int64_t dims[TARE_MAX_RANK], inner = 1;
  const int n_out = node->out[0] < 0 ? -1 : tarei_ops_count(graph, &graph->values[node->out[0]]);
  if (n < 1 || n_out < 0 || tarei_ops_contents(graph, node->in[0], in) < 0 ||
      !tarei_ops_const_dims(graph, x, dims)) {
    return TARE_OK;
  }
  for (int d = axis + 1; d < x->rank; d++) {
    inner *= dims[d];
  }
  for (int64_t at = 0; at < n_out; at++) {
    int64_t index;
    const int64_t k = at / inner % n, o = at / inner / n;
    const bool known = tarei_expr_is_const(graph->exprs, indices[k], &index);
    index += known && index < 0 ? dims[axis] : 0;
    out[at] = known ? in[(o * dims[axis] + index) * inner + at % inner] : TAREI_EXPR_NONE;
  }
  return tarei_ops_give_contents(graph, node, 0, out, n_out, err);
}

static tare_status want_rank(const int rank, tare_error *const err) {
  return rank <= TARE_MAX_RANK
             ? TARE_OK
             : tarei_fail(err, TARE_E_UNSUPPORTED, "output has rank %d, the limit is %d", rank,
                          TARE_MAX_RANK);
}

static tare_status infer_gather(tarei_graph *const graph, tarei_node *const node,
                                tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  TAREI_TRY(tarei_ops_want_indices(at, err));
  TAREI_TRY(want_rank(x->rank - 1 + at->rank, err));
  tarei_shape out = {0};
  for (int i = 0; i < x->rank; i++) {
    for (int k = 0; i == axis && k < at->rank; k++) {
      out.dims[out.rank++] = at->dims[k];
    }
    if (i != axis) {
      out.dims[out.rank++] = x->dims[i];
    }
  }
  tarei_expr indices[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[1], indices);
  TAREI_TRY(check_indices(graph, indices, n, x->dims[axis], err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return pick(graph, node, axis, indices, n, err);
}

/* Contents of a GatherElements whose input and indices are known. */
static tare_status pick_elements(tarei_graph *const graph, const tarei_node *const node,
                                 const int axis, const tarei_expr *const indices, const int n,
                                 tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  int64_t dims[TARE_MAX_RANK], to[TARE_MAX_RANK], strides[TARE_MAX_RANK];
  if (n < 1 || tarei_ops_contents(graph, node->in[0], in) < 0 ||
      !tarei_ops_const_dims(graph, x, dims) || !tarei_ops_const_dims(graph, at, to) ||
      !tarei_ops_strides(graph, x, strides)) {
    return TARE_OK;
  }
  for (int k = 0; k < n; k++) {
    int64_t index, from = 0;
    const bool known = tarei_expr_is_const(graph->exprs, indices[k], &index);
    index += known && index < 0 ? dims[axis] : 0;
    for (int d = x->rank - 1, rest = k; d >= 0; d--) {
      from += (d == axis && known ? index : rest % to[d]) * strides[d];
      rest /= (int)to[d];
    }
    out[k] = known ? in[from] : TAREI_EXPR_NONE;
  }
  return tarei_ops_give_contents(graph, node, 0, out, n, err);
}

static tare_status infer_gather_elements(tarei_graph *const graph, tarei_node *const node,
                                         tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  TAREI_TRY(tarei_ops_want_indices(at, err));
  TAREI_TRY(tarei_ops_want_rank(at, x->rank, x->rank, err));
  const tarei_shape out = tarei_ops_shape(at), from = tarei_ops_shape(x);
  for (int d = 0; d < x->rank; d++) {
    const tarei_expr more = tarei_expr_sub(graph->exprs, out.dims[d], from.dims[d]);
    if (d != axis && tarei_ops_at_least(graph, more, 1)) {
      char a[256], b[256];
      return tarei_fail(err, TARE_E_MODEL, "indices of shape %s exceed %s along axis %d",
                        tarei_ops_show(graph, &out, a, sizeof a),
                        tarei_ops_show(graph, &from, b, sizeof b), d);
    }
  }
  tarei_expr indices[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[1], indices);
  TAREI_TRY(check_indices(graph, indices, n, x->dims[axis], err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  return pick_elements(graph, node, axis, indices, n, err);
}

static tare_status check_batch(const tarei_graph *const graph, const tarei_value *const x,
                               const tarei_value *const at, const int64_t batch,
                               tare_error *const err) {
  const int least = x->rank < at->rank ? x->rank : at->rank;
  if (batch < 0 || batch >= least) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'batch_dims' is %" PRId64
                      ", out of range for inputs of rank %d and %d",
                      batch, x->rank, at->rank);
  }
  for (int d = 0; d < batch; d++) {
    tarei_expr dim;
    if (!tarei_ops_unify(graph, x->dims[d], at->dims[d], &dim)) {
      return tarei_fail(err, TARE_E_MODEL, "inputs differ along batch axis %d", d);
    }
  }
  return TARE_OK;
}

/* How many axes a tuple of indices names: the last dim of the indices. */
static tare_status read_tuple(const tarei_graph *const graph, const tarei_value *const at,
                              const int64_t most, int64_t *const out, tare_error *const err) {
  if (!tarei_expr_is_const(graph->exprs, at->dims[at->rank - 1], out)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the last dim of its indices '%s' is not constant",
                      at->name);
  }
  return *out >= 1 && *out <= most
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "the last dim of its indices '%s' is %" PRId64 ", expected 1 to %" PRId64,
                          at->name, *out, most);
}

static tare_status infer_gather_nd(tarei_graph *const graph, tarei_node *const node,
                                   tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  const int64_t batch = tarei_attr_int(node, "batch_dims", 0);
  int64_t tuple = 0;
  TAREI_TRY(tarei_ops_want_indices(at, err));
  TAREI_TRY(tarei_ops_want_rank(at, 1, TARE_MAX_RANK, err));
  TAREI_TRY(check_batch(graph, x, at, batch, err));
  TAREI_TRY(read_tuple(graph, at, x->rank - batch, &tuple, err));
  TAREI_TRY(want_rank(at->rank - 1 + x->rank - (int)(batch + tuple), err));
  tarei_shape out = {.rank = at->rank - 1};
  for (int d = 0; d < out.rank; d++) {
    out.dims[d] = at->dims[d];
  }
  for (int d = (int)(batch + tuple); d < x->rank; d++) {
    out.dims[out.rank++] = x->dims[d];
  }
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &out, err));
  tarei_expr indices[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[1], indices);
  if (x->rank > 1) {
    return TARE_OK;
  }
  TAREI_TRY(check_indices(graph, indices, n, x->dims[0], err));
  return pick(graph, node, 0, indices, n, err);
}

#define GATHER(id, onnx_name)      \
  const tarei_op tarei_op_##id = { \
      .name = onnx_name,           \
      .domain = "",                \
      .min_in = 2,                 \
      .max_in = 2,                 \
      .min_out = 1,                \
      .max_out = 1,                \
      .selects = true,             \
      .infer = infer_##id,         \
  };
GATHER(gather, "Gather")
GATHER(gather_elements, "GatherElements")
GATHER(gather_nd, "GatherND")
