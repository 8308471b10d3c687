/* From wherever heads are to [batch, rows, heads * width], and back. */
#include "graph/ops/ops_common.h"
#include "graph/passes/attention/heads.h"
#include "graph/passes/dims_attr.h"
#include "graph/passes/layout.h"

static tarei_shape flat_shape(const tarei_graph *const graph, const tarei_heads *const heads) {
  const tarei_expr *const size = heads->size;
  const tarei_expr all =
      tarei_expr_mul(graph->exprs, size[TAREI_HEADS_HEADS], size[TAREI_HEADS_REPEATS]);
  return (tarei_shape){.rank = 3,
                       .dims = {size[TAREI_HEADS_BATCH], size[TAREI_HEADS_ROWS],
                                tarei_expr_mul(graph->exprs, all, size[TAREI_HEADS_WIDTH])}};
}

static bool has_shape(const tarei_graph *const graph, const int value,
                      const tarei_shape *const shape) {
  const tarei_value *const v = &graph->values[value];
  bool same = v->rank == shape->rank;
  for (int d = 0; same && d < v->rank; d++) {
    same = v->dims[d] == shape->dims[d];
  }
  return same;
}

bool tarei_heads_is_flat(const tarei_graph *const graph, const int value,
                         const tarei_heads *const heads) {
  const tarei_shape flat = flat_shape(graph, heads);
  return tarei_heads_order_of(heads) == TAREI_HEADS_BATCH_FIRST &&
         tarei_length_is_one(graph, heads->size[TAREI_HEADS_PICK]) &&
         has_shape(graph, value, &flat);
}

/* A Reshape of `from` to the dims of `to`. */
static tare_status flat_heads_reshape(tarei_graph *const graph, const int from, const int to,
                                      tare_error *const err) {
  int node;
  TAREI_TRY(tarei_add_node(graph, &tarei_op_reshape, graph->values[to].name, 14, &from, 1, to,
                           &node, err));
  return tarei_dims_to_attr(graph, &graph->nodes[node], to, err);
}

/* A new value, named after `value`. */
static tare_status add_shaped(tarei_graph *const graph, const int value,
                              const tarei_shape *const shape, int *const out,
                              tare_error *const err) {
  TAREI_TRY(tarei_add_helper(graph, value, "__heads", out, err));
  tarei_value *const v = &graph->values[*out];
  v->rank = shape->rank;
  for (int d = 0; d < shape->rank; d++) {
    v->dims[d] = shape->dims[d];
  }
  return TARE_OK;
}

static tare_status reshape_to(tarei_graph *const graph, const tarei_shape *const shape,
                              int *const value, tare_error *const err) {
  if (has_shape(graph, *value, shape)) {
    return TARE_OK;
  }
  const int from = *value;
  TAREI_TRY(add_shaped(graph, from, shape, value, err));
  return flat_heads_reshape(graph, from, *value, err);
}

/* Parts that stay beside one another as one axis each, and where they go: axis i of [batch, rows,
 * heads, width] is axis perm[i] of these. */
typedef struct heads_groups {
  tarei_shape shape;
  tarei_perm perm;
  int pick; /* axis of the pick in front of that, or -1 */
  tarei_expr of;
} heads_groups;

/* The part that comes next in [batch, rows, heads, width], of those that are there. */
static tarei_heads_part part_behind(const tarei_heads *const heads, const tarei_heads_part part) {
  tarei_heads_part next = TAREI_HEADS_PARTS;
  for (int i = 0; i < tarei_heads_count(heads); i++) {
    const tarei_heads_part p = heads->at[i];
    next = p != TAREI_HEADS_PICK && p > part && p < next ? p : next;
  }
  return next;
}

static heads_groups heads_groups_of(const tarei_graph *const graph,
                                    const tarei_heads *const heads) {
  heads_groups g = {.pick = -1};
  tarei_heads_part firsts[TAREI_HEADS_PARTS], last = TAREI_HEADS_PARTS;
  for (int i = 0; i < tarei_heads_count(heads); i++) {
    const tarei_heads_part part = heads->at[i];
    if (part == TAREI_HEADS_PICK) {
      g.pick = g.shape.rank;
      g.of = heads->size[part];
      last = TAREI_HEADS_PARTS;
      continue;
    }
    const bool joins = last != TAREI_HEADS_PARTS && part_behind(heads, last) == part;
    const int axis = joins ? g.shape.rank - 1 : g.shape.rank++;
    g.shape.dims[axis] = joins ? tarei_expr_mul(graph->exprs, g.shape.dims[axis], heads->size[part])
                               : heads->size[part];
    firsts[axis] = joins ? firsts[axis] : part;
    last = part;
  }
  g.perm.rank = g.shape.rank;
  for (int i = 0; i < g.shape.rank; i++) {
    int place = 0;
    for (int k = 0; k < g.shape.rank; k++) {
      place += firsts[k] < firsts[i];
    }
    g.perm.axis[place] = i;
  }
  return g;
}

