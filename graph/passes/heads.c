#include "graph/passes/heads.h"

#include "graph/passes/dims_attr.h"
#include "graph/passes/layout.h"
#include "graph/passes/rewrite.h"

static bool heads_is_one(const tarei_graph *const graph, const tarei_expr size) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, size, &n) && n == 1;
}

/* Shares the parts, in the order given, out among the axes of a value. */
static bool regroup(const tarei_graph *const graph, const tarei_heads_part *const parts,
                    const int n_parts, const int value, tarei_heads *const heads) {
  const tarei_value *const v = &graph->values[value];
  int next = 0;
  heads->rank = v->rank;
  for (int axis = 0; axis < v->rank; axis++) {
    heads->first[axis] = next;
    tarei_expr size = tarei_expr_const(graph->exprs, 1);
    while (size != v->dims[axis]) {
      if (next == n_parts || size == TAREI_EXPR_NONE) {
        return false;
      }
      size = tarei_expr_mul(graph->exprs, size, heads->size[parts[next]]);
      heads->at[next] = parts[next];
      next++;
    }
  }
  heads->first[v->rank] = next;
  return next == n_parts;
}

static int without_ones(const tarei_graph *const graph, const tarei_heads *const heads,
                        const tarei_heads_part *const parts, const int n,
                        tarei_heads_part *const out) {
  int left = 0;
  for (int i = 0; i < n; i++) {
    if (!heads_is_one(graph, heads->size[parts[i]])) {
      out[left++] = parts[i];
    }
  }
  return left;
}

bool tarei_heads_of_product(const tarei_graph *const graph, const int value,
                            const tarei_expr size[TAREI_HEADS_PARTS], const bool turned,
                            tarei_heads *const out) {
  const tarei_heads_part parts[] = {TAREI_HEADS_BATCH, TAREI_HEADS_HEADS,
                                    turned ? TAREI_HEADS_WIDTH : TAREI_HEADS_ROWS,
                                    turned ? TAREI_HEADS_ROWS : TAREI_HEADS_WIDTH};
  tarei_heads_part kept[TAREI_HEADS_PARTS];
  for (int i = 0; i < TAREI_HEADS_PARTS; i++) {
    out->size[i] = size[i];
  }
  const int n = without_ones(graph, out, parts, TAREI_HEADS_PARTS, kept);
  return regroup(graph, kept, n, value, out);
}

/* Axis i of the result is axis axes[i] of `heads`. */
static void permute(const tarei_perm *const axes, tarei_heads *const heads) {
  const tarei_heads from = *heads;
  int next = 0;
  for (int i = 0; i < from.rank; i++) {
    const int64_t axis = axes->axis[i];
    heads->first[i] = next;
    for (int p = from.first[axis]; p < from.first[axis + 1]; p++) {
      heads->at[next++] = from.at[p];
    }
  }
  heads->first[from.rank] = next;
}

static bool heads_move(const tarei_graph *const graph, const tarei_node *const node,
                       const bool back, tarei_heads *const heads) {
  const int to = back ? node->in[0] : node->out[0];
  tarei_perm perm;
  if (node->op == &tarei_op_transpose && tarei_perm_of(graph, node, &perm)) {
    const tarei_perm inverse = tarei_perm_inverse(&perm);
    permute(back ? &inverse : &perm, heads);
    return true;
  }
  const tarei_heads from = *heads;
  return tarei_is_reshape(graph, node) && regroup(graph, from.at, from.first[from.rank], to, heads);
}

bool tarei_heads_back(const tarei_graph *const graph, const tarei_node *const node,
                      tarei_heads *const heads) {
  return heads_move(graph, node, true, heads);
}

bool tarei_heads_forth(const tarei_graph *const graph, const tarei_node *const node,
                       tarei_heads *const heads) {
  return heads_move(graph, node, false, heads);
}

/* Whether the parts stand in the order of their places. */
static bool ascends(const tarei_heads *const heads, const int places[TAREI_HEADS_PARTS]) {
  for (int i = 1; i < heads->first[heads->rank]; i++) {
    if (places[heads->at[i]] < places[heads->at[i - 1]]) {
      return false;
    }
  }
  return true;
}

