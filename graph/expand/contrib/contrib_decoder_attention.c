/* One token of a decoder: DecoderMaskedMultiHeadAttention and DecoderMaskedSelfAttention of
 * com.microsoft. The cache is a buffer [B, H, rows, d], whose first rows are in use, and to which
 * the token adds one; or keys and values of a whole encoder, of which each token sees all. */
#include <inttypes.h>
#include <math.h>

#include "graph/expand/attend.h"

typedef struct decoder_attention_form {
  tare_dtype dtype;
  int64_t heads, depth;
  double scale, masked;
  int mask, bias, length; /* inputs of the node: of keys, added to scores, rows in use */
  bool has_mask, has_bias;
} decoder_attention_form;

/* Values by heads; [B, H, 1, d] of the token, or [B, H, rows, d]. */
typedef struct decoder_attention_values {
  int q, k, v;
  int past_k, past_v;       /* or -1 */
  int present_k, present_v; /* existing values or -2 */
} decoder_attention_values;

static int64_t decoder_attention_dim(const tarei_graph *const graph, const tarei_value *const v,
                                     const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

static const tarei_value *decoder_attention_out(const tarei_graph *const graph,
                                                const tarei_node *const node, const int i) {
  return i < node->n_out && node->out[i] >= 0 ? &graph->values[node->out[i]] : NULL;
}

/* Beams: `first` is the input with their number, the next one says which row each continues. */
static tare_status decoder_attention_refuse(const tarei_graph *const graph,
                                            const tarei_node *const node, const int first,
                                            tare_error *const err) {
  int64_t beams = 1;
  if (tarei_ops_in(graph, node, first)) {
    tarei_expr width;
    TAREI_TRY(tarei_ops_one(graph, node, first, &width, err));
    if (width == TAREI_EXPR_NONE || !tarei_expr_is_const(graph->exprs, width, &beams)) {
      beams = -1;
    }
  }
  if (tarei_ops_in(graph, node, first + 1) || beams != 1) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "beams (inputs %d and %d) are not supported: leave these inputs out, and "
                      "search outside of the model",
                      first, first + 1);
  }
  return decoder_attention_out(graph, node, 3) || tarei_attr_int(node, "output_qk", 0)
             ? tarei_fail(err, TARE_E_UNSUPPORTED, "scores as an output are not supported")
             : TARE_OK;
}

static tare_status decoder_attention_read(const tarei_graph *const graph,
                                          const tarei_node *const node, const int64_t width,
                                          decoder_attention_form *const f, tare_error *const err) {
  const float scale = tarei_attr_float(node, "scale", 0);
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  f->dtype = x->dtype;
  f->heads = tarei_attr_int(node, "num_heads", 0);
  f->masked = (double)tarei_attr_float(node, "mask_filter_value", -10000.0f);
  const tarei_value *const mask = tarei_ops_in(graph, node, f->mask);
  f->has_mask = mask != NULL;
  f->has_bias = tarei_ops_in(graph, node, f->bias) != NULL;
  if (f->heads < 1 || width < f->heads || width % f->heads) {
    return tarei_fail(err, TARE_E_MODEL,
                      "width %" PRId64 " (-1: not constant) must be a multiple of %" PRId64
                      " heads",
                      width, f->heads);
  }
  if (tarei_ops_differ(graph, x->dims[1], tarei_expr_const(graph->exprs, 1))) {
    return tarei_fail(err, TARE_E_MODEL, "'%s' must have one token for each sequence", x->name);
  }
  f->depth = width / f->heads;
  f->scale = scale != 0 ? (double)scale : 1.0 / sqrt((double)f->depth);
  TAREI_TRY(f->has_bias ? tarei_ops_want_rank(tarei_ops_in(graph, node, f->bias), 4, 4, err)
                        : TARE_OK);
  return mask ? tarei_ops_want_rank(mask, 2, 2, err) : TARE_OK;
}

/* [B, 1, width] as [B, H, 1, d] */
static int decoder_attention_heads(tarei_build *const b, const decoder_attention_form *const f,
                                   const int x) {
  return tarei_attend_reshape(b, x, (const int64_t[]){0, f->heads, 1, f->depth}, 4);
}

/* x, whose last axis has as many elements as rows are in use, filled up for the whole buffer. */
static int decoder_attention_widen(tarei_build *const b, const int x, const int64_t rank,
                                   const int k) {
  const int zeros = tarei_build_i64s(b, (const int64_t[8]){0}, (int)(2 * rank - 1));
  const int missing = tarei_build_binary(b, "Sub", tarei_attend_length(b, k, 2),
                                         tarei_attend_length(b, x, (int)rank - 1));
  const int last = tarei_attend_unsqueeze(b, missing, (const int64_t[]){0}, 1);
  const int pads = tarei_attend_concat(b, (const int[]){zeros, last}, 2, 0);
  return tarei_build_binary(b, "Pad", x, pads);
}