static tare_status pick_tensor(tarei_graph *const graph, const heads_groups *const g,
                               const int64_t picked, int *const value, tare_error *const err) {
  tarei_shape all = {.rank = g->shape.rank + 1};
  for (int d = 0; d < all.rank; d++) {
    all.dims[d] = d == g->pick ? g->of : g->shape.dims[d - (d > g->pick)];
  }
  TAREI_TRY(reshape_to(graph, &all, value, err));
  const int in[] = {*value, tarei_graph_add_const(graph, "picked", TARE_I64, 0, NULL, &picked)};
  int node;
  TAREI_TRY(add_shaped(graph, in[0], &g->shape, value, err));
  graph->values[*value].observable = true;
  TAREI_TRY(tarei_add_node(graph, &tarei_op_gather, graph->values[*value].name, 13, in, 2, *value,
                           &node, err));
  return in[1] >= 0 && tarei_attr_set_int(&graph->nodes[node], "axis", g->pick)
             ? TARE_OK
             : tarei_fail_memory(err, "axis", sizeof(tarei_attr));
}

tare_status tarei_heads_flatten(tarei_graph *const graph, const int value,
                                const tarei_heads *const heads, int *const out,
                                tare_error *const err) {
  const heads_groups g = heads_groups_of(graph, heads);
  const tarei_shape flat = flat_shape(graph, heads);
  *out = value;
  if (g.pick >= 0) {
    TAREI_TRY(pick_tensor(graph, &g, heads->picked, out, err));
  }
  if (!tarei_perm_is_identity(&g.perm)) {
    TAREI_TRY(reshape_to(graph, &g.shape, out, err));
    const int from = *out;
    TAREI_TRY(add_shaped(graph, from, &g.shape, out, err));
    TAREI_TRY(tarei_add_transpose(graph, from, *out, &g.perm, err));
  }
  return reshape_to(graph, &flat, out, err);
}

/* A new value in front of `to`, which a Reshape makes of it. */
static tare_status reshape_from(tarei_graph *const graph, const tarei_shape *const shape,
                                int *const to, tare_error *const err) {
  if (has_shape(graph, *to, shape)) {
    return TARE_OK;
  }
  const int made = *to;
  TAREI_TRY(add_shaped(graph, made, shape, to, err));
  return flat_heads_reshape(graph, *to, made, err);
}

tare_status tarei_heads_unflatten(tarei_graph *const graph, const int value,
                                  const tarei_heads *const heads, int *const out,
                                  tare_error *const err) {
  const heads_groups g = heads_groups_of(graph, heads);
  const tarei_shape flat = flat_shape(graph, heads);
  *out = value;
  if (!tarei_perm_is_identity(&g.perm)) {
    const tarei_perm inverse = tarei_perm_inverse(&g.perm);
    tarei_shape turned = {.rank = g.perm.rank};
    for (int i = 0; i < turned.rank; i++) {
      turned.dims[i] = g.shape.dims[g.perm.axis[i]];
    }
    TAREI_TRY(reshape_from(graph, &g.shape, out, err));
    const int to = *out;
    TAREI_TRY(add_shaped(graph, to, &turned, out, err));
    TAREI_TRY(tarei_add_transpose(graph, *out, to, &inverse, err));
  }
  TAREI_TRY(reshape_from(graph, &flat, out, err));
  if (*out != value) {
    tarei_hand_over_name(graph, value, *out);
  }
  return TARE_OK;
}

tare_status tarei_heads_repeat(tarei_graph *const graph, const int value,
                               const tarei_heads *const heads, const int64_t repeats,
                               int *const out, tare_error *const err) {
  const tarei_shape flat = flat_shape(graph, heads);
  const tarei_expr *const size = heads->size;
  const tarei_expr few =
      tarei_expr_mul(graph->exprs, size[TAREI_HEADS_HEADS], size[TAREI_HEADS_REPEATS]);
  const tarei_expr times = tarei_expr_const(graph->exprs, repeats);
  tarei_shape shape = {.rank = 5,
                       .dims = {flat.dims[0], flat.dims[1], few, tarei_expr_const(graph->exprs, 1),
                                size[TAREI_HEADS_WIDTH]}};
  *out = value;
  TAREI_TRY(reshape_to(graph, &shape, out, err));
  const int from = *out;
  int node;
  shape.dims[3] = times;
  TAREI_TRY(add_shaped(graph, from, &shape, out, err));
  graph->values[*out].observable = true;
  TAREI_TRY(tarei_add_node(graph, &tarei_op_expand, graph->values[*out].name, 13, &from, 1, *out,
                           &node, err));
  TAREI_TRY(tarei_dims_to_attr(graph, &graph->nodes[node], *out, err));
  const tarei_shape all = {
      .rank = 3,
      .dims = {flat.dims[0], flat.dims[1], tarei_expr_mul(graph->exprs, flat.dims[2], times)}};
  return reshape_to(graph, &all, out, err);
}
