/* Attention of opset 23 and later: heads as an axis of their own or side by side, fewer heads of
 * keys than of queries, masks, a cache in front of the keys, windows, and what comes between as
 * output. */
#include <math.h>

#include "graph/expand/attend.h"

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, SEQUENCE_LENGTHS };
enum { Y, PRESENT_KEY, PRESENT_VALUE, SHOWN };
enum { SHOW_SCORES, SHOW_CAPPED, SHOW_BIASED, SHOW_PROBABILITIES };

typedef struct attention_onnx_form {
  tare_dtype dtype, mask_dtype;
  int rank;
  int64_t heads, kv_heads; /* of queries, and of keys and values */
  int64_t depth, width;    /* of a head of queries, of values; -1: not known */
  int64_t left, right;     /* window; -1: no bound */
  int64_t missing;         /* keys that the mask does not speak of */
  bool causal;
} attention_onnx_form;

static int64_t attention_onnx_const_dim(const tarei_graph *const graph, const tarei_value *const v,
                                        const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

static tare_status read_heads(const tarei_graph *const graph, const tarei_node *const node,
                              attention_onnx_form *const f, tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, Q), *const k =
                                                                 tarei_ops_in(graph, node, K);
  const tarei_value *const v = tarei_ops_in(graph, node, V);
  f->heads =
      f->rank == 4 ? attention_onnx_const_dim(graph, q, 1) : tarei_attr_int(node, "q_num_heads", 0);
  f->kv_heads = f->rank == 4 ? attention_onnx_const_dim(graph, k, 1)
                             : tarei_attr_int(node, "kv_num_heads", 0);
  if (f->heads < 1 || f->kv_heads < 1 || f->heads % f->kv_heads) {
    return tarei_fail(err, TARE_E_MODEL, "%lld query heads are not a multiple of %lld key heads",
                      (long long)f->heads, (long long)f->kv_heads);
  }
  const int64_t q_width = attention_onnx_const_dim(graph, q, f->rank - 1),
                v_width = attention_onnx_const_dim(graph, v, f->rank - 1);
  const bool flat = f->rank == 3;
  if (q_width < 1 || (flat && q_width % f->heads) ||
      (flat && v_width >= 0 && v_width % f->kv_heads)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis must be a constant multiple of the number of heads");
  }
  f->depth = flat ? q_width / f->heads : q_width;
  f->width = v_width < 0 ? -1 : flat ? v_width / f->kv_heads : v_width;
  return TARE_OK;
}

/* Keys behind the mask's end. Where lengths cannot be told apart they are taken as equal. */
static int64_t count_missing(const tarei_graph *const graph, const tarei_node *const node,
                             const attention_onnx_form *const f) {
  const tarei_value *const mask = tarei_ops_in(graph, node, MASK);
  const tarei_value *const k = tarei_ops_in(graph, node, K);
  const tarei_value *const past = tarei_ops_in(graph, node, PAST_KEY);
  int64_t keys, known;
  tarei_expr all = k->dims[f->rank - 2];
  all = past ? tarei_expr_add(graph->exprs, all, past->dims[2]) : all;
  return mask && mask->rank > 0 && tarei_expr_is_const(graph->exprs, all, &keys) &&
                 tarei_expr_is_const(graph->exprs, mask->dims[mask->rank - 1], &known) &&
                 known < keys && (known != 1 || node->opset >= 24)
             ? keys - known
             : 0;
}

static tare_status attention_onnx_read_form(const tarei_graph *const graph,
                                            const tarei_node *const node,
                                            attention_onnx_form *const f, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const q = tarei_ops_in(graph, node, Q);
  const tarei_value *const mask = tarei_ops_in(graph, node, MASK);
  *f = (attention_onnx_form){.dtype = q->dtype,
                             .mask_dtype = mask ? mask->dtype : TARE_DTYPE_NONE,
                             .rank = q->rank,
                             .left = tarei_attr_int(node, "left_window_size", -1),
                             .right = tarei_attr_int(node, "right_window_size", -1),
                             .causal = tarei_attr_int(node, "is_causal", 0) != 0};
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(tarei_ops_want_rank(q, 3, 4, err));
  for (int i = K; i <= V; i++) {
    TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, i), f->rank, f->rank, err));
  }
  for (int i = PAST_KEY; i <= PAST_VALUE; i++) {
    const tarei_value *const past = tarei_ops_in(graph, node, i);
    if (past) {
      TAREI_TRY(tarei_ops_want_rank(past, 4, 4, err));
    }
  }
  TAREI_TRY(read_heads(graph, node, f, err));
  f->missing = count_missing(graph, node, f);
  return TARE_OK;
}

/* An operand with four axes, behind the cache where there is one. */
static int heads_of(tarei_build *const b, const attention_onnx_form *const f, const int i,
                    const int64_t heads, const int64_t d) {
  const int x = tarei_build_in(b, i);
  const int past = i == Q ? -1 : tarei_build_in(b, PAST_KEY + i - K);
  const int split = f->rank == 4 ? x : tarei_attend_split_heads(b, x, heads, d);
  return past < 0 ? split : tarei_attend_concat(b, (const int[]){past, split}, 2, 2);
}

