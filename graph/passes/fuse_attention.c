/* Reshapes and transposes that split Q, K and V into heads, two products with a softmax between
 * them, and what puts the heads together again, become one Attention that reads and writes heads
 * side by side. No order of nodes is asked for: heads are followed through whatever moves them. */
#include <math.h>

#include "graph/passes/heads.h"
#include "graph/passes/passes.h"
#include "graph/passes/pattern.h"

typedef struct fuse_attention_match {
  tarei_pattern nodes;
  int scores, product; /* outputs of the two products */
  int mask;            /* -1: none */
  int mask_rank;       /* of the scores that it is added to */
  int guarded;         /* condition under which a Where behind the softmax gives 0, or -1 */
  bool guard;          /* rows that are masked all over give zeros */
  float scale;
  tarei_expr batch, heads;
} fuse_attention_match;

/* An operand, followed back to where its heads lie side by side. */
typedef struct operand {
  int value;
  tarei_heads heads;
  tarei_heads_order order;
} operand;

static bool same_last_axes(const tarei_graph *const graph, const int a, const int b) {
  const tarei_value *const x = &graph->values[a], *const y = &graph->values[b];
  return x->rank >= 2 && y->rank >= 2 && x->dims[x->rank - 1] == y->dims[y->rank - 1] &&
         x->dims[x->rank - 2] == y->dims[y->rank - 2];
}

/* The input that a Mul or Div by one constant factor scales, or -1. */
static int scaled_input(const tarei_graph *const graph, const tarei_node *const node,
                        float *const factor) {
  const bool div = node->op == &tarei_op_div;
  if (!div && node->op != &tarei_op_mul) {
    return -1;
  }
  for (int i = 0; i < (div ? 1 : 2); i++) {
    float c;
    if (tarei_value_const_float(graph, node->in[1 - i], &c) &&
        tarei_values_same_shape(graph, node->in[i], node->out[0])) {
      *factor = div ? 1.0f / c : c;
      return isnormal(*factor) ? node->in[i] : -1;
    }
  }
  return -1;
}

static bool fuse_attention_is_zero(const tarei_graph *const graph, const int value) {
  float c;
  return tarei_value_const_float(graph, value, &c) && c == 0;
}

/* Probabilities behind which rows of NaN become 0, as they are where a row is masked all over: by
 * what says that they are NaN, or by the condition that masked the scores. -1: it is none of these.
 */
static int before_guard(const tarei_graph *const graph, const tarei_node *const where,
                        fuse_attention_match *const m) {
  const int condition = where->in[0];
  const tarei_node *const test = tarei_producer(graph, condition);
  const bool is_nan = test && test->op == &tarei_op_is_nan && test->in[0] == where->in[2];
  const bool equal = test && test->op == &tarei_op_equal && test->in[0] == test->in[1] &&
                     test->in[0] == where->in[1];
  if (m->guard || m->guarded >= 0 || !fuse_attention_is_zero(graph, where->in[equal ? 2 : 1])) {
    return -1;
  }
  if (is_nan || equal) {
    m->guard = tarei_pattern_add(graph, &m->nodes, condition);
    return m->guard ? where->in[equal ? 1 : 2] : -1;
  }
  m->guarded = condition;
  return tarei_values_same_shape(graph, where->in[2], where->out[0]) ? where->in[2] : -1;
}

/* Whether the scores were masked where the probabilities are set to 0: that changes only rows of
 * which nothing is left. */
static bool guard_holds(const tarei_graph *const graph, fuse_attention_match *const m) {
  const tarei_node *const mask = m->mask < 0 ? NULL : tarei_producer(graph, m->mask);
  if (m->guarded >= 0) {
    m->guard = mask && mask->op == &tarei_op_where && mask->in[0] == m->guarded &&
               fuse_attention_is_zero(graph, mask->in[2]);
    return m->guard;
  }
  return true;
}

