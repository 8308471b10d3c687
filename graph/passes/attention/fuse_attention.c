/* Reshapes and transposes that split Q, K and V into heads, two products with a softmax between
 * them, and what puts the heads together again, become one Attention that reads and writes heads
 * side by side. No order of nodes is asked for: heads are followed through whatever moves them. */
#include <math.h>

#include "graph/passes/attention/heads.h"
#include "graph/passes/passes.h"
#include "graph/passes/attention/scores.h"

typedef struct fuse_attention_match {
  tarei_scores scores; /* with the nodes that are replaced */
  int product;         /* output of the second product */
  int guarded;         /* condition under which a Where behind the softmax gives 0, or -1 */
  bool guard;          /* rows that are masked all over give zeros */
  float scale;
  tarei_expr batch, heads;
} fuse_attention_match;

/* An operand, followed back to where its heads lie side by side, or as far as it goes. */
typedef struct operand {
  int value;
  tarei_heads heads;
  tarei_heads_order order;
  float factor; /* taken on the way */
} operand;

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
    m->guard = tarei_pattern_add(graph, &m->scores.nodes, condition);
    return m->guard ? where->in[equal ? 1 : 2] : -1;
  }
  m->guarded = condition;
  return tarei_values_same_shape(graph, where->in[2], where->out[0]) ? where->in[2] : -1;
}

static bool holds_floats(const tarei_graph *const graph, const int value) {
  const tare_dtype dtype = graph->values[value].dtype;
  return dtype == TARE_F32 || dtype == TARE_F16 || dtype == TARE_BF16;
}

/* The value in front of a node between the softmax and the second product, or -1. */
static int before_probabilities(const tarei_graph *const graph, const tarei_node *const node,
                                fuse_attention_match *const m) {
  if (node->op == &tarei_op_where) {
    return before_guard(graph, node, m);
  }
  const bool converts = node->op == &tarei_op_cast && holds_floats(graph, node->in[0]) &&
                        holds_floats(graph, node->out[0]); /* to a short float and back */
  return converts || tarei_is_reshape(graph, node) ? node->in[0] : -1;
}

/* Back from the probabilities to the product that makes the scores. A Where behind the softmax that
 * follows the condition by which they were masked changes only rows of which nothing is left. */
static bool find_scores(const tarei_graph *const graph, int value, fuse_attention_match *const m) {
  while (!tarei_scores_find(graph, value, &m->scores)) {
    const tarei_node *const node = tarei_producer(graph, value);
    if (!node || !tarei_pattern_add(graph, &m->scores.nodes, value)) {
      return false;
    }
    value = before_probabilities(graph, node, m);
  }
  if (m->guarded >= 0) {
    m->guard = tarei_scores_empty_by(graph, &m->scores, m->guarded);
    return m->guard;
  }
  return true;
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
  m->heads = v->rank == 5 ? tarei_expr_mul(graph->exprs, v->dims[1], v->dims[2]) : v->dims[1];
  return (v->rank == 4 || v->rank == 5) && tarei_expr_is_const(graph->exprs, m->heads, &heads) &&
         heads >= 1;
}

/* Heads that keys or values have, which products may use several times. */
static tarei_expr own_heads(const tarei_graph *const graph, const fuse_attention_match *const m,
                            const int value) {
  const tarei_value *const v = &graph->values[value];
  int64_t repeats;
  const bool grouped =
      v->rank == 5 && tarei_expr_is_const(graph->exprs, v->dims[2], &repeats) && repeats == 1;
  return v->rank == 4 || grouped ? v->dims[1] : m->heads;
}

static void keep_better_place(operand *const best, const operand *const now) {
  if (now->order == TAREI_HEADS_BATCH_FIRST || now->order == best->order ||
      (now->order == TAREI_HEADS_ROWS_FIRST && best->order == TAREI_HEADS_OTHER)) {
    *best = *now;
  }
}

/* The value in front of the node that makes the operand; -1 where the parts do not stay whole, or
 * need not be followed on. */
