#include "graph/passes/attention/heads.h"

#include "graph/passes/layout.h"

bool tarei_length_is_one(const tarei_graph *const graph, const tarei_expr length) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, length, &n) && n == 1;
}

/* Parts in the order in which they are shared out among axes. */
typedef struct heads_parts {
  int n;
  tarei_heads_part at[TAREI_HEADS_PARTS];
} heads_parts;

static void insert_part(heads_parts *const p, const int place, const tarei_heads_part part) {
  for (int i = p->n++; i > place; i--) {
    p->at[i] = p->at[i - 1];
  }
  p->at[place] = part;
}

/* Where an axis, of which `size` is filled, has room for some of the heads only, the others are
 * repeats. */
static void split_heads(const tarei_graph *const graph, const tarei_expr size, const tarei_expr dim,
                        heads_parts *const p, const int place, tarei_heads *const heads) {
  int64_t filled, room, all;
  const bool known = tarei_expr_is_const(graph->exprs, size, &filled) &&
                     tarei_expr_is_const(graph->exprs, dim, &room) &&
                     tarei_expr_is_const(graph->exprs, heads->size[TAREI_HEADS_HEADS], &all);
  if (p->at[place] != TAREI_HEADS_HEADS || !known || room % filled ||
      !tarei_length_is_one(graph, heads->size[TAREI_HEADS_REPEATS])) {
    return;
  }
  const int64_t few = room / filled;
  if (few < all && all % few == 0) {
    heads->size[TAREI_HEADS_HEADS] = tarei_expr_const(graph->exprs, few);
    heads->size[TAREI_HEADS_REPEATS] = tarei_expr_const(graph->exprs, all / few);
    insert_part(p, place + 1, TAREI_HEADS_REPEATS);
  }
}

/* Shares the parts out among the axes of a value. */
static bool regroup(const tarei_graph *const graph, heads_parts left, const int value,
                    tarei_heads *const heads) {
  const tarei_value *const v = &graph->values[value];
  int next = 0;
  heads->rank = v->rank;
  for (int axis = 0; axis < v->rank; axis++) {
    heads->first[axis] = next;
    tarei_expr size = tarei_expr_const(graph->exprs, 1);
    while (size != v->dims[axis]) {
      if (next == left.n || size == TAREI_EXPR_NONE) {
        return false;
      }
      split_heads(graph, size, v->dims[axis], &left, next, heads);
      size = tarei_expr_mul(graph->exprs, size, heads->size[left.at[next]]);
      heads->at[next] = left.at[next];
      next++;
    }
  }
  heads->first[v->rank] = next;
  return next == left.n;
}

bool tarei_heads_of_product(const tarei_graph *const graph, const int value,
                            const tarei_heads_sizes *const sizes, const bool turned,
                            tarei_heads *const out) {
  const tarei_heads_part order[] = {TAREI_HEADS_BATCH, TAREI_HEADS_HEADS,
                                    turned ? TAREI_HEADS_WIDTH : TAREI_HEADS_ROWS,
                                    turned ? TAREI_HEADS_ROWS : TAREI_HEADS_WIDTH};
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  *out = (tarei_heads){.size = {[TAREI_HEADS_BATCH] = sizes->batch,
                                [TAREI_HEADS_ROWS] = sizes->rows,
                                [TAREI_HEADS_HEADS] = sizes->heads,
                                [TAREI_HEADS_REPEATS] = one,
                                [TAREI_HEADS_WIDTH] = sizes->width,
                                [TAREI_HEADS_PICK] = one}};
  heads_parts kept = {0};
  for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
    if (!tarei_length_is_one(graph, out->size[order[i]])) {
      kept.at[kept.n++] = order[i];
    }
  }
  return regroup(graph, kept, value, out);
}

static heads_parts heads_parts_of(const tarei_heads *const heads) {
  heads_parts p = {.n = tarei_heads_count(heads)};
  for (int i = 0; i < p.n; i++) {
    p.at[i] = heads->at[i];
  }
  return p;
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
  return tarei_is_reshape(graph, node) && regroup(graph, heads_parts_of(heads), to, heads);
}

