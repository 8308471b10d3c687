/* Attention and MultiHeadAttention of com.microsoft. */
#include <inttypes.h>

#include "graph/expand/ms_attention_form.h"

/* --- Attention: the product with all weights comes first -------------------------------------- */

enum { X, WEIGHTS, BIAS, MASK, PAST, SCORE_BIAS, PAST_LENGTH };

/* Widths of Q, K and V. */
static tare_status ms_attention_read_sizes(const tarei_graph *const graph,
                                           const tarei_node *const node, int64_t sizes[3],
                                           tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(graph, node, WEIGHTS);
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  const int64_t all = tarei_ms_attention_dim(graph, w, 1);
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
static int project(tarei_build *const b, const tarei_ms_attention *const a, const int64_t first,
                   const int64_t width) {
  const int bias = tarei_build_in(b, BIAS);
  const int w = tarei_attend_slice(b, tarei_build_in(b, WEIGHTS), 1, first, first + width, 1);
  int y = tarei_build_binary(b, "MatMul", tarei_build_in(b, X), w);
  if (bias >= 0) {
    y = tarei_build_binary(b, "Add", y, tarei_attend_slice(b, bias, 0, first, first + width, 1));
  }
  return tarei_attend_split_heads(b, y, a->heads, width / a->heads);
}

static tare_status expand_attention(tarei_graph *const graph, const int node,
                                    tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  tarei_ms_attention a = {.present_k = -2, .present_v = -2};
  int64_t sizes[3];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, n, X);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(tarei_ms_attention_read(n, &a, err));
  TAREI_TRY(ms_attention_read_sizes(graph, n, sizes, err));
  TAREI_TRY(tarei_ms_attention_widths(n, &a, sizes[0], sizes[2], err));
  TAREI_TRY(tarei_ms_attention_mask(graph, n, MASK, x->dims[0], &a, err));
  if (tarei_ops_in(graph, n, PAST_LENGTH) || tarei_attr_int(n, "do_rotary", 0) ||
      tarei_attr_int(n, "past_present_share_buffer", 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "rotary positions and caches written in place are not supported");
  }
  const int present = n->n_out > 1 ? n->out[1] : -1;
  a.dtype = x->dtype;
  tarei_build b = tarei_build_at(graph, node);
  a.bias = tarei_build_in(&b, SCORE_BIAS);
  a.past_k = tarei_ms_attention_half(&b, tarei_build_in(&b, PAST), 0);
  a.past_v = tarei_ms_attention_half(&b, tarei_build_in(&b, PAST), 1);
  a.q = project(&b, &a, 0, sizes[0]);
  a.k = project(&b, &a, sizes[0], sizes[0]);
  a.v = project(&b, &a, 2 * sizes[0], sizes[2]);
  tarei_ms_attention_write(&b, &a);
  if (present >= 0) {
    tarei_ms_attention_present(&b, &a, present);
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
                                              tarei_ms_attention *const a, tare_error *const err) {
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
      tarei_ms_attention_dim(graph, q, q->rank - 1) * (q->rank == 5 ? factor : 1);
  const int64_t v_width =
      tarei_ms_attention_dim(graph, v, v->rank - 1) * (v->rank > 3 ? factor : 1);
  return tarei_ms_attention_widths(node, a, q_width, v_width, err);
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
static int ms_attention_operand(tarei_build *const b, const tarei_ms_attention *const a,
                                const int i, const int rank, const int64_t first, const int64_t d) {
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
                     tarei_ms_attention *const a) {
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
  tarei_ms_attention a = {.present_k = n->n_out > 1 && n->out[1] >= 0 ? n->out[1] : -2,
                          .present_v = n->n_out > 2 && n->out[2] >= 0 ? n->out[2] : -2};
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const packing packed = packing_of(graph, n);
  TAREI_TRY(tarei_ms_attention_read(n, &a, err));
  TAREI_TRY(ms_attention_read_operands(graph, n, packed, &a, err));
  const tarei_value *const q = tarei_ops_in(graph, n, QUERY);
  TAREI_TRY(tarei_ms_attention_mask(graph, n, KEY_MASK, q->dims[0], &a, err));
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
  tarei_ms_attention_write(&b, &a);
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