/* What a node between the two products does to the scores; the value in front of it, or -1. */
static int before(const tarei_graph *const graph, const tarei_node *const node,
                  const bool softmax_seen, fuse_attention_match *const m) {
  float factor;
  const int x = node->in[0];
  if (tarei_is_reshape(graph, node)) {
    return same_last_axes(graph, x, node->out[0]) ? x : -1;
  }
  if (!softmax_seen) {
    const int rank = graph->values[x].rank;
    const int64_t axis = tarei_attr_int(node, "axis", node->opset < 13 ? 1 : -1);
    if (node->op == &tarei_op_scaled_softmax) {
      m->scale = tarei_attr_float(node, "scale", 1);
      m->mask = tarei_node_in(node, 1);
      m->mask_rank = rank;
      return x;
    }
    if (node->op == &tarei_op_where) {
      return before_guard(graph, node, m);
    }
    return node->op == &tarei_op_softmax && (axis == -1 || axis == rank - 1) ? x : -1;
  }
  const int scaled = scaled_input(graph, node, &factor);
  if (scaled >= 0) {
    m->scale *= factor;
    return scaled;
  }
  if (node->op != &tarei_op_add || m->mask >= 0 || m->scale != 1) {
    return -1;
  }
  for (int i = 0; i < 2; i++) {
    const tarei_node *const maker = tarei_producer(graph, node->in[i]);
    if (maker &&
        (maker->op == &tarei_op_matmul || tarei_is_reshape(graph, maker) ||
         scaled_input(graph, maker, &factor) >= 0) &&
        tarei_values_same_shape(graph, node->in[i], node->out[0])) {
      m->mask = node->in[1 - i];
      m->mask_rank = graph->values[node->out[0]].rank;
      return node->in[i];
    }
  }
  return -1;
}

/* Back from the probabilities to the product that makes the scores. */
static bool find_scores(const tarei_graph *const graph, int value, fuse_attention_match *const m) {
  bool softmax_seen = false;
  while (tarei_pattern_add(graph, &m->nodes, value)) {
    const tarei_node *const node = tarei_producer(graph, value);
    if (node->op == &tarei_op_matmul) {
      m->scores = value;
      return softmax_seen && guard_holds(graph, m);
    }
    const int next = before(graph, node, softmax_seen, m);
    softmax_seen |= node->op == &tarei_op_scaled_softmax || node->op == &tarei_op_softmax;
    if (next < 0) {
      return false;
    }
    value = next;
  }
  return false;
}

/* Heads of [B*H, S, d]: a value that Q is moved from has H*d as its last axis. */
static bool count_merged_heads(const tarei_graph *const graph, int value,
                               fuse_attention_match *const m) {
  const tarei_value *const q = &graph->values[value];
  const tarei_expr all = q->dims[0];
  int64_t depth, width = 0;
  if (!tarei_expr_is_const(graph->exprs, q->dims[2], &depth)) {
    return false;
  }
  for (const tarei_node *node = tarei_producer(graph, value); node && node->op->movement;
       node = tarei_producer(graph, value)) {
    value = node->in[0];
    const tarei_value *const v = &graph->values[value];
    if (v->rank > 0 && tarei_expr_is_const(graph->exprs, v->dims[v->rank - 1], &width) &&
        width > depth && width % depth == 0) {
      break;
    }
  }
  m->heads =
      tarei_expr_const(graph->exprs, width > depth && width % depth == 0 ? width / depth : 1);
  m->batch = tarei_expr_floordiv(graph->exprs, all, m->heads);
  return tarei_expr_mul(graph->exprs, m->batch, m->heads) == all;
}

static bool count_heads(const tarei_graph *const graph, const int q,
                        fuse_attention_match *const m) {
  const tarei_value *const v = &graph->values[q];
  int64_t heads;
  if (v->rank == 3) {
    return count_merged_heads(graph, q, m);
  }
  m->batch = v->dims[0];
  m->heads = v->dims[1];
  return v->rank == 4 && tarei_expr_is_const(graph->exprs, m->heads, &heads) && heads >= 1;
}

/* Follows an operand of a product back as far as its parts stay whole, takes constant factors on
 * the way into the scale (`factor` NULL: there may be none), and keeps the last place where heads
 * lie side by side. */
static bool fuse_attention_follow(const tarei_graph *const graph,
                                  const fuse_attention_match *const m, int value, const bool turned,
                                  float *const factor, operand *const out) {
  const tarei_value *const v = &graph->values[value];
  const int rows = v->rank - (turned ? 1 : 2), width = v->rank - (turned ? 2 : 1);
  int64_t known;
  const tarei_expr size[TAREI_HEADS_PARTS] = {m->batch, v->dims[rows], m->heads, v->dims[width]};
  tarei_heads heads;
  float scale = 1;
  out->order = TAREI_HEADS_OTHER;
  if (!tarei_value_is_f32(graph, value) || !tarei_expr_is_const(graph->exprs, size[3], &known) ||
      !tarei_heads_of_product(graph, value, size, turned, &heads)) {
    return false;
  }
  for (;;) {
    const tarei_heads_order order = tarei_heads_order_of(&heads);
    if (order == TAREI_HEADS_BATCH_FIRST ||
        (order == TAREI_HEADS_ROWS_FIRST && out->order != TAREI_HEADS_BATCH_FIRST)) {
      *out = (operand){value, heads, order};
      if (factor) {
        *factor = scale;
      }
    }
    const tarei_node *const node = tarei_producer(graph, value);
    float c;
    const int scaled = node && factor ? scaled_input(graph, node, &c) : -1;
    if (scaled >= 0) {
      scale *= c;
      value = scaled;
    } else if (node && tarei_heads_back(graph, node, &heads)) {
      value = node->in[0];
    } else {
      return out->order != TAREI_HEADS_OTHER;
    }
  }
}

