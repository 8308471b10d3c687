/* Lists of integers that are an attribute in old opsets and an input in new ones. */
#include <inttypes.h>

#include "graph/ops/ops_common.h"

static tare_status add_axis_once(tarei_axes *const axes, const int64_t axis, const int rank,
                                 tare_error *const err) {
  int at = 0;
  TAREI_TRY(tarei_ops_axis(axis, rank, &at, err));
  if (axes->set[at]) {
    return tarei_fail(err, TARE_E_MODEL, "duplicate axis %" PRId64, axis);
  }
  axes->set[at] = true;
  axes->at[axes->n++] = at;
  return TARE_OK;
}

tare_status tarei_ops_axes(const tarei_graph *const graph, const tarei_node *const node,
                           const int input, const int rank, tarei_axes *const out,
                           tare_error *const err) {
  *out = (tarei_axes){0};
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  const tarei_value *const value = tarei_ops_in(graph, node, input);
  int64_t ints[TAREI_MAX_CONTENTS];
  const int64_t *list = ints;
  int n = 0;
  if (value) {
    TAREI_TRY(tarei_ops_want_rank(value, 0, 1, err));
    TAREI_TRY(tarei_ops_want_indices(value, err));
    if (tarei_ops_count(graph, value) != 0 &&
        !tarei_value_ints(graph, node->in[input], ints, TAREI_MAX_CONTENTS, &n)) {
      return tarei_ops_fail_data(value, err);
    }
  } else if (attr) {
    if (attr->kind != TAREI_ATTR_INTS) {
      return tarei_fail(err, TARE_E_MODEL, "attribute 'axes' is not a list of integers");
    }
    list = attr->ints;
    n = attr->n;
  }
  out->given = value || attr;
  for (int i = 0; i < n; i++) {
    TAREI_TRY(add_axis_once(out, list[i], rank, err));
  }
  return TARE_OK;
}

static tare_status list_of_attr(const tarei_graph *const graph, const tarei_attr *const attr,
                                tarei_list *const out, tare_error *const err) {
  if (attr->kind != TAREI_ATTR_INTS || attr->n > TAREI_MAX_CONTENTS) {
    return tarei_fail(err, TARE_E_MODEL, "attribute '%s' is not a list of up to %d integers",
                      attr->name, TAREI_MAX_CONTENTS);
  }
  out->n = attr->n;
  for (int i = 0; i < attr->n; i++) {
    out->at[i] = tarei_expr_const(graph->exprs, attr->ints[i]);
  }
  return TARE_OK;
}

tare_status tarei_ops_list(const tarei_graph *const graph, const tarei_node *const node,
                           const int i, const char *const name, const int most_rank,
                           tarei_list *const out, tare_error *const err) {
  const tarei_value *const value = tarei_ops_in(graph, node, i);
  const tarei_attr *const attr = tarei_attr_find(node, name);
  out->given = value || attr;
  out->counted = true;
  out->n = 0;
  if (value) {
    TAREI_TRY(tarei_ops_want_rank(value, 1, most_rank, err));
    TAREI_TRY(tarei_ops_want_indices(value, err));
    const int n = tarei_ops_contents(graph, node->in[i], out->at);
    out->counted = n >= 0;
    out->n = n >= 0 ? n : 0;
    return TARE_OK;
  }
  return attr ? list_of_attr(graph, attr, out, err) : TARE_OK;
}

bool tarei_ops_is_known(const tarei_graph *const graph, const tarei_node *const node, const int i) {
  int64_t ints[TAREI_MAX_CONTENTS];
  int n;
  return !tarei_ops_in(graph, node, i) ||
         tarei_value_ints(graph, node->in[i], ints, TAREI_MAX_CONTENTS, &n);
}