tarei_heads_order tarei_heads_order_of(const tarei_heads *const heads) {
  static const int batch_first[] = {0, 1, 2, 3}, rows_first[] = {1, 0, 2, 3};
  return ascends(heads, batch_first)  ? TAREI_HEADS_BATCH_FIRST
         : ascends(heads, rows_first) ? TAREI_HEADS_ROWS_FIRST
                                      : TAREI_HEADS_OTHER;
}

static void flat_dims(const tarei_graph *const graph, const tarei_heads *const heads,
                      const tarei_heads_order order, tarei_expr dims[3]) {
  const bool rows_first = order == TAREI_HEADS_ROWS_FIRST;
  dims[0] = heads->size[rows_first ? TAREI_HEADS_ROWS : TAREI_HEADS_BATCH];
  dims[1] = heads->size[rows_first ? TAREI_HEADS_BATCH : TAREI_HEADS_ROWS];
  dims[2] =
      tarei_expr_mul(graph->exprs, heads->size[TAREI_HEADS_HEADS], heads->size[TAREI_HEADS_WIDTH]);
}

bool tarei_heads_is_flat(const tarei_graph *const graph, const int value,
                         const tarei_heads *const heads, const tarei_heads_order order) {
  const tarei_value *const v = &graph->values[value];
  tarei_expr dims[3];
  flat_dims(graph, heads, order, dims);
  return v->rank == 3 && v->dims[0] == dims[0] && v->dims[1] == dims[1] && v->dims[2] == dims[2];
}

tare_status tarei_add_reshape(tarei_graph *const graph, const int from, const int to,
                              tare_error *const err) {
  int node;
  TAREI_TRY(tarei_add_node(graph, &tarei_op_reshape, graph->values[to].name, 14, &from, 1, to,
                           &node, err));
  return tarei_dims_to_attr(graph, &graph->nodes[node], to, err);
}

/* A new value of three axes, named after `value`. */
static tare_status add_flat(tarei_graph *const graph, const int value,
                            const tarei_heads *const heads, const tarei_heads_order order,
                            int *const out, tare_error *const err) {
  TAREI_TRY(tarei_add_helper(graph, value, "__heads", out, err));
  graph->values[*out].rank = 3;
  flat_dims(graph, heads, order, graph->values[*out].dims);
  return TARE_OK;
}

static const tarei_perm swap = {.rank = 3, .axis = {1, 0, 2}};

tare_status tarei_heads_flatten(tarei_graph *const graph, const int value,
                                const tarei_heads *const heads, const tarei_heads_order order,
                                int *const out, tare_error *const err) {
  *out = value;
  if (!tarei_heads_is_flat(graph, value, heads, order)) {
    TAREI_TRY(add_flat(graph, value, heads, order, out, err));
    TAREI_TRY(tarei_add_reshape(graph, value, *out, err));
  }
  if (order == TAREI_HEADS_ROWS_FIRST) {
    const int from = *out;
    TAREI_TRY(add_flat(graph, value, heads, TAREI_HEADS_BATCH_FIRST, out, err));
    return tarei_add_transpose(graph, from, *out, &swap, err);
  }
  return TARE_OK;
}

tare_status tarei_heads_unflatten(tarei_graph *const graph, const int value,
                                  const tarei_heads *const heads, const tarei_heads_order order,
                                  int *const out, tare_error *const err) {
  int to = value;
  *out = value;
  if (!tarei_heads_is_flat(graph, value, heads, order)) {
    TAREI_TRY(add_flat(graph, value, heads, order, &to, err));
    TAREI_TRY(tarei_add_reshape(graph, to, value, err));
    *out = to;
  }
  if (order == TAREI_HEADS_ROWS_FIRST) {
    TAREI_TRY(add_flat(graph, value, heads, TAREI_HEADS_BATCH_FIRST, out, err));
    TAREI_TRY(tarei_add_transpose(graph, *out, to, &swap, err));
  }
  if (*out != value) {
    tarei_hand_over_name(graph, value, *out);
  }
  return TARE_OK;
}
