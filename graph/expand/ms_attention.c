/* Attention and MultiHeadAttention of com.microsoft. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "graph/expand/attend.h"

/* What both have in common, as values. */
typedef struct inputs {
  tare_dtype dtype;
  int q, k, v;        /* four axes each */
  int past_k, past_v; /* or -1 */
  int mask, bias;     /* or -1 */
  int mask_rank;
  int64_t mask_parts; /* of a vector: 1 ends, 2 ends and starts of sequences */
  int64_t heads, depth, width;
  double scale, masked;
  bool causal;
  int out, present_k, present_v; /* present ones: values that exist, or -2 */
} inputs;

static tare_status read_common(const tarei_node *const node, inputs *const a,
                               tare_error *const err) {
  a->heads = tarei_attr_int(node, "num_heads", 0);
  a->masked = (double)tarei_attr_float(node, "mask_filter_value", -10000.0f);
  a->causal = tarei_attr_int(node, "unidirectional", 0) != 0;
  a->out = node->out[0];
  return a->heads >= 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "attribute 'num_heads': expected 1 or more, got %" PRId64, a->heads);
}

static tare_status read_widths(const tarei_node *const node, inputs *const a, const int64_t q,
                               const int64_t v, tare_error *const err) {
  if (q < 1 || v < 1 || q % a->heads || v % a->heads) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "widths %" PRId64 " and %" PRId64
                      " (-1: not constant) must be multiples of %" PRId64 " heads",
                      q, v, a->heads);
  }
  a->depth = q / a->heads;
  a->width = v / a->heads;
  const float scale = tarei_attr_float(node, "scale", 0);
  a->scale = scale != 0 ? (double)scale : 1.0 / sqrt((double)a->depth);
  return TARE_OK;
}

/* batch: that of the queries. */
static tare_status ms_attention_read_mask(const tarei_graph *const graph,
                                          const tarei_node *const node, const int i,
                                          const tarei_expr batch, inputs *const a,
                                          tare_error *const err) {
  const tarei_value *const mask = tarei_ops_in(graph, node, i);
  a->mask = mask ? node->in[i] : -1;
  a->mask_rank = mask ? mask->rank : 0;
  if (!mask) {
    return TARE_OK;
  }
  TAREI_TRY(tarei_ops_want_rank(mask, 1, 4, err));
  const tarei_expr two = tarei_expr_mul(graph->exprs, batch, tarei_expr_const(graph->exprs, 2));
  a->mask_parts = mask->rank > 1 || !tarei_ops_differ(graph, mask->dims[0], batch) ? 1
                  : mask->dims[0] == two                                           ? 2
                                                                                   : 0;
  return mask->rank == 4 || a->mask_parts == 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED, "the form of mask '%s' is not supported",
                          mask->name)
             : TARE_OK;
}

