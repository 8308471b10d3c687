/* ScatterElements, Scatter (its name before opset 11) and ScatterND: updates are written, or
 * combined, into a copy of the data. */
#include <inttypes.h>
#include <string.h>

#include "graph/ops/ops_common.h"

static tare_status check_reduction(const tarei_node *const node, tare_error *const err) {
  static const struct {
    const char *name;
    int opset; /* of the first version that knows it */
  } known[] = {{"none", 1}, {"add", 16}, {"mul", 16}, {"max", 18}, {"min", 18}};
  const char *const name = tarei_attr_string(node, "reduction", "none");
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(name, known[i].name) == 0 && node->opset >= known[i].opset) {
      return TARE_OK;
    }
  }
  return tarei_fail(err, TARE_E_MODEL,
                    "attribute 'reduction' is '%s', which opset %d does not have", name,
                    node->opset);
}

typedef struct scatter_operands {
  int64_t dims[TARE_MAX_RANK], strides[TARE_MAX_RANK]; /* of the data */
  int64_t at_dims[TARE_MAX_RANK];                      /* of the indices */
  tarei_expr data[TAREI_MAX_CONTENTS], indices[TAREI_MAX_CONTENTS], updates[TAREI_MAX_CONTENTS];
  int n_data, n_indices, n_updates;
} scatter_operands;

/* False where something about the operands is open, an index too. */
static bool scatter_read_operands(const tarei_graph *const graph, const tarei_node *const node,
                                  scatter_operands *const o) {
  int64_t index;
  o->n_data = tarei_ops_contents(graph, node->in[0], o->data);
  o->n_indices = tarei_ops_contents(graph, node->in[1], o->indices);
  o->n_updates = tarei_ops_contents(graph, node->in[2], o->updates);
  bool known = o->n_data >= 1 && o->n_indices >= 0 && o->n_updates >= 0 &&
               strcmp(tarei_attr_string(node, "reduction", "none"), "none") == 0 &&
               tarei_ops_const_dims(graph, tarei_ops_in(graph, node, 0), o->dims) &&
               tarei_ops_const_dims(graph, tarei_ops_in(graph, node, 1), o->at_dims) &&
               tarei_ops_strides(graph, tarei_ops_in(graph, node, 0), o->strides);
  for (int i = 0; known && i < o->n_indices; i++) {
    known = tarei_expr_is_const(graph->exprs, o->indices[i], &index);
  }
  return known;
}

/* Index i as a position of an axis; -1 where it lies outside, which the run tells. */
static int64_t position(const tarei_graph *const graph, const scatter_operands *const o,
                        const int i, const int axis) {
  int64_t index = 0;
  (void)tarei_expr_is_const(graph->exprs, o->indices[i], &index); /* read_operands has seen it */
  index += index < 0 ? o->dims[axis] : 0;
  return index >= 0 && index < o->dims[axis] ? index : -1;
}

static tare_status scatter_elements(tarei_graph *const graph, const tarei_node *const node,
                                    const int axis, tare_error *const err) {
  scatter_operands o;
  const int rank = tarei_ops_in(graph, node, 0)->rank;
  if (!scatter_read_operands(graph, node, &o)) {
    return TARE_OK;
  }
  for (int k = 0; k < o.n_indices; k++) {
    int64_t to = 0;
    for (int d = rank - 1, rest = k; d >= 0; d--) {
      const int64_t at = d == axis ? position(graph, &o, k, d) : rest % o.at_dims[d];
      if (at < 0) {
        return TARE_OK;
      }
      to += at * o.strides[d];
      rest /= (int)o.at_dims[d];
    }
    o.data[to] = o.updates[k];
  }
  return tarei_ops_give_contents(graph, node, 0, o.data, o.n_data, err);
}

