#include "graph/passes/move_axes.h"

/* How many axes a node works on that names none; -1: not known. */
typedef int default_fn(tarei_graph *graph, const tarei_node *node);

static int all_axes(tarei_graph *const graph, const tarei_node *const node) {
  return graph->values[node->in[0]].rank;
}

static int reduced_axes(tarei_graph *const graph, const tarei_node *const node) {
  return tarei_attr_int(node, "noop_with_empty_axes", 0) ? -1 : all_axes(graph, node);
}

/* As many as there are starts. */
static int sliced_axes(tarei_graph *const graph, const tarei_node *const node) {
  const tarei_attr *const attr = tarei_attr_find(node, "starts");
  int n = -1;
  if (tarei_node_in(node, 1) >= 0) {
    return tarei_value_contents(graph, node->in[1], &n) ? n : -1;
  }
  return attr && attr->kind == TAREI_ATTR_INTS ? attr->n : -1;
}

typedef struct move_axes_row {
  const tarei_op *op;
  int input; /* that holds the axes where no attribute does */
  default_fn *n_default;
  bool reduces; /* keeps its axes only with keepdims */
} move_axes_row;

static const move_axes_row rows[] = {
    {&tarei_op_pad, 3, all_axes, false},
    {&tarei_op_slice, 3, sliced_axes, false},
    {&tarei_op_reduce_l1, 1, reduced_axes, true},
    {&tarei_op_reduce_l2, 1, reduced_axes, true},
    {&tarei_op_reduce_log_sum, 1, reduced_axes, true},
    {&tarei_op_reduce_log_sum_exp, 1, reduced_axes, true},
    {&tarei_op_reduce_max, 1, reduced_axes, true},
    {&tarei_op_reduce_mean, 1, reduced_axes, true},
    {&tarei_op_reduce_min, 1, reduced_axes, true},
    {&tarei_op_reduce_prod, 1, reduced_axes, true},
    {&tarei_op_reduce_sum, 1, reduced_axes, true},
    {&tarei_op_reduce_sum_square, 1, reduced_axes, true},
};

static const move_axes_row *move_axes_row_of(const tarei_op *const op) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    if (rows[i].op == op) {
      return &rows[i];
    }
  }
  return NULL;
}

/* The axes, not negative; their number, or -1. */
static int move_axes_read_axes(tarei_graph *const graph, const tarei_node *const node,
                               const move_axes_row *const r, int64_t *const axes) {
  const int rank = graph->values[node->in[0]].rank;
  const tarei_attr *const attr = tarei_attr_find(node, "axes");
  const bool given = tarei_node_in(node, r->input) >= 0;
  int n = given || attr ? 0 : r->n_default(graph, node);
  for (int i = 0; i < n && i < rank; i++) {
    axes[i] = i;
  }
  if (given && !tarei_value_ints(graph, node->in[r->input], axes, TARE_MAX_RANK, &n)) {
    return -1;
  }
  if (!given && attr) {
    n = attr->kind == TAREI_ATTR_INTS && attr->n <= TARE_MAX_RANK ? attr->n : -1;
    for (int i = 0; i < n; i++) {
      axes[i] = attr->ints[i];
    }
  }
  for (int i = 0; i < n; i++) {
    axes[i] += axes[i] < 0 ? rank : 0;
    if (n > rank || axes[i] < 0 || axes[i] >= rank) {
      return -1;
    }
  }
  return n;
}

bool tarei_axes_known(tarei_graph *const graph, const tarei_node *const node) {
  const move_axes_row *const r = move_axes_row_of(node->op);
  int64_t axes[TARE_MAX_RANK];
  return r && (!r->reduces || tarei_attr_int(node, "keepdims", 1) != 0) &&
         move_axes_read_axes(graph, node, r, axes) > 0;
}

tare_status tarei_axes_move(tarei_graph *const graph, const int node, const tarei_perm *const perm,
                            tare_error *const err) {
  tarei_node *const n = &graph->nodes[node];
  const move_axes_row *const r = move_axes_row_of(n->op);
  int64_t axes[TARE_MAX_RANK];
  const int n_axes = move_axes_read_axes(graph, n, r, axes);
  for (int i = 0; i < n_axes; i++) {
    axes[i] = perm->axis[axes[i]];
  }
  if (r->input < n->n_in) {
    n->in[r->input] = -1; /* the attribute says it now */
  }
  return tarei_attr_set_ints(n, "axes", axes, n_axes) ? TARE_OK
                                                      : tarei_fail_memory(err, "axes", sizeof axes);
}