static int64_t ms_attention_const_dim(const tarei_graph *const graph, const tarei_value *const v,
                                      const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

/* One half of a vector of ends and starts of sequences, as [B, 1, 1, 1]. */
static int ms_attention_part_of(tarei_build *const b, const inputs *const a, const int64_t part) {
  const int64_t column[] = {a->mask_parts, -1}, all[] = {-1, 1, 1, 1};
  const int rows = tarei_attend_reshape(b, a->mask, column, 2);
  const int one = tarei_attend_slice(b, rows, 0, part, part + 1, 1);
  const int wide = tarei_attend_reshape(b, one, all, 4);
  return tarei_build_cast(b, wide, TARE_I64);
}

/* Keys that the mask lets queries meet, broadcast to [B, H, S, T]. */
static int unmasked(tarei_build *const b, const inputs *const a, const int k) {
  if (a->mask_rank > 1) {
    const int allowed = tarei_build_cast(b, a->mask, TARE_BOOL);
    return tarei_attend_unsqueeze(b, allowed, (const int64_t[]){1, 2}, 4 - a->mask_rank);
  }
  const int at = tarei_attend_positions(b, k, 2);
  const int allowed = tarei_build_binary(b, "Less", at, ms_attention_part_of(b, a, 0));
  return a->mask_parts == 1 ? allowed
                            : tarei_attend_and(b, allowed,
                                               tarei_build_binary(b, "GreaterOrEqual", at,
                                                                  ms_attention_part_of(b, a, 1)));
}

static int bias_of(tarei_build *const b, const inputs *const a, const int k) {
  int bias = -1;
  if (a->mask >= 0) {
    bias = tarei_attend_bias_of(b, a->dtype, unmasked(b, a, k), a->masked);
  }
  if (a->causal) {
    const int offset =
        tarei_build_binary(b, "Sub", tarei_attend_length(b, k, 2), tarei_attend_length(b, a->q, 2));
    const int allowed = tarei_attend_causal(b, a->q, k, offset);
    const int rule = tarei_attend_bias_of(b, a->dtype, allowed, -(double)FLT_MAX);
    bias = tarei_attend_add(b, bias, rule);
  }
  return tarei_attend_add(b, bias, a->bias);
}

/* Behind what is kept of earlier calls; `out` is a value that shows the whole, or -2. */
static int with_past(tarei_build *const b, const int past, const int x, int out) {
  const int parts[] = {past, x};
  if (past >= 0) {
    tarei_build_outputs(b, "Concat", parts, 2, &out, 1);
    tarei_build_int(b, "axis", 2);
    return out;
  }
  if (out >= 0) {
    tarei_build_into(b, "Identity", &x, 1, out);
  }
  return x;
}

static void write_attention(tarei_build *const b, inputs *const a) {
  a->k = with_past(b, a->past_k, a->k, a->present_k);
  a->v = with_past(b, a->past_v, a->v, a->present_v);
  tarei_attend attend = {.dtype = a->dtype,
                         .q = a->q,
                         .k = a->k,
                         .v = a->v,
                         .bias = bias_of(b, a, a->k),
                         .scale = a->scale};
  const int y = tarei_attend_write(b, &attend);
  const int turned = tarei_attend_transpose(b, y, (const int64_t[]){0, 2, 1, 3}, 4);
  const int64_t joined[] = {0, 0, a->heads * a->width};
  tarei_build_into(b, "Reshape", (const int[]){turned, tarei_build_i64s(b, joined, 3)}, 2, a->out);
}

/* --- Attention: the product with all weights comes first -------------------------------------- */

enum { X, WEIGHTS, BIAS, MASK, PAST, SCORE_BIAS, PAST_LENGTH };

/* Widths of Q, K and V. */
static tare_status ms_attention_read_sizes(const tarei_graph *const graph,
                                           const tarei_node *const node, int64_t sizes[3],
                                           tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(graph, node, WEIGHTS);
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  const int64_t all = ms_attention_const_dim(graph, w, 1);
  const tarei_attr *const given = tarei_attr_find(node, "qkv_hidden_sizes");
  for (int i = 0; i < 3; i++) {
    const bool listed = given && given->kind == TAREI_ATTR_INTS && given->n == 3;
    sizes[i] = listed ? given->ints[i] : all / 3;
  }
  if (all < 3 || sizes[0] < 1 || sizes[0] != sizes[1] || sizes[2] < 1 || sizes[0] >= all ||
      sizes[2] != all - 2 * sizes[0]) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the weights are %" PRId64 " wide, but Q, K and V are %" PRId64 ", %" PRId64
                      " and %" PRId64,
                      all, sizes[0], sizes[1], sizes[2]);
  }
  return TARE_OK;
}

/* x . W + bias for the columns from `first` on, by heads. */
static int project(tarei_build *const b, const inputs *const a, const int64_t first,
                   const int64_t width) {
  const int bias = tarei_build_in(b, BIAS);
  const int w = tarei_attend_slice(b, tarei_build_in(b, WEIGHTS), 1, first, first + width, 1);
  int y = tarei_build_binary(b, "MatMul", tarei_build_in(b, X), w);
  if (bias >= 0) {
    y = tarei_build_binary(b, "Add", y, tarei_attend_slice(b, bias, 0, first, first + width, 1));
  }
  return tarei_attend_split_heads(b, y, a->heads, width / a->heads);
}