/* What is added to the scores of keys k; `last`: the row of the token, or -1 where all are seen. */
static int decoder_attention_bias(tarei_build *const b, const decoder_attention_form *const f,
                                  const int k, const int last) {
  int bias = -1;
  if (f->has_mask) {
    int mask = tarei_build_in(b, f->mask);
    mask = last < 0 ? mask : decoder_attention_widen(b, mask, 2, k);
    const int allowed =
        tarei_attend_unsqueeze(b, tarei_build_cast(b, mask, TARE_BOOL), (const int64_t[]){1, 2}, 2);
    bias = tarei_attend_bias_of(b, f->dtype, allowed, f->masked);
  }
  if (f->has_bias) {
    const int given = tarei_build_in(b, f->bias);
    bias = tarei_attend_add(b, bias, last < 0 ? given : decoder_attention_widen(b, given, 4, k));
  }
  if (last >= 0) {
    const int used = tarei_build_binary(b, "LessOrEqual", tarei_attend_positions(b, k, 2), last);
    bias = tarei_attend_add(b, bias, tarei_attend_bias_of(b, f->dtype, used, -(double)INFINITY));
  }
  return bias;
}

/* The buffer with the token in row `last`. */
static int decoder_attention_put(tarei_build *const b, const int past, const int x, const int last,
                                 int out) {
  const int here = tarei_build_binary(b, "Equal", tarei_attend_positions(b, past, 2), last);
  const int rows = tarei_attend_unsqueeze(b, here, (const int64_t[]){1}, 1);
  tarei_build_outputs(b, "Where", (const int[]){rows, x, past}, 3, &out, 1);
  return out;
}

static void decoder_attention_write(tarei_build *const b, const decoder_attention_form *const f,
                                    decoder_attention_values *const v, const int out) {
  int last = -1;
  if (v->past_k >= 0) {
    last = tarei_attend_reshape(b, tarei_build_cast(b, tarei_build_in(b, f->length), TARE_I64),
                                NULL, 0);
    v->k = v->present_k = decoder_attention_put(b, v->past_k, v->k, last, v->present_k);
    v->v = v->present_v = decoder_attention_put(b, v->past_v, v->v, last, v->present_v);
  }
  tarei_attend attend = {.dtype = f->dtype,
                         .q = v->q,
                         .k = v->k,
                         .v = v->v,
                         .bias = decoder_attention_bias(b, f, v->k, last),
                         .scale = f->scale};
  const int y = tarei_attend_write(b, &attend);
  const int64_t joined[] = {0, 1, f->heads * f->depth};
  tarei_build_into(b, "Reshape", (const int[]){y, tarei_build_i64s(b, joined, 3)}, 2, out);
}

/* --- DecoderMaskedMultiHeadAttention ---------------------------------------------------------- */

enum { QUERY, KEY, VALUE, MASK, ADDEND, PAST_KEY, PAST_VALUE, LENGTH, BEAMS, CONTINUED, QKV_BIAS };

