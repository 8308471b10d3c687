#include "graph/measured_dims.h"

#include "base/mem.h"

bool tarei_measured_note(const tarei_graph *const graph, const int index,
                         tarei_measured_list *const list) {
  const tarei_node *const node = &graph->nodes[index];
  for (int o = 0; o < node->n_out; o++) {
    const tarei_value *const value = node->out[o] < 0 ? NULL : &graph->values[node->out[o]];
    for (int d = 0; value && d < value->rank; d++) {
      const int s = tarei_expr_is_symbol(graph->exprs, value->dims[d]);
      if (s >= 0 && tarei_exprs_measured_number(graph->exprs, s, node->number) >= 0) {
        if (!TAREI_GROW(list->at, list->n, list->capacity)) {
          return false;
        }
        list->at[list->n++] = (tarei_measured_dim){index, node->out[o], d, s};
      }
    }
  }
  return true;
}

/* Attributes keep dims that were read off other tensors. */
static void replace_in_attrs(tarei_graph *const graph, const int symbol, const tarei_expr by) {
  for (int n = 0; n < graph->n_nodes; n++) {
    const tarei_node *const node = &graph->nodes[n];
    for (int a = 0; a < node->n_attrs; a++) {
      const tarei_attr *const attr = &node->attrs[a];
      for (int i = 0; attr->kind == TAREI_ATTR_EXPRS && i < attr->n; i++) {
        attr->exprs[i] = tarei_expr_replace(graph->exprs, attr->exprs[i], symbol, by);
      }
    }
    tarei_graph *body;
    for (int i = 0; (body = tarei_node_body(node, i)) != NULL; i++) {
      replace_in_attrs(body, symbol, by);
    }
  }
}

void tarei_measured_settle(tarei_graph *const graph, const tarei_measured_list *const list,
                           const int node) {
  for (size_t i = 0; i < list->n; i++) {
    const tarei_measured_dim *const m = &list->at[i];
    const tarei_value *const value = &graph->values[m->value];
    if (m->node == node && m->axis < value->rank &&
        !tarei_expr_uses(graph->exprs, value->dims[m->axis], m->symbol)) {
      replace_in_attrs(graph, m->symbol, value->dims[m->axis]);
    }
  }
}