/* Half 0 or 1 of a cache [2, B, H, P, d]. */
static int ms_attention_half_of(tarei_build *const b, const int cache, const int64_t half) {
  const int64_t first = 0;
  return cache < 0
             ? -1
             : tarei_build_binary(b, "Squeeze", tarei_attend_slice(b, cache, 0, half, half + 1, 1),
                                  tarei_build_i64s(b, &first, 1));
}

static void write_present(tarei_build *const b, const inputs *const a, const int out) {
  const int64_t first = 0;
  const int halves[] = {tarei_attend_unsqueeze(b, a->k, &first, 1),
                        tarei_attend_unsqueeze(b, a->v, &first, 1)};
  tarei_build_into(b, "Concat", halves, 2, out);
  tarei_build_int(b, "axis", 0);
}

static tare_status expand_attention(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  inputs a = {.present_k = -2, .present_v = -2};
  int64_t sizes[3];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, n, X);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(read_common(n, &a, err));
  TAREI_TRY(ms_attention_read_sizes(graph, n, sizes, err));
  TAREI_TRY(read_widths(n, &a, sizes[0], sizes[2], err));
  TAREI_TRY(ms_attention_read_mask(graph, n, MASK, x->dims[0], &a, err));
  if (tarei_ops_in(graph, n, PAST_LENGTH) || tarei_attr_int(n, "do_rotary", 0) ||
      tarei_attr_int(n, "past_present_share_buffer", 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "rotary positions and caches written in place are not supported");
  }
  const int present = n->n_out > 1 ? n->out[1] : -1;
  a.dtype = x->dtype;
  tarei_build b = tarei_build_at(graph, node);
  a.bias = tarei_build_in(&b, SCORE_BIAS);
  a.past_k = ms_attention_half_of(&b, tarei_build_in(&b, PAST), 0);
  a.past_v = ms_attention_half_of(&b, tarei_build_in(&b, PAST), 1);
  a.q = project(&b, &a, 0, sizes[0]);
  a.k = project(&b, &a, sizes[0], sizes[0]);
  a.v = project(&b, &a, 2 * sizes[0], sizes[2]);
  write_attention(&b, &a);
  if (present >= 0) {
    write_present(&b, &a, present);
  }
  return tarei_build_done(&b, err);
}

/* --- MultiHeadAttention: Q, K and V come as they are, or packed ------------------------------- */

enum { QUERY, KEY, VALUE, QKV_BIAS, KEY_MASK, ADDEND, PAST_KEY, PAST_VALUE, LENGTH, INDIRECTION };

typedef enum packing { APART, PACKED_QKV, PACKED_KV } packing;

static packing packing_of(const tarei_graph *const graph, const tarei_node *const node) {
  return !tarei_ops_in(graph, node, KEY)     ? PACKED_QKV
         : !tarei_ops_in(graph, node, VALUE) ? PACKED_KV
                                             : APART;
}

static tare_status ms_attention_read_operands(const tarei_graph *const graph,
                                              const tarei_node *const node, const packing packed,
                                              inputs *const a, tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, QUERY);
  const tarei_value *const k = tarei_ops_in(graph, node, packed == PACKED_QKV ? QUERY : KEY);
  const tarei_value *const v = packed == APART ? tarei_ops_in(graph, node, VALUE) : k;
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(
      tarei_ops_want_rank(q, packed == PACKED_QKV ? 5 : 3, packed == PACKED_QKV ? 5 : 3, err));
  TAREI_TRY(tarei_ops_want_rank(k, packed == APART ? 3 : 5, packed == APART ? 4 : 5, err));
  TAREI_TRY(tarei_ops_want_rank(v, k->rank, k->rank, err));
  const int64_t factor = a->heads;
  const int64_t q_width =
      ms_attention_const_dim(graph, q, q->rank - 1) * (q->rank == 5 ? factor : 1);
  const int64_t v_width =
      ms_attention_const_dim(graph, v, v->rank - 1) * (v->rank > 3 ? factor : 1);
  return read_widths(node, a, q_width, v_width, err);
}