static tare_status decoder_attention_check(const tarei_graph *const graph,
                                           const tarei_node *const node, bool *const crosses,
                                           tare_error *const err) {
  const tarei_value *const k = tarei_ops_in(graph, node, KEY), *const v =
                                                                   tarei_ops_in(graph, node, VALUE);
  const tarei_value *const past[] = {tarei_ops_in(graph, node, PAST_KEY),
                                     tarei_ops_in(graph, node, PAST_VALUE)};
  TAREI_TRY(decoder_attention_refuse(graph, node, BEAMS, err));
  if (!k || !v) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "packed queries, keys and values are not supported: give keys and values as "
                      "inputs 1 and 2");
  }
  *crosses = !past[0] && !past[1];
  if (*crosses) {
    TAREI_TRY(tarei_ops_want_rank(k, 4, 4, err));
    return decoder_attention_out(graph, node, 1) || decoder_attention_out(graph, node, 2)
               ? tarei_fail(err, TARE_E_MODEL, "a cache as output needs one as input")
               : tarei_ops_want_rank(v, 4, 4, err);
  }
  if (!past[0] || !past[1] || !tarei_ops_in(graph, node, LENGTH) ||
      !tarei_attr_int(node, "past_present_share_buffer", 0)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "a cache must be a buffer: keys and values (inputs 5 and 6), the rows in use "
                      "(input 7) and attribute 'past_present_share_buffer' belong together");
  }
  TAREI_TRY(tarei_ops_want_rank(k, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(v, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(past[0], 4, 4, err));
  return tarei_ops_want_rank(past[1], 4, 4, err);
}

/* Input i with its part of the bias, by heads. */
static int decoder_attention_operand(tarei_build *const b, const decoder_attention_form *const f,
                                     const int i) {
  const int bias = tarei_build_in(b, QKV_BIAS), x = tarei_build_in(b, i);
  const int64_t width = f->heads * f->depth;
  const int y =
      bias < 0 ? x
               : tarei_build_binary(b, "Add", x,
                                    tarei_attend_slice(b, bias, 0, i * width, (i + 1) * width, 1));
  return decoder_attention_heads(b, f, y);
}

static int decoder_attention_shown(const tarei_node *const node, const int i) {
  return i < node->n_out && node->out[i] >= 0 ? node->out[i] : -2;
}

static tare_status expand_decoder_multi_head(tarei_graph *const graph, const int node,
                                             tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  decoder_attention_form f = {.mask = MASK, .bias = ADDEND, .length = LENGTH};
  bool crosses = false;
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  TAREI_TRY(decoder_attention_check(graph, n, &crosses, err));
  const tarei_value *const q = tarei_ops_in(graph, n, QUERY);
  TAREI_TRY(tarei_ops_want_rank(q, 3, 3, err));
  TAREI_TRY(decoder_attention_read(graph, n, decoder_attention_dim(graph, q, 2), &f, err));
  const int out = n->out[0];
  decoder_attention_values v = {.past_k = -1,
                                .past_v = -1,
                                .present_k = decoder_attention_shown(n, 1),
                                .present_v = decoder_attention_shown(n, 2)};
  tarei_build b = tarei_build_at(graph, node);
  v.q = decoder_attention_operand(&b, &f, QUERY);
  v.k = crosses ? tarei_build_in(&b, KEY) : decoder_attention_operand(&b, &f, KEY);
  v.v = crosses ? tarei_build_in(&b, VALUE) : decoder_attention_operand(&b, &f, VALUE);
  if (!crosses) {
    v.past_k = tarei_build_in(&b, PAST_KEY);
    v.past_v = tarei_build_in(&b, PAST_VALUE);
  }
  decoder_attention_write(&b, &f, &v, out);
  return tarei_build_done(&b, err);
}

/* --- DecoderMaskedSelfAttention: the products with all weights come first --------------------- */

static int decoder_attention_project(tarei_build *const b, const decoder_attention_form *const f,
                                     const int64_t part) {
  const int64_t width = f->heads * f->depth, first = part * width, end = first + width;
  const int w = tarei_attend_slice(b, tarei_build_in(b, 1), 1, first, end, 1);
  const int y = tarei_build_binary(b, "MatMul", tarei_build_in(b, 0), w);
  const int bias = tarei_build_in(b, 2);
  return decoder_attention_heads(
      b, f,
      bias < 0 ? y
               : tarei_build_binary(b, "Add", y, tarei_attend_slice(b, bias, 0, first, end, 1)));
}

static int decoder_attention_half(tarei_build *const b, const int cache, const int64_t half) {
  return tarei_build_binary(b, "Gather", cache, tarei_build_number(b, TARE_I64, (double)half));
}

static tare_status expand_decoder_self(tarei_graph *const graph, const int node,
                                       tare_error *const err) {
  enum { X, WEIGHTS, BIAS, KEY_MASK, CACHE, SCORE_BIAS, ROWS, WIDTH };
  const tarei_node *const n = &graph->nodes[node];
  decoder_attention_form f = {.mask = KEY_MASK, .bias = SCORE_BIAS, .length = ROWS};
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(decoder_attention_refuse(graph, n, WIDTH, err));
  const tarei_value *const w = tarei_ops_in(graph, n, WEIGHTS);
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  const int64_t all = decoder_attention_dim(graph, w, 1);
  TAREI_TRY(decoder_attention_read(graph, n, all % 3 ? -1 : all / 3, &f, err));
  if (!tarei_ops_in(graph, n, CACHE) || !tarei_ops_in(graph, n, ROWS)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "inputs 4 (the cache, a buffer) and 6 (the rows in use) must be there");
  }
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, CACHE), 5, 5, err));
  if (tarei_attr_int(n, "do_rotary", 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "rotary positions are not supported here");
  }
  const int out = n->out[0], present = n->n_out > 1 ? n->out[1] : -1;
  decoder_attention_values v = {.present_k = -2, .present_v = -2};
  tarei_build b = tarei_build_at(graph, node);
  v.q = decoder_attention_project(&b, &f, 0);
  v.k = decoder_attention_project(&b, &f, 1);
  v.v = decoder_attention_project(&b, &f, 2);
  v.past_k = decoder_attention_half(&b, tarei_build_in(&b, CACHE), 0);
  v.past_v = decoder_attention_half(&b, tarei_build_in(&b, CACHE), 1);
  decoder_attention_write(&b, &f, &v, out);
  if (present >= 0) {
    const int64_t first = 0;
    const int halves[] = {tarei_attend_unsqueeze(&b, v.present_k, &first, 1),
                          tarei_attend_unsqueeze(&b, v.present_v, &first, 1)};
    tarei_build_into(&b, "Concat", halves, 2, present);
    tarei_build_int(&b, "axis", 0);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_decoder_multi_head_attention = {
    .name = "DecoderMaskedMultiHeadAttention",
    .domain = "com.microsoft",
    .min_in = 1,
    .max_in = 11,
    .min_out = 1,
    .max_out = 4,
    .expand = expand_decoder_multi_head,
};

const tarei_op tarei_op_ms_decoder_self_attention = {
    .name = "DecoderMaskedSelfAttention",
    .domain = "com.microsoft",
    .min_in = 2,
    .max_in = 9,
    .min_out = 1,
    .max_out = 2,
    .expand = expand_decoder_self,
};