static tare_status scatter_nd(tarei_graph *const graph, const tarei_node *const node,
                              tare_error *const err) {
  scatter_operands o;
  const int at_rank = tarei_ops_in(graph, node, 1)->rank;
  if (!scatter_read_operands(graph, node, &o)) {
    return TARE_OK;
  }
  const int tuple = (int)o.at_dims[at_rank - 1];
  const int64_t slice = o.strides[tuple - 1];
  for (int k = 0; k < o.n_indices / tuple; k++) {
    int64_t to = 0;
    for (int d = 0; d < tuple; d++) {
      const int64_t at = position(graph, &o, k * tuple + d, d);
      if (at < 0) {
        return TARE_OK;
      }
      to += at * o.strides[d];
    }
    for (int64_t i = 0; i < slice; i++) {
      o.data[to + i] = o.updates[k * slice + i];
    }
  }
  return tarei_ops_give_contents(graph, node, 0, o.data, o.n_data, err);
}

static tare_status check_operands(const tarei_graph *const graph, const tarei_node *const node,
                                  tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  TAREI_TRY(tarei_ops_want_indices(tarei_ops_in(graph, node, 1), err));
  TAREI_TRY(
      tarei_ops_want_same_dtype(tarei_ops_in(graph, node, 0), tarei_ops_in(graph, node, 2), err));
  return check_reduction(node, err);
}

/* Checks that the updates have this shape. */
static tare_status want_updates(const tarei_graph *const graph, const tarei_value *const updates,
                                const tarei_shape *const shape, tare_error *const err) {
  bool fits = updates->rank == shape->rank;
  for (int d = 0; fits && d < shape->rank; d++) {
    fits = !tarei_ops_differ(graph, updates->dims[d], shape->dims[d]);
  }
  if (fits) {
    return TARE_OK;
  }
  const tarei_shape seen = tarei_ops_shape(updates);
  char a[256], b[256];
  return tarei_fail(err, TARE_E_MODEL, "updates '%s' have shape %s, expected %s", updates->name,
                    tarei_ops_show(graph, &seen, a, sizeof a),
                    tarei_ops_show(graph, shape, b, sizeof b));
}

static tare_status infer_scatter_elements(tarei_graph *const graph, tarei_node *const node,
                                          tare_error *const err) {
  TAREI_TRY(check_operands(graph, node, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  const tarei_shape shape = tarei_ops_shape(x), written = tarei_ops_shape(at);
  int axis = 0;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(node, "axis", 0), x->rank, &axis, err));
  TAREI_TRY(tarei_ops_want_rank(at, x->rank, x->rank, err));
  TAREI_TRY(want_updates(graph, tarei_ops_in(graph, node, 2), &written, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return scatter_elements(graph, node, axis, err);
}

static tare_status infer_scatter_nd(tarei_graph *const graph, tarei_node *const node,
                                    tare_error *const err) {
  TAREI_TRY(check_operands(graph, node, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_value *const at = tarei_ops_in(graph, node, 1);
  const tarei_shape shape = tarei_ops_shape(x);
  int64_t tuple;
  TAREI_TRY(tarei_ops_want_rank(at, 1, TARE_MAX_RANK, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK, err));
  if (!tarei_expr_is_const(graph->exprs, at->dims[at->rank - 1], &tuple)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "the last dim of its indices '%s' is not constant",
                      at->name);
  }
  if (tuple < 1 || tuple > x->rank || at->rank - 1 + x->rank - tuple > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last dim of its indices '%s' is %" PRId64 " for data of rank %d",
                      at->name, tuple, x->rank);
  }
  tarei_shape written = {.rank = at->rank - 1};
  for (int d = 0; d < written.rank; d++) {
    written.dims[d] = at->dims[d];
  }
  for (int d = (int)tuple; d < x->rank; d++) {
    written.dims[written.rank++] = x->dims[d];
  }
  TAREI_TRY(want_updates(graph, tarei_ops_in(graph, node, 2), &written, err));
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return scatter_nd(graph, node, err);
}

#define SCATTER(id, onnx_name, infer_fn) \
  const tarei_op tarei_op_##id = {       \
      .name = onnx_name,                 \
      .domain = "",                      \
      .sign = TAREI_SIGN_ALL,            \
      .min_in = 3,                       \
      .max_in = 3,                       \
      .min_out = 1,                      \
      .max_out = 1,                      \
      .infer = infer_fn,                 \
  };
SCATTER(scatter, "Scatter", infer_scatter_elements)
SCATTER(scatter_elements, "ScatterElements", infer_scatter_elements)
SCATTER(scatter_nd, "ScatterND", infer_scatter_nd)