/* Part `part` of [B, T, H, parts, d] as [B, H, T, d]. */
static int unpack(tarei_build *const b, const int x, const int64_t part) {
  const int64_t axis = 3;
  const int one =
      tarei_build_binary(b, "Squeeze", tarei_attend_slice(b, x, axis, part, part + 1, 1),
                         tarei_build_i64s(b, &axis, 1));
  return tarei_attend_transpose(b, one, (const int64_t[]){0, 2, 1, 3}, 4);
}

/* Input i with its part of the bias, by heads. One of four axes is in that form already. */
static int ms_attention_operand(tarei_build *const b, const inputs *const a, const int i,
                                const int rank, const int64_t first, const int64_t d) {
  const int x = tarei_build_in(b, i), bias = tarei_build_in(b, QKV_BIAS);
  if (rank == 4) {
    return x;
  }
  const int y =
      bias < 0 ? x
               : tarei_build_binary(b, "Add", x,
                                    tarei_attend_slice(b, bias, 0, first, first + a->heads * d, 1));
  return tarei_attend_split_heads(b, y, a->heads, d);
}

static void read_qkv(tarei_build *const b, const packing packed, const int k_rank,
                     inputs *const a) {
  const int query = tarei_build_in(b, QUERY), key = tarei_build_in(b, KEY);
  const int64_t width = a->heads * a->depth;
  a->q = packed == PACKED_QKV ? unpack(b, query, 0)
                              : ms_attention_operand(b, a, QUERY, 3, 0, a->depth);
  if (packed == APART) {
    a->k = ms_attention_operand(b, a, KEY, k_rank, width, a->depth);
    a->v = ms_attention_operand(b, a, VALUE, k_rank, 2 * width, a->width);
  } else {
    const int64_t first = packed == PACKED_QKV;
    a->k = unpack(b, packed == PACKED_QKV ? query : key, first);
    a->v = unpack(b, packed == PACKED_QKV ? query : key, first + 1);
  }
}

static tare_status expand_multi_head(tarei_graph *const graph, const int node,
                                     tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  inputs a = {.present_k = n->n_out > 1 && n->out[1] >= 0 ? n->out[1] : -2,
              .present_v = n->n_out > 2 && n->out[2] >= 0 ? n->out[2] : -2};
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const packing packed = packing_of(graph, n);
  TAREI_TRY(read_common(n, &a, err));
  TAREI_TRY(ms_attention_read_operands(graph, n, packed, &a, err));
  const tarei_value *const q = tarei_ops_in(graph, n, QUERY);
  TAREI_TRY(ms_attention_read_mask(graph, n, KEY_MASK, q->dims[0], &a, err));
  if (tarei_ops_in(graph, n, LENGTH) || tarei_ops_in(graph, n, INDIRECTION) ||
      (n->n_out > 3 && n->out[3] >= 0) || (packed != APART && tarei_ops_in(graph, n, QKV_BIAS))) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "caches written in place, beams, scores as output and biases of packed "
                      "inputs are not supported");
  }
  a.dtype = q->dtype;
  const int k_rank = packed == APART ? tarei_ops_in(graph, n, KEY)->rank : 5;
  tarei_build b = tarei_build_at(graph, node);
  a.bias = tarei_build_in(&b, ADDEND);
  a.past_k = tarei_build_in(&b, PAST_KEY);
  a.past_v = tarei_build_in(&b, PAST_VALUE);
  read_qkv(&b, packed, k_rank, &a);
  write_attention(&b, &a);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_attention = {
    .name = "Attention",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 7,
    .min_out = 1,
    .max_out = 2,
    .expand = expand_attention,
};

const tarei_op tarei_op_ms_multi_head_attention = {
    .name = "MultiHeadAttention",
    .domain = "com.microsoft",
    .min_in = 1,
    .max_in = 10,
    .min_out = 1,
    .max_out = 4,
    .expand = expand_multi_head,
};
