#include "graph/passes/dims_attr.h"

tare_status tarei_dims_from_attr(const tarei_graph *const graph, const tarei_node *const node,
                                 tarei_expr *const dims, int *const rank, tare_error *const err) {
  const tarei_expr *const given = tarei_attr_exprs(node, TAREI_ATTR_DIMS, rank);
  if (!given) {
    return tarei_fail(err, TARE_E_MODEL, "neither a shape input nor the attribute 'dims'");
  }
  if (*rank > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'dims' has %d entries, the limit is %d", *rank,
                      TARE_MAX_RANK);
  }
  for (int d = 0; d < *rank; d++) {
    if (tarei_expr_uses_expected(graph->exprs, given[d])) {
      return tarei_fail(err, TARE_E_MODEL,
                        "attribute 'dims' uses a dim that no earlier node measures");
    }
    dims[d] = given[d];
  }
  return TARE_OK;
}

bool tarei_dims_set_attr(tarei_node *const node, const tarei_expr *const dims, const int rank) {
  return tarei_attr_set_exprs(node, TAREI_ATTR_DIMS, dims, rank);
}

tare_status tarei_dims_to_attr(const tarei_graph *const graph, tarei_node *const node,
                               const int value, tare_error *const err) {
  const tarei_value *const v = &graph->values[value];
  return tarei_dims_set_attr(node, v->dims, v->rank)
             ? TARE_OK
             : tarei_fail_memory(err, "dims", sizeof v->dims);
}

static bool dims_attr_has_symbol(const tarei_graph *const graph, const int value,
                                 const int symbol) {
  const tarei_value *const v = &graph->values[value];
  bool has = false;
  for (int d = 0; d < v->rank; d++) {
    has |= tarei_expr_uses(graph->exprs, v->dims[d], symbol);
  }
  return has;
}

bool tarei_dims_need_more(const tarei_graph *const graph, const int value, const int source) {
  bool more = false;
  for (int s = 0; s < tarei_exprs_n_symbols(graph->exprs) && !more; s++) {
    more = tarei_exprs_is_measured(graph->exprs, s) && dims_attr_has_symbol(graph, value, s) &&
           !dims_attr_has_symbol(graph, source, s);
  }
  return more;
}