bool tarei_heads_back(const tarei_graph *const graph, const tarei_node *const node,
                      tarei_heads *const heads) {
  return heads_move(graph, node, true, heads);
}

bool tarei_heads_forth(const tarei_graph *const graph, const tarei_node *const node,
                       tarei_heads *const heads) {
  return heads_move(graph, node, false, heads);
}

/* The only axis along which a node with one input writes more than it reads, where its input has
 * length 1; else -1. */
static int repeated_axis(const tarei_graph *const graph, const tarei_node *const node) {
  const tarei_value *const x = &graph->values[node->in[0]], *const y = &graph->values[node->out[0]];
  int found = -1;
  for (int axis = 0; axis < y->rank; axis++) {
    if (x->rank != y->rank || (x->dims[axis] != y->dims[axis] &&
                               (found >= 0 || !tarei_length_is_one(graph, x->dims[axis])))) {
      return -1;
    }
    found = x->dims[axis] == y->dims[axis] ? found : axis;
  }
  return found;
}

static bool joins_copies(const tarei_node *const node) {
  for (int i = 1; i < node->n_in; i++) {
    if (node->in[i] != node->in[0]) {
      return false;
    }
  }
  return node->op == &tarei_op_concat;
}

static void drop_part(tarei_heads *const heads, const tarei_expr one, const int place) {
  heads->size[heads->at[place]] = one;
  for (int axis = 0; axis <= heads->rank; axis++) {
    heads->first[axis] -= heads->first[axis] > place;
  }
  for (int i = place; i < tarei_heads_count(heads); i++) {
    heads->at[i] = heads->at[i + 1];
  }
}

/* Copies of all that an axis holds: repeats, or all heads. */
static bool back_copies(const tarei_graph *const graph, const tarei_node *const node,
                        tarei_heads *const heads) {
  const int axis = repeated_axis(graph, node);
  const bool whole = tarei_length_is_one(graph, heads->size[TAREI_HEADS_REPEATS]);
  if (axis < 0) {
    return false;
  }
  const int first = heads->first[axis];
  if (heads->first[axis + 1] != first + 1 || !(heads->at[first] == TAREI_HEADS_REPEATS ||
                                               (whole && heads->at[first] == TAREI_HEADS_HEADS))) {
    return false;
  }
  drop_part(heads, tarei_expr_const(graph->exprs, 1), first);
  return true;
}

static int64_t heads_axis_of(const tarei_node *const node, const int rank) {
  const int64_t axis = tarei_attr_int(node, "axis", 0);
  return axis < 0 ? axis + rank : axis;
}

/* A Gather of heads, each as often as all others, neighbours alike. */
static bool back_gathered(const tarei_graph *const graph, const tarei_node *const node,
                          tarei_heads *const heads) {
  enum { MOST = 256 };
  int64_t from[MOST], few;
  int n = 0;
  const tarei_value *const x = &graph->values[node->in[0]];
  const int64_t axis = heads_axis_of(node, x->rank);
  if (x->rank != heads->rank || axis < 0 || axis >= x->rank ||
      heads->first[axis + 1] != heads->first[axis] + 1 ||
      heads->at[heads->first[axis]] != TAREI_HEADS_HEADS ||
      !tarei_length_is_one(graph, heads->size[TAREI_HEADS_REPEATS]) ||
      !tarei_value_ints(graph, node->in[1], from, MOST, &n) ||
      !tarei_expr_is_const(graph->exprs, x->dims[axis], &few) || few < 1 || n % few) {
    return false;
  }
  for (int i = 0; i < n; i++) {
    if (from[i] != i / (n / few)) {
      return false;
    }
  }
  heads->size[TAREI_HEADS_HEADS] = x->dims[axis];
  if (few == 1) {
    drop_part(heads, x->dims[axis], heads->first[axis]);
  }
  return true;
}

