#include "graph/passes/layout.h"

#include <string.h>

#include "base/str.h"

bool tarei_perm_of(const tarei_graph *const graph, const tarei_node *const transpose,
                   tarei_perm *const out) {
  const tarei_attr *const attr = tarei_attr_find(transpose, "perm");
  const int rank = graph->values[transpose->in[0]].rank;
  bool seen[TARE_MAX_RANK] = {false};
  *out = (tarei_perm){.rank = rank};
  for (int i = 0; i < rank; i++) {
    out->axis[i] = rank - 1 - i;
  }
  if (!attr) {
    return rank >= 0;
  }
  if (attr->kind != TAREI_ATTR_INTS || attr->n != rank) {
    return false;
  }
  for (int i = 0; i < rank; i++) {
    const int64_t axis = attr->ints[i];
    if (axis < 0 || axis >= rank || seen[axis]) {
      return false;
    }
    seen[axis] = true;
    out->axis[i] = axis;
  }
  return true;
}

bool tarei_perm_equal(const tarei_perm *const a, const tarei_perm *const b) {
  return a->rank == b->rank && memcmp(a->axis, b->axis, (size_t)a->rank * sizeof *a->axis) == 0;
}

bool tarei_perm_is_identity(const tarei_perm *const perm) {
  for (int i = 0; i < perm->rank; i++) {
    if (perm->axis[i] != i) {
      return false;
    }
  }
  return true;
}

tarei_perm tarei_perm_inverse(const tarei_perm *const perm) {
  tarei_perm inverse = {.rank = perm->rank};
  for (int i = 0; i < perm->rank; i++) {
    inverse.axis[perm->axis[i]] = i;
  }
  return inverse;
}

tarei_perm tarei_perm_compose(const tarei_perm *const first, const tarei_perm *const second) {
  tarei_perm both = {.rank = first->rank};
  for (int i = 0; i < first->rank; i++) {
    both.axis[i] = first->axis[second->axis[i]];
  }
  return both;
}

tarei_perm tarei_perm_to_last(const int rank) {
  tarei_perm perm = {.rank = rank};
  for (int i = 1; i < rank - 1; i++) {
    perm.axis[i] = i + 1;
  }
  perm.axis[rank - 1] = 1;
  return perm;
}

tare_status tarei_add_transpose(tarei_graph *const graph, const int from, const int to,
                                const tarei_perm *const perm, tare_error *const err) {
  tarei_str name = {0};
  int node;
  tarei_str_add(&name, "%s/Transpose", graph->values[to].name);
  const tare_status status = tarei_add_node(graph, &tarei_op_transpose, tarei_str_get(&name), 13,
                                            &from, 1, to, &node, err);
  tarei_str_free(&name);
  TAREI_TRY(status);
  if (!tarei_attr_set_ints(&graph->nodes[node], "perm", perm->axis, perm->rank)) {
    return tarei_fail_memory(err, "perm", sizeof(tarei_attr));
  }
  const tarei_value *const source = &graph->values[from];
  for (int i = 0; i < perm->rank; i++) {
    graph->values[to].dims[i] = source->dims[perm->axis[i]];
  }
  return TARE_OK;
}

tare_status tarei_output_before(tarei_graph *const graph, const int node,
                                const tarei_perm *const perm, tare_error *const err) {
  const int old = graph->nodes[node].out[0];
  const char *const suffix = graph->values[old].is_output ? "__nxc" : "__ncx";
  int twin;
  TAREI_TRY(tarei_add_output_twin(graph, node, suffix, &twin, err));
  for (int i = 0; i < perm->rank; i++) {
    graph->values[twin].dims[perm->axis[i]] = graph->values[old].dims[i];
  }
  return tarei_add_transpose(graph, twin, old, perm, err);
}
