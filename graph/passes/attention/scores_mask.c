/* One mask of all that is added to scores, or chosen in their place. */
#include "graph/ir/build.h"
#include "graph/ir/internal_attrs.h"
#include "graph/ops/ops_common.h"
#include "graph/passes/attention/scores.h"
#include "graph/passes/dims_attr.h"

/* How a part of the mask becomes one of four axes. */
typedef struct fitting {
  tarei_shape wide; /* to which it is expanded first */
  bool expands, reshapes;
  tarei_expr dims[4];
} fitting;

/* Axes [from, to) of the scores are one axis of the mask. If only some of them are in the mask, all
 * have to be. */
static tarei_expr merge_leading(const tarei_graph *const graph, const tarei_shape *const like,
                                fitting *const f, const int from, const int to) {
  bool some = false;
  for (int d = from; d < to; d++) {
    some |= !tarei_length_is_one(graph, f->wide.dims[d]);
  }
  for (int d = from; some && d < to; d++) {
    f->expands |=
        tarei_length_is_one(graph, f->wide.dims[d]) && !tarei_length_is_one(graph, like->dims[d]);
    f->wide.dims[d] = like->dims[d];
  }
  return tarei_ops_product(graph, &f->wide, from, to);
}

/* Which of the first axes of the scores hold the batch, if the others hold the heads; -1: none. */
static int axes_of_batch(const tarei_graph *const graph, const tarei_shape *const like,
                         const tarei_heads_sizes *const sizes) {
  const int leading = like->rank - 2;
  int axes = leading;
  while (axes >= 0 && (tarei_ops_product(graph, like, 0, axes) != sizes->batch ||
                       tarei_ops_product(graph, like, axes, leading) != sizes->heads)) {
    axes--;
  }
  return axes;
}

/* Whether a length is another one wherever the model runs: the same, or what a slice of a longer
 * constant has of it. */
static bool fills(const tarei_graph *const graph, const tarei_expr size, const tarei_expr all) {
  tarei_exprs *const pool = graph->exprs;
  const tarei_expr few = tarei_expr_min(pool, all, tarei_expr_const(pool, 2));
  return size == all || (tarei_expr_min(pool, size, all) == size &&
                         tarei_expr_min(pool, size, few) == few); /* 1 only where all is */
}

/* The mask with as many axes as the scores. */
static bool take_axes(const tarei_graph *const graph, const tarei_value *const mask,
                      const tarei_shape *const like, fitting *const f) {
  f->wide.rank = like->rank;
  for (int d = 0; d < like->rank; d++) {
    const int own = d - (like->rank - mask->rank);
    f->wide.dims[d] = own < 0 ? tarei_expr_const(graph->exprs, 1) : mask->dims[own];
    if (!tarei_length_is_one(graph, f->wide.dims[d]) &&
        !fills(graph, f->wide.dims[d], like->dims[d])) {
      return false;
    }
  }
  return mask->rank <= like->rank;
}

/* The first two of the four axes. */
static bool split_leading(const tarei_graph *const graph, const tarei_shape *const like,
                          const tarei_heads_sizes *const sizes, fitting *const f) {
  const int batch = axes_of_batch(graph, like, sizes);
  if (batch >= 0) {
    f->dims[0] = merge_leading(graph, like, f, 0, batch);
    f->dims[1] = merge_leading(graph, like, f, batch, like->rank - 2);
    return true;
  }
  const bool one = tarei_length_is_one(graph, f->wide.dims[0]);
  f->dims[0] = one ? f->wide.dims[0] : sizes->batch;
  f->dims[1] = one ? f->wide.dims[0] : sizes->heads;
  return like->rank == 3 &&
         like->dims[0] == tarei_expr_mul(graph->exprs, sizes->batch, sizes->heads);
}