/* Follows the result on to where heads lie side by side, at best with three axes; nodes on the way
 * join the pattern. */
static bool follow_result(const tarei_graph *const graph, fuse_attention_match *const m,
                          const tarei_expr rows, operand *const out) {
  int value = m->product;
  const tarei_value *const v = &graph->values[value];
  const tarei_expr size[TAREI_HEADS_PARTS] = {m->batch, rows, m->heads, v->dims[v->rank - 1]};
  tarei_heads heads;
  tarei_pattern nodes = m->nodes;
  bool flat = false;
  out->order = TAREI_HEADS_OTHER;
  if (!tarei_heads_of_product(graph, value, size, false, &heads)) {
    return false;
  }
  for (;;) {
    const tarei_heads_order order = tarei_heads_order_of(&heads);
    const bool is_flat = tarei_heads_is_flat(graph, value, &heads, order);
    if (order != TAREI_HEADS_OTHER && (is_flat || !flat) &&
        (order == TAREI_HEADS_BATCH_FIRST || out->order != TAREI_HEADS_BATCH_FIRST)) {
      *out = (operand){value, heads, order};
      flat = is_flat && order == TAREI_HEADS_BATCH_FIRST;
      m->nodes = nodes;
    }
    const int next = tarei_graph_sole_consumer(graph, value);
    if (next < 0 || graph->nodes[next].in[0] != value ||
        !tarei_heads_forth(graph, &graph->nodes[next], &heads)) {
      return out->order != TAREI_HEADS_OTHER;
    }
    value = graph->nodes[next].out[0];
    if (!tarei_pattern_add(graph, &nodes, value)) {
      return out->order != TAREI_HEADS_OTHER;
    }
  }
}

/* The mask for scores [B, H, S, T]. One for merged heads [B*H, S, T] is reshaped. */
static tare_status fuse_attention_mask_of(tarei_graph *const graph,
                                          const fuse_attention_match *const m, int *const out,
                                          tare_error *const err) {
  *out = m->mask;
  int64_t leading;
  const tarei_value *const v = m->mask < 0 ? NULL : &graph->values[m->mask];
  if (!v || v->rank < 3 || m->mask_rank != 3 ||
      (tarei_expr_is_const(graph->exprs, v->dims[0], &leading) && leading == 1)) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_add_helper(graph, m->mask, "__heads", out, err));
  tarei_value *const mask = &graph->values[*out];
  mask->rank = 4;
  mask->dims[3] = mask->dims[2];
  mask->dims[2] = mask->dims[1];
  mask->dims[1] = m->heads;
  mask->dims[0] = m->batch;
  return tarei_add_reshape(graph, m->mask, *out, err);
}

/* The mask has the same last axis as the scores, and each other one is the same or 1. */
static bool mask_fits(const tarei_graph *const graph, const fuse_attention_match *const m,
                      const tarei_expr rows, const tarei_expr keys) {
  if (m->mask < 0) {
    return true;
  }
  const tarei_value *const v = &graph->values[m->mask];
  const tarei_expr merged = tarei_expr_mul(graph->exprs, m->batch, m->heads);
  const tarei_expr split_dims[] = {m->batch, m->heads, rows, keys};
  const tarei_expr merged_dims[] = {merged, rows, keys};
  const tarei_expr *const dims = m->mask_rank == 3 ? merged_dims : split_dims;
  if (v->dtype != TARE_F32 || v->rank < 1 || v->rank > m->mask_rank || m->mask_rank < 3 ||
      m->mask_rank > 4) {
    return false;
  }
  for (int d = 0; d < v->rank; d++) {
    int64_t size;
    const bool one =
        d < v->rank - 1 && tarei_expr_is_const(graph->exprs, v->dims[d], &size) && size == 1;
    if (!one && v->dims[d] != dims[m->mask_rank - v->rank + d]) {
      return false;
    }
  }
  return true;
}