static int behind(const tarei_graph *const graph, operand *const now, const operand *const best,
                  const bool takes_factors) {
  const tarei_node *const node = tarei_producer(graph, now->value);
  float c;
  const int scaled = node && takes_factors ? scaled_input(graph, node, &c) : -1;
  if (scaled >= 0) {
    now->factor *= c;
    return scaled;
  }
  const bool follows = node && (tarei_heads_back(graph, node, &now->heads) ||
                                tarei_heads_back_repeats(graph, node, &now->heads) ||
                                (best->order == TAREI_HEADS_OTHER &&
                                 tarei_heads_back_pick(graph, node, now->value, &now->heads)));
  return follows ? node->in[0] : -1;
}

/* Follows an operand of a product back as far as its parts stay whole, over constant factors where
 * it takes them, and keeps the last place where heads lie side by side. Where there is none, the
 * last place of all: heads are moved there. */
static bool fuse_attention_follow(const tarei_graph *const graph, const tarei_expr batch,
                                  const tarei_expr heads, const int value, const bool turned,
                                  const bool takes_factors, operand *const out) {
  const tarei_value *const v = &graph->values[value];
  const int rows = v->rank - (turned ? 1 : 2), width = v->rank - (turned ? 2 : 1);
  int64_t known;
  const tarei_heads_sizes sizes = {batch, v->dims[rows], heads, v->dims[width]};
  operand now = {.value = value, .factor = 1};
  if (!tarei_value_is_f32(graph, value) ||
      !tarei_expr_is_const(graph->exprs, sizes.width, &known) ||
      !tarei_heads_of_product(graph, value, &sizes, turned, &now.heads)) {
    return false;
  }
  *out = (operand){.order = TAREI_HEADS_OTHER};
  while (now.value >= 0) {
    now.order = tarei_heads_order_of(&now.heads);
    keep_better_place(out, &now);
    now.value = behind(graph, &now, out, takes_factors);
  }
  return true;
}

/* Follows the result on to where heads lie side by side, at best with three axes; nodes on the way
 * join the pattern. Where they never do, heads are moved behind the product. */