static bool fit(const tarei_graph *const graph, const tarei_scores_step *const step,
                const tarei_heads_sizes *const sizes, const tarei_expr keys, fitting *const f) {
  const tarei_value *const mask = &graph->values[step->mask];
  const tarei_shape like = tarei_ops_shape(&graph->values[step->like]);
  const int rows = like.rank - 2;
  *f = (fitting){0};
  if (rows < 1 || like.dims[rows] != sizes->rows || like.dims[rows + 1] != keys ||
      mask->dtype != (step->kind == TAREI_SCORES_CHOOSE ? TARE_BOOL : TARE_F32) ||
      !take_axes(graph, mask, &like, f) || !split_leading(graph, &like, sizes, f)) {
    return false;
  }
  f->dims[2] = f->wide.dims[rows];
  f->dims[3] = f->wide.dims[rows + 1];
  const bool same =
      f->wide.rank == 4 && f->wide.dims[0] == f->dims[0] && f->wide.dims[1] == f->dims[1];
  const bool shared = tarei_length_is_one(graph, f->dims[0]) &&
                      tarei_length_is_one(graph, f->dims[1]) && mask->rank <= 4;
  f->reshapes = mask->rank > 2 && !same && !shared;
  return true;
}

static bool has_mask(const tarei_scores_step *const step) {
  return step->kind == TAREI_SCORES_ADD || step->kind == TAREI_SCORES_SUBTRACT ||
         step->kind == TAREI_SCORES_CHOOSE;
}

bool tarei_scores_fit(const tarei_graph *const graph, const tarei_scores *const scores,
                      const tarei_heads_sizes *const sizes, const tarei_expr keys) {
  for (int i = 0; i < scores->n; i++) {
    fitting f;
    if (has_mask(&scores->steps[i]) && !fit(graph, &scores->steps[i], sizes, keys, &f)) {
      return false;
    }
  }
  return true;
}

/* The same value, or the same number. */
static bool same_input(const tarei_graph *const graph, const int a, const int b) {
  float x, y;
  return a == b ||
         (tarei_value_const_float(graph, a, &x) && tarei_value_const_float(graph, b, &y) && x == y);
}

static bool reads(const tarei_graph *const graph, const tarei_node *const node, const int *const in,
                  const int n_in) {
  bool same = node->n_in == n_in;
  for (int i = 0; same && i < n_in; i++) {
    same = same_input(graph, node->in[i], in[i]);
  }
  return same;
}

static bool makes(const tarei_node *const node, const tarei_shape *const to) {
  int n = 0;
  const tarei_expr *const dims = to ? tarei_attr_exprs(node, TAREI_ATTR_DIMS, &n) : NULL;
  bool same = to ? n == to->rank : true;
  for (int d = 0; same && d < n; d++) {
    same = dims[d] == to->dims[d];
  }
  return same;
}

/* What another attention has of its mask already, or -1: layers share masks. */
static int find_written(const tarei_build *const b, const tarei_op *const op, const int *const in,
                        const int n_in, const tarei_shape *const to) {
  const tarei_graph *const g = b->graph;
  for (int i = 0; !b->failed && i < n_in; i++) {
    for (tarei_use u = g->values[in[i]].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
      const tarei_node *const node = &g->nodes[u.node];
      if (node->op == op && reads(g, node, in, n_in) && makes(node, to)) {
        return node->out[0];
      }
    }
  }
  return -1;
}

/* A node without attributes. */
static int write_once(tarei_build *const b, const tarei_op *const op, const int *const in,
                      const int n_in) {
  const int found = find_written(b, op, in, n_in, NULL);
  return found < 0 ? tarei_build_node(b, op->name, in, n_in) : found;
}

static int combine_parts(tarei_build *const b, const tarei_op *const op, const int x, const int y) {
  const int in[] = {x, y};
  return write_once(b, op, in, 2);
}