static tare_status fuse_attention_note(tarei_graph *const graph, const int node,
                                       const fuse_attention_match *const m,
                                       const tarei_str *const products, tare_error *const err) {
  int64_t heads = 1;
  tarei_node *const n = &graph->nodes[node];
  (void)tarei_expr_is_const(graph->exprs, m->heads, &heads);
  return tarei_attr_set_int(n, "heads", heads) && tarei_attr_set_float(n, "scale", m->scale) &&
                 (!m->guard || tarei_attr_set_int(n, "guard", 1)) && !products->failed &&
                 tarei_attr_set_string(n, TAREI_ATTR_PRODUCTS, tarei_str_get(products))
             ? TARE_OK
             : tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
}

static tare_status fuse_attention_build(tarei_graph *const graph, fuse_attention_match *const m,
                                        const operand in[3], const operand *const result,
                                        tare_error *const err) {
  int inputs[4], out, node;
  for (int i = 0; i < 3; i++) {
    TAREI_TRY(tarei_heads_flatten(graph, in[i].value, &in[i].heads, in[i].order, &inputs[i], err));
  }
  TAREI_TRY(fuse_attention_mask_of(graph, m, &inputs[3], err));
  TAREI_TRY(tarei_heads_unflatten(graph, result->value, &result->heads, result->order, &out, err));
  tarei_str products = {0}; /* before they are removed */
  tarei_str_add(&products, "%s + %s", tarei_producer(graph, m->scores)->name,
                tarei_producer(graph, m->product)->name);
  tare_status status = tarei_pattern_replace(graph, &m->nodes, out, &tarei_op_attention, 1, inputs,
                                             m->mask < 0 ? 3 : 4, &node, err);
  if (status == TARE_OK) {
    status = fuse_attention_note(graph, node, m, &products, err);
  }
  tarei_str_free(&products);
  return status;
}

static tare_status fuse_attention_at(tarei_graph *const graph, const int index, bool *const changed,
                                     tare_error *const err) {
  const tarei_node *const product = &graph->nodes[index];
  fuse_attention_match m = {.product = product->out[0], .mask = -1, .guarded = -1, .scale = 1};
  operand in[3], result;
  float q_factor, k_factor;
  if (!tarei_pattern_add(graph, &m.nodes, m.product) || !find_scores(graph, product->in[0], &m)) {
    return TARE_OK;
  }
  const tarei_node *const scores = tarei_producer(graph, m.scores);
  if (!count_heads(graph, scores->in[0], &m) ||
      !fuse_attention_follow(graph, &m, scores->in[0], false, &q_factor, &in[0]) ||
      !fuse_attention_follow(graph, &m, scores->in[1], true, &k_factor, &in[1]) ||
      !fuse_attention_follow(graph, &m, product->in[1], false, NULL, &in[2])) {
    return TARE_OK;
  }
  const tarei_expr rows = in[0].heads.size[TAREI_HEADS_ROWS];
  const tarei_expr keys = in[1].heads.size[TAREI_HEADS_ROWS];
  if (keys != in[2].heads.size[TAREI_HEADS_ROWS] ||
      in[0].heads.size[TAREI_HEADS_WIDTH] != in[1].heads.size[TAREI_HEADS_WIDTH] ||
      !mask_fits(graph, &m, rows, keys) || !follow_result(graph, &m, rows, &result) ||
      !tarei_pattern_is_closed(graph, &m.nodes, result.value)) {
    return TARE_OK;
  }
  m.scale *= q_factor * k_factor;
  *changed = true;
  return fuse_attention_build(graph, &m, in, &result, err);
}

static tare_status fuse_attention_run(tarei_graph *const graph,
                                      const tarei_pass_options *const options, bool *const changed,
                                      tare_error *const err) {
  (void)options;
  const int n_nodes = graph->n_nodes;
  for (int i = 0; i < n_nodes; i++) {
    if (graph->nodes[i].op == &tarei_op_matmul) {
      TAREI_TRY(fuse_attention_at(graph, i, changed, err));
    }
  }
  return TARE_OK;
}

const tarei_pass tarei_pass_fuse_attention = {
    .name = "fuse_attention",
    .summary = "makes one Attention of the products, softmax and moved heads around it",
    .removes_tensors = true,
    .run = fuse_attention_run,
};