/* What the mask adds to the scores, or -1. */
static int mask_bias(tarei_build *const b, const attention_onnx_form *const f) {
  const int mask = tarei_build_in(b, MASK);
  if (mask < 0) {
    return -1;
  }
  const int bias = f->mask_dtype == TARE_BOOL
                       ? tarei_attend_bias_of(b, f->dtype, mask, -(double)INFINITY)
                       : mask;
  if (f->missing == 0) {
    return bias;
  }
  const int in[] = {bias, tarei_build_i64s(b, (const int64_t[]){0, f->missing}, 2),
                    tarei_build_number(b, f->dtype, -(double)INFINITY),
                    tarei_build_i64s(b, (const int64_t[]){-1}, 1)};
  return tarei_build_node(b, "Pad", in, 4);
}

/* Sequence lengths as [B, 1, 1, 1], or -1. */
static int lengths(tarei_build *const b) {
  const int given = tarei_build_in(b, SEQUENCE_LENGTHS);
  return given < 0 ? -1 : tarei_attend_reshape(b, given, (const int64_t[]){-1, 1, 1, 1}, 4);
}

/* How far in front of the first query keys lie: those of the cache, or all valid ones but the
 * queries' own; -1: none. */
static int attention_onnx_offset_of(tarei_build *const b, const int q) {
  const int past = tarei_build_in(b, PAST_KEY), known = lengths(b);
  return past >= 0   ? tarei_attend_length(b, past, 2)
         : known < 0 ? -1
                     : tarei_build_binary(b, "Sub", known, tarei_attend_length(b, q, 2));
}

/* Keys that causality and windows allow, or -1 where they allow all. */
static int allowed_keys(tarei_build *const b, const attention_onnx_form *const f, const int q,
                        const int k) {
  if (!f->causal && f->left < 0 && f->right < 0) {
    return -1;
  }
  const int offset = attention_onnx_offset_of(b, q);
  int allowed = f->causal ? tarei_attend_causal(b, q, k, offset) : -1;
  if (f->right >= 0) {
    const int further = tarei_build_number(b, TARE_I64, (double)f->right);
    allowed = tarei_attend_and(b, allowed,
                               tarei_attend_causal(b, q, k, tarei_attend_add(b, offset, further)));
  }
  if (f->left >= 0) {
    const int before = tarei_build_number(b, TARE_I64, -(double)f->left - 1);
    const int gone = tarei_attend_causal(b, q, k, tarei_attend_add(b, offset, before));
    allowed = tarei_attend_and(b, allowed, tarei_build_unary(b, "Not", gone));
  }
  return allowed;
}

/* Keys behind the end of their sequence are not allowed; -1: all are. */
static int valid_keys(tarei_build *const b, const int k) {
  const int known = lengths(b);
  return known < 0 ? -1 : tarei_build_binary(b, "Less", tarei_attend_positions(b, k, 2), known);
}

static void attention_onnx_show(tarei_build *const b, const int output, const int value) {
  const tarei_node *const node = &b->graph->nodes[b->node];
  if (!b->failed && output < node->n_out && node->out[output] >= 0) {
    tarei_build_into(b, "Identity", &value, 1, node->out[output]);
  }
}

static void write_y(tarei_build *const b, const attention_onnx_form *const f, const int y) {
  const int width = f->width < 0 ? -1 : (int)(f->width * f->heads);
  attention_onnx_show(b, Y, f->rank == 4 ? y : tarei_attend_merge_heads(b, y, width));
}

static tare_status attention_onnx_expand(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  attention_onnx_form f;
  TAREI_TRY(attention_onnx_read_form(graph, &graph->nodes[node], &f, err));
  const tarei_node *const n = &graph->nodes[node];
  const double scale = (double)tarei_attr_float(n, "scale", 1.0f / sqrtf((float)f.depth));
  const double softcap = (double)tarei_attr_float(n, "softcap", 0);
  const int64_t shown = tarei_attr_int(n, "qk_matmul_output_mode", SHOW_SCORES);
  tarei_build b = tarei_build_at(graph, node);
  const int q = heads_of(&b, &f, Q, f.heads, f.depth);
  const int k = heads_of(&b, &f, K, f.kv_heads, f.depth);
  const int v = heads_of(&b, &f, V, f.kv_heads, f.width);
  const int allowed = tarei_attend_and(&b, allowed_keys(&b, &f, q, k), valid_keys(&b, k));
  const int rule = allowed < 0 ? -1 : tarei_attend_bias_of(&b, f.dtype, allowed, -(double)INFINITY);
  tarei_attend a = {.dtype = f.dtype,
                    .q = q,
                    .k = tarei_attend_repeat_heads(&b, k, f.kv_heads, f.heads),
                    .v = tarei_attend_repeat_heads(&b, v, f.kv_heads, f.heads),
                    .bias = tarei_attend_add(&b, mask_bias(&b, &f), rule),
                    .scale = scale,
                    .softcap = softcap};
  const bool always_one = f.causal && tarei_build_in(&b, SEQUENCE_LENGTHS) < 0 && f.left < 0 &&
                          f.right < 0 && tarei_build_in(&b, MASK) < 0;
  a.guard = a.bias >= 0 && !always_one;
  const int y = tarei_attend_write(&b, &a);
  attention_onnx_show(&b, PRESENT_KEY, k);
  attention_onnx_show(&b, PRESENT_VALUE, v);
  attention_onnx_show(&b, SHOWN,
                      shown == SHOW_CAPPED          ? a.capped
                      : shown == SHOW_BIASED        ? a.biased
                      : shown == SHOW_PROBABILITIES ? a.probabilities
                                                    : a.scores);
  write_y(&b, &f, y);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_attention_onnx = {
    .name = "Attention",
    .domain = "",
    .min_in = 3,
    .max_in = 7,
    .min_out = 1,
    .max_out = 4,
    .expand = attention_onnx_expand,
};