static int expand_to(tarei_build *const b, const int x, const tarei_shape *const to) {
  const int found = find_written(b, &tarei_op_expand, &x, 1, to);
  if (found >= 0) {
    return found;
  }
  const int y = tarei_build_unary(b, "Expand", x);
  b->failed |= y >= 0 && !tarei_dims_set_attr(&b->graph->nodes[b->last], to->dims, to->rank);
  return y;
}

static int reshape_part(tarei_build *const b, const int x, const tarei_expr dims[4]) {
  enum { NEW_VALUE = -2 };
  const tarei_shape to = {.rank = 4, .dims = {dims[0], dims[1], dims[2], dims[3]}};
  const int found = find_written(b, &tarei_op_reshape, &x, 1, &to);
  return found < 0 ? tarei_build_reshape(b, x, dims, 4, NEW_VALUE) : found;
}

static int fitted_part(tarei_build *const b, const fitting *const f, const int mask) {
  const int wide = f->expands ? expand_to(b, mask, &f->wide) : mask;
  return f->reshapes ? reshape_part(b, wide, f->dims) : wide;
}

static int float_number(tarei_build *const b, const float x) {
  return tarei_build_number(b, TARE_F32, (double)x);
}

static int choose_scores(tarei_build *const b, const int condition, const bool masks,
                         const float low, const int mask) {
  const int kept = mask < 0 ? float_number(b, 0) : mask, lowest = float_number(b, low);
  const int in[] = {condition, masks ? lowest : kept, masks ? kept : lowest};
  return write_once(b, &tarei_op_where, in, 3);
}

/* What a step makes of the mask before it. */
static int write_step(tarei_build *const b, const tarei_scores_step *const step, const int part,
                      const int mask) {
  switch (step->kind) {
    case TAREI_SCORES_FACTOR:
      return mask < 0 || step->number == 1
                 ? mask
                 : combine_parts(b, &tarei_op_mul, mask, float_number(b, step->number));
    case TAREI_SCORES_ADD:
      return mask < 0 ? part : combine_parts(b, &tarei_op_add, mask, part);
    case TAREI_SCORES_SUBTRACT:
      return mask < 0 ? write_once(b, &tarei_op_neg, &part, 1)
                      : combine_parts(b, &tarei_op_sub, mask, part);
    case TAREI_SCORES_CHOOSE:
      return choose_scores(b, part, step->masks, step->number, mask);
    case TAREI_SCORES_BOUND:
      return mask < 0 ? mask : combine_parts(b, &tarei_op_max, mask, float_number(b, step->number));
  }
  return mask;
}

/* A mask that is the same for all keys has as many of them. */
static int over_all_keys(tarei_build *const b, const tarei_expr all[4], const tarei_expr keys,
                         const int mask) {
  if (mask < 0 || !tarei_length_is_one(b->graph, all[3]) || all[3] == keys) {
    return mask;
  }
  const tarei_shape wide = {.rank = 4, .dims = {all[0], all[1], all[2], keys}};
  return expand_to(b, mask, &wide);
}

tare_status tarei_scores_mask(tarei_graph *const graph, const tarei_scores *const scores,
                              const tarei_heads_sizes *const sizes, const tarei_expr keys,
                              const int node, int *const out, tare_error *const err) {
  const tarei_expr one = tarei_expr_const(graph->exprs, 1);
  tarei_expr all[] = {one, one, one, one};
  tarei_build b = tarei_build_at(graph, node);
  *out = -1;
  for (int i = scores->n - 1; i >= 0; i--) {
    const tarei_scores_step *const step = &scores->steps[i];
    fitting f;
    int part = -1;
    if (has_mask(step) && fit(graph, step, sizes, keys, &f)) {
      part = fitted_part(&b, &f, step->mask);
      for (int d = 0; d < 4; d++) {
        all[d] = tarei_length_is_one(graph, all[d]) ? f.dims[d] : all[d];
      }
    }
    *out = write_step(&b, step, part, *out);
  }
  *out = over_all_keys(&b, all, keys, *out);
  return tarei_build_done(&b, err);
}