bool tarei_heads_back_repeats(const tarei_graph *const graph, const tarei_node *const node,
                              tarei_heads *const heads) {
  return node->op == &tarei_op_gather ? back_gathered(graph, node, heads)
         : node->op == &tarei_op_expand || node->op == &tarei_op_tile || joins_copies(node)
             ? back_copies(graph, node, heads)
             : false;
}

/* The part in front of all others that an axis holds. */
static void add_pick(const tarei_graph *const graph, const int axis, const int64_t of,
                     const int64_t picked, tarei_heads *const heads) {
  heads_parts p = heads_parts_of(heads);
  insert_part(&p, heads->first[axis], TAREI_HEADS_PICK);
  for (int i = 0; i < p.n; i++) {
    heads->at[i] = p.at[i];
  }
  for (int i = axis + 1; i <= heads->rank; i++) {
    heads->first[i]++;
  }
  heads->size[TAREI_HEADS_PICK] = tarei_expr_const(graph->exprs, of);
  heads->picked = picked;
}

/* One of equal parts of an axis. */
static bool back_split(const tarei_graph *const graph, const tarei_node *const node,
                       const int value, tarei_heads *const heads) {
  const tarei_value *const x = &graph->values[node->in[0]];
  const int64_t axis = heads_axis_of(node, x->rank);
  int64_t all, size, picked = -1;
  if (axis < 0 || axis >= x->rank || !tarei_expr_is_const(graph->exprs, x->dims[axis], &all) ||
      !tarei_value_dim_const(graph, value, (int)axis, &size) || size < 1 || all % size) {
    return false;
  }
  for (int i = 0; i < node->n_out; i++) {
    int64_t other;
    if (node->out[i] < 0 || !tarei_value_dim_const(graph, node->out[i], (int)axis, &other) ||
        other != size) {
      return false;
    }
    picked = node->out[i] == value ? i : picked;
  }
  add_pick(graph, (int)axis, all / size, picked, heads);
  return true;
}

/* One entry of an axis. */
static bool back_entry(const tarei_graph *const graph, const tarei_node *const node,
                       tarei_heads *const heads) {
  const tarei_value *const x = &graph->values[node->in[0]];
  const int64_t axis = heads_axis_of(node, x->rank);
  int64_t picked, of;
  int n;
  if (graph->values[node->in[1]].rank != 0 || axis < 0 || axis >= x->rank ||
      !tarei_value_ints(graph, node->in[1], &picked, 1, &n) ||
      !tarei_expr_is_const(graph->exprs, x->dims[axis], &of) || of < 2) {
    return false;
  }
  heads->rank++;
  for (int i = heads->rank; i > axis; i--) {
    heads->first[i] = heads->first[i - 1];
  }
  add_pick(graph, (int)axis, of, picked < 0 ? picked + of : picked, heads);
  return true;
}

bool tarei_heads_back_pick(const tarei_graph *const graph, const tarei_node *const node,
                           const int value, tarei_heads *const heads) {
  return tarei_length_is_one(graph, heads->size[TAREI_HEADS_PICK]) &&
         ((node->op == &tarei_op_split && back_split(graph, node, value, heads)) ||
          (node->op == &tarei_op_gather && back_entry(graph, node, heads)));
}

/* Whether the parts but the pick stand in the order of their places. */
static bool ascends(const tarei_heads *const heads, const int places[TAREI_HEADS_PARTS]) {
  int last = -1;
  for (int i = 0; i < tarei_heads_count(heads); i++) {
    if (heads->at[i] != TAREI_HEADS_PICK) {
      if (places[heads->at[i]] < last) {
        return false;
      }
      last = places[heads->at[i]];
    }
  }
  return true;
}

tarei_heads_order tarei_heads_order_of(const tarei_heads *const heads) {
  static const int batch_first[TAREI_HEADS_PARTS] = {0, 1, 2, 3, 4};
  static const int rows_first[TAREI_HEADS_PARTS] = {1, 0, 2, 3, 4};
  return ascends(heads, batch_first)  ? TAREI_HEADS_BATCH_FIRST
         : ascends(heads, rows_first) ? TAREI_HEADS_ROWS_FIRST
                                      : TAREI_HEADS_OTHER;
}
