#include <assert.h>
#include <inttypes.h>

#include "base/mem.h"
#include "graph/ops/ops_common.h"

static bool has_contents_type(const tarei_value *const value) {
  return value->dtype == TARE_I64 || value->dtype == TARE_I32 || value->dtype == TARE_BOOL;
}

/* Number of elements when all dims are constant and the product is small, else -1. */
int tarei_ops_count(const tarei_graph *const graph, const tarei_value *const value) {
  int64_t count;
  const tarei_shape shape = tarei_ops_shape(value);
  const tarei_expr product = tarei_ops_product(graph, &shape, 0, shape.rank);
  if (!tarei_expr_is_const(graph->exprs, product, &count) || count < 0 ||
      count > TAREI_MAX_CONTENTS) {
    return -1;
  }
  return (int)count;
}

int tarei_ops_contents(const tarei_graph *const graph, const int index, tarei_expr *const out) {
  const tarei_value *const value = &graph->values[index];
  const int n = value->rank >= 0 && has_contents_type(value) ? tarei_ops_count(graph, value) : -1;
  int64_t ints[TAREI_MAX_CONTENTS];
  int n_ints = -1;
  const bool constant = n >= 0 && tarei_value_ints(graph, index, ints, TAREI_MAX_CONTENTS, &n_ints);
  const bool symbolic = value->contents && value->n_contents == n;
  const uint8_t *const bools =
      value->data && value->dtype == TARE_BOOL ? tarei_value_tensor(graph, index).data : NULL;
  for (int i = 0; i < n; i++) {
    out[i] = symbolic                 ? value->contents[i]
             : constant && i < n_ints ? tarei_expr_const(graph->exprs, ints[i])
             : bools                  ? tarei_expr_const(graph->exprs, bools[i] != 0)
                                      : TAREI_EXPR_NONE;
  }
  return n;
}

bool tarei_ops_ints_known(const tarei_graph *const graph, const int value) {
  int64_t ints[TAREI_MAX_CONTENTS];
  int n;
  return tarei_value_ints(graph, value, ints, TAREI_MAX_CONTENTS, &n);
}

tare_status tarei_ops_give_contents(tarei_graph *const graph, const tarei_node *const node,
                                    const int i, const tarei_expr *const contents, const int n,
                                    tare_error *const err) {
  bool known = false;
  for (int k = 0; k < n; k++) {
    known = known || contents[k] != TAREI_EXPR_NONE;
  }
  if (!known || i >= node->n_out || node->out[i] < 0) {
    return TARE_OK;
  }
  const tarei_value *const value = &graph->values[node->out[i]];
  if (!has_contents_type(value) || tarei_ops_count(graph, value) != n) {
    return TARE_OK;
  }
  if (!tarei_value_set_contents(graph, node->out[i], contents, n)) {
    return tarei_fail_memory(err, "contents of a shape", (size_t)n * sizeof *contents);
  }
  return TARE_OK;
}

tare_status tarei_ops_pass_contents(tarei_graph *const graph, const tarei_node *const node,
                                    tare_error *const err) {
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[0], contents);
  return tarei_ops_give_contents(graph, node, 0, contents, n, err);
}

int tarei_ops_element(const tarei_graph *const graph, const tarei_value *const value,
                      const tarei_value *const to, int flat) {
  int index = 0, step = 1;
  for (int i = 1; i <= value->rank; i++) {
    int64_t own = 1, target = 1;
    const bool known = tarei_expr_is_const(graph->exprs, value->dims[value->rank - i], &own) &&
                       tarei_expr_is_const(graph->exprs, to->dims[to->rank - i], &target);
    assert(known && target > 0);
    (void)known; /* asserted only */
    index += own == 1 ? 0 : step * (int)(flat % target);
    step *= (int)own;
    flat /= (int)target;
  }
  return index;
}

bool tarei_ops_const_dims(const tarei_graph *const graph, const tarei_value *const value,
                          int64_t *const out) {
  for (int d = 0; d < value->rank; d++) {
    if (!tarei_expr_is_const(graph->exprs, value->dims[d], &out[d])) {
      return false;
    }
  }
  return true;
}

bool tarei_ops_strides(const tarei_graph *const graph, const tarei_value *const value,
                       int64_t *const out) {
  int64_t step = 1, n;
  for (int i = value->rank - 1; i >= 0; i--) {
    out[i] = step;
    if (!tarei_expr_is_const(graph->exprs, value->dims[i], &n) || !tarei_mul_i64(step, n, &step)) {
      return false;
    }
  }
  return true;
}

tare_status tarei_ops_view_contents(tarei_graph *const graph, const tarei_node *const node,
                                    const int64_t offset, const int64_t *const strides,
                                    tare_error *const err) {
  tarei_expr in[TAREI_MAX_CONTENTS], out[TAREI_MAX_CONTENTS];
  const int n_in = tarei_ops_contents(graph, node->in[0], in);
  const int n_out = node->out[0] < 0 ? -1 : tarei_ops_contents(graph, node->out[0], out);
  if (n_in < 0 || n_out < 0) {
    return TARE_OK;
  }
  const tarei_value *const to = &graph->values[node->out[0]];
  for (int flat = 0; flat < n_out; flat++) {
    int64_t from = offset;
    for (int axis = to->rank - 1, rest = flat; axis >= 0; axis--) {
      int64_t n = 1;
      (void)tarei_expr_is_const(graph->exprs, to->dims[axis], &n); /* the count is known: it is */
      from += rest % n * strides[axis];
      rest /= (int)n;
    }
    assert(from >= 0 && from < n_in);
    out[flat] = in[from];
  }
  return tarei_ops_give_contents(graph, node, 0, out, n_out, err);
}

tare_status tarei_ops_shape_input(const tarei_graph *const graph, const tarei_node *const node,
                                  const int i, tarei_shape *const out, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, i);
  TAREI_TRY(tarei_ops_want_rank(value, 1, 1, err));
  tarei_expr contents[TAREI_MAX_CONTENTS];
  const int n = tarei_ops_contents(graph, node->in[i], contents);
  if (n > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "output has rank %d, the limit is %d", n,
                      TARE_MAX_RANK);
  }
  out->rank = n;
  for (int k = 0; k < n; k++) {
    int64_t dim;
    if (tarei_expr_is_const(graph->exprs, contents[k], &dim) && dim < 0) {
      return tarei_fail(err, TARE_E_MODEL, "input '%s' asks for a dim of %" PRId64, value->name,
                        dim);
    }
    out->dims[k] = contents[k];
  }
  return n < 0 ? tarei_ops_fail_data(value, err) : TARE_OK;
}