static bool follow_result(const tarei_graph *const graph, fuse_attention_match *const m,
                          const tarei_expr rows, operand *const out) {
  const tarei_value *const v = &graph->values[m->product];
  const tarei_heads_sizes sizes = {m->batch, rows, m->heads, v->dims[v->rank - 1]};
  operand now = {.value = m->product};
  tarei_pattern nodes = m->scores.nodes;
  bool flat = false;
  if (!tarei_heads_of_product(graph, now.value, &sizes, false, &now.heads)) {
    return false;
  }
  *out = now;
  out->order = TAREI_HEADS_OTHER;
  for (;;) {
    now.order = tarei_heads_order_of(&now.heads);
    const bool is_flat = tarei_heads_is_flat(graph, now.value, &now.heads);
    if (now.order != TAREI_HEADS_OTHER && (is_flat || !flat) &&
        (now.order == TAREI_HEADS_BATCH_FIRST || out->order != TAREI_HEADS_BATCH_FIRST)) {
      *out = now;
      flat = is_flat;
      m->scores.nodes = nodes;
    }
    const int next = tarei_graph_sole_consumer(graph, now.value);
    if (next < 0 || graph->nodes[next].in[0] != now.value ||
        !tarei_heads_forth(graph, &graph->nodes[next], &now.heads)) {
      return true;
    }
    now.value = graph->nodes[next].out[0];
    if (!tarei_pattern_add(graph, &nodes, now.value)) {
      return true;
    }
  }
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

/* Keys or values with as many heads as the queries. */
static tare_status all_heads(tarei_graph *const graph, const fuse_attention_match *const m,
                             const tarei_heads *const own, int *const value,
                             tare_error *const err) {
  int64_t all = 1, repeats = 1, few = 1;
  (void)tarei_expr_is_const(graph->exprs, m->heads, &all);
  (void)tarei_expr_is_const(graph->exprs, own->size[TAREI_HEADS_HEADS], &few);
  (void)tarei_expr_is_const(graph->exprs, own->size[TAREI_HEADS_REPEATS], &repeats);
  const int from = *value;
  return few * repeats == all
             ? TARE_OK
             : tarei_heads_repeat(graph, from, own, all / (few * repeats), value, err);
}

static tare_status fuse_attention_build(tarei_graph *const graph, fuse_attention_match *const m,
                                        const operand in[3], const operand *const result,
                                        tare_error *const err) {
  int inputs[4], out, node;
  const tarei_heads_sizes sizes = {
      .batch = m->batch, .rows = in[0].heads.size[TAREI_HEADS_ROWS], .heads = m->heads};
  for (int i = 0; i < 3; i++) {
    TAREI_TRY(tarei_heads_flatten(graph, in[i].value, &in[i].heads, &inputs[i], err));
    TAREI_TRY(all_heads(graph, m, &in[i].heads, &inputs[i], err));
  }
  TAREI_TRY(tarei_scores_mask(graph, &m->scores, &sizes, in[1].heads.size[TAREI_HEADS_ROWS],
                              graph->values[m->product].producer, &inputs[3], err));
  TAREI_TRY(tarei_heads_unflatten(graph, result->value, &result->heads, &out, err));
  tarei_str products = {0}; /* before they are removed */
  tarei_str_add(&products, "%s + %s", tarei_producer(graph, m->scores.product)->name,
                tarei_producer(graph, m->product)->name);
  tare_status status = tarei_pattern_replace(graph, &m->scores.nodes, out, &tarei_op_attention, 1,
                                             inputs, inputs[3] < 0 ? 3 : 4, &node, err);
  if (status == TARE_OK) {
    status = fuse_attention_note(graph, node, m, &products, err);
  }
  tarei_str_free(&products);
  return status;
}

static bool follow_operands(const tarei_graph *const graph, fuse_attention_match *const m,
                            operand in[3]) {
  const tarei_node *const scores = tarei_producer(graph, m->scores.product);
  const int q = scores->in[0], k = scores->in[1], v = tarei_producer(graph, m->product)->in[1];
  if (!fuse_attention_follow(graph, m->batch, m->heads, q, false, true, &in[0]) ||
      !fuse_attention_follow(graph, m->batch, own_heads(graph, m, k), k, true, true, &in[1]) ||
      !fuse_attention_follow(graph, m->batch, own_heads(graph, m, v), v, false, false, &in[2])) {
    return false;
  }
  m->scale = tarei_scores_factor(&m->scores) * in[0].factor * in[1].factor;
  return in[1].heads.size[TAREI_HEADS_ROWS] == in[2].heads.size[TAREI_HEADS_ROWS] &&
         in[0].heads.size[TAREI_HEADS_WIDTH] == in[1].heads.size[TAREI_HEADS_WIDTH];
}

static tare_status fuse_attention_at(tarei_graph *const graph, const int index, bool *const changed,
                                     tare_error *const err) {
  const tarei_node *const product = &graph->nodes[index];
  fuse_attention_match m = {.product = product->out[0], .guarded = -1};
  operand in[3], result;
  if (!tarei_pattern_add(graph, &m.scores.nodes, m.product) ||
      !find_scores(graph, product->in[0], &m) ||
      !count_heads(graph, tarei_producer(graph, m.scores.product)->in[0], &m) ||
      !follow_operands(graph, &m, in)) {
    return TARE_OK;
  }
  const tarei_heads_sizes sizes = {
      .batch = m.batch, .rows = in[0].heads.size[TAREI_HEADS_ROWS], .heads = m.heads};
  if (!tarei_scores_fit(graph, &m.scores, &sizes, in[1].heads.size[TAREI_HEADS_ROWS]) ||
      !follow_result(graph, &m, sizes.rows, &result) ||
      !tarei_pattern_is_closed(graph, &m.scores.nodes, result.value)) {
    return TARE_OK;
  }
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
