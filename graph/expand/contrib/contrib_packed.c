/* Tokens without padding, [tokens, width], as ONNX Runtime computes batches of BERT: RemovePadding,
 * RestorePadding, PackedAttention and PackedMultiHeadAttention of com.microsoft. The attention goes
 * through padded batches. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "graph/expand/attend.h"
#include "graph/expand/ms_expansion.h"

static const int64_t FIRST_AXIS[] = {0}, LAST_OF_TWO[] = {1}, FLAT[] = {-1};

/* --- moving tokens ---------------------------------------------------------------------------- */

/* Rows of a padded batch [B, S, W] that `at` numbers. */
static int packed_gather(tarei_build *const b, const int x, const int at) {
  const int rows = tarei_build_unary(b, "Flatten", x);
  tarei_build_int(b, "axis", 2);
  return tarei_build_binary(b, "Gather", rows, at);
}

/* The place of each of the tokens x in the padded batch: the first ones of `offsets`, [B, S]. */
static int packed_places(tarei_build *const b, const int x, const int offsets) {
  const int all = tarei_attend_reshape(b, tarei_build_cast(b, offsets, TARE_I64), FLAT, 1);
  return tarei_build_binary(b, "Gather", all, tarei_attend_positions(b, x, 0));
}

/* Tokens [n, W] at their places in a batch of zeros, into `out` or a new value. */
static int packed_restore(tarei_build *const b, const tare_dtype dtype, const int x, const int at,
                          const int offsets, int out) {
  const int size = tarei_attend_unsqueeze(b, tarei_build_unary(b, "Size", offsets), FIRST_AXIS, 1);
  const int width = tarei_attend_unsqueeze(b, tarei_attend_length(b, x, 1), FIRST_AXIS, 1);
  const int shape = tarei_attend_concat(b, (const int[]){size, width}, 2, 0);
  const int empty = tarei_build_binary(b, "Expand", tarei_build_number(b, dtype, 0), shape);
  const int in[] = {empty, tarei_attend_unsqueeze(b, at, LAST_OF_TWO, 1), x};
  const int rows = tarei_build_node(b, "ScatterND", in, 3);
  const int padded =
      tarei_attend_concat(b, (const int[]){tarei_build_unary(b, "Shape", offsets), width}, 2, 0);
  tarei_build_outputs(b, "Reshape", (const int[]){rows, padded}, 2, &out, 1);
  return out;
}

static int packed_out(const tarei_node *const node, const int i) {
  return i < node->n_out ? node->out[i] : -1;
}

static void packed_counts(tarei_build *const b, const int counts, const int sums, const int most) {
  if (sums >= 0) {
    const int zero = tarei_build_const(b, TARE_I32, 1, (const int64_t[]){1}, (const int32_t[]){0});
    const int sum = tarei_build_binary(b, "CumSum", counts, tarei_build_number(b, TARE_I64, 0));
    tarei_build_into(b, "Concat", (const int[]){zero, sum}, 2, sums);
    tarei_build_int(b, "axis", 0);
  }
  if (most >= 0) {
    tarei_build_into(b, "ReduceMax", (const int[]){counts, tarei_build_i64s(b, FIRST_AXIS, 1)}, 2,
                     most);
  }
}

static tare_status expand_remove_padding(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  enum { TOKENS, OFFSETS, SUMS, MOST };
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, 0), 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, 1), 1, 1, err));
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, n, 1), TARE_I32, err));
  const int out = n->out[TOKENS], offsets = packed_out(n, OFFSETS), sums = packed_out(n, SUMS),
            most = packed_out(n, MOST);
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0), counts = tarei_build_in(&b, 1);
  const int wide =
      tarei_attend_unsqueeze(&b, tarei_build_cast(&b, counts, TARE_I64), LAST_OF_TWO, 1);
  const int real = tarei_build_binary(&b, "Less", tarei_attend_positions(&b, x, 1), wide);
  const int flat = tarei_attend_reshape(&b, real, FLAT, 1);
  const int at = tarei_attend_reshape(&b, tarei_build_unary(&b, "NonZero", flat), FLAT, 1);
  if (offsets >= 0) {
    const int padding = tarei_build_unary(&b, "NonZero", tarei_build_unary(&b, "Not", flat));
    const int rest = tarei_attend_reshape(&b, padding, FLAT, 1);
    const int all = tarei_attend_concat(&b, (const int[]){at, rest}, 2, 0);
    const int in[] = {tarei_build_cast(&b, all, TARE_I32), tarei_build_unary(&b, "Shape", real)};
    tarei_build_into(&b, "Reshape", in, 2, offsets);
  }
  packed_counts(&b, counts, sums, most);
  const int tokens = packed_gather(&b, x, at);
  tarei_build_into(&b, "Identity", &tokens, 1, out);
  return tarei_build_done(&b, err);
}

static tare_status expand_restore_padding(tarei_graph *const graph, const int node,
                                          tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, 0), 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, 1), 2, 2, err));
  const tare_dtype dtype = tarei_ops_in(graph, n, 0)->dtype;
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int x = tarei_build_in(&b, 0), offsets = tarei_build_in(&b, 1);
  packed_restore(&b, dtype, x, packed_places(&b, x, offsets), offsets, out);
  return tarei_build_done(&b, err);
}

/* --- attention -------------------------------------------------------------------------------- */

typedef struct packed_form {
  tare_dtype dtype;
  int offsets, sums, bias; /* inputs of the node */
  int64_t heads, widths[3];
  double scale;
} packed_form;

/* Each third of `all` columns, or as "qkv_hidden_sizes" says. */
static tare_status packed_read(const tarei_graph *const graph, const tarei_node *const node,
                               const int64_t all, packed_form *const f, tare_error *const err) {
  const tarei_attr *const given = tarei_attr_find(node, "qkv_hidden_sizes");
  const bool listed = given && given->kind == TAREI_ATTR_INTS && given->n == 3;
  const float scale = tarei_attr_float(node, "scale", 0);
  f->heads = tarei_attr_int(node, "num_heads", 0);
  int64_t sum = 0;
  bool fits = f->heads >= 1 && all >= 3;
  for (int i = 0; i < 3; i++) {
    f->widths[i] = listed ? given->ints[i] : all / 3;
    fits = fits && f->widths[i] >= 1 && f->widths[i] <= all && f->widths[i] % f->heads == 0;
    sum += fits ? f->widths[i] : 0;
  }
  if (!fits || sum != all || f->widths[0] != f->widths[1]) {
    return tarei_fail(err, TARE_E_MODEL,
                      "Q, K and V with %" PRId64
                      " columns in all (-1: not constant) must each be multiples of %" PRId64
                      " heads",
                      all, f->heads);
  }
  f->scale = scale != 0 ? (double)scale : 1.0 / sqrt((double)(f->widths[0] / f->heads));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, f->offsets), 2, 2, err));
  return tarei_ops_want_rank(tarei_ops_in(graph, node, f->sums), 1, 1, err);
}

/* What is added to the scores: -FLT_MAX for the padding, and the bias given. */
static int packed_bias(tarei_build *const b, const packed_form *const f, const int k) {
  const int sums = tarei_build_cast(b, tarei_build_in(b, f->sums), TARE_I64);
  const int ends = tarei_attend_slice(b, sums, 0, 1, INT64_MAX, 1);
  const int lengths = tarei_build_binary(b, "Sub", ends, tarei_attend_slice(b, sums, 0, 0, -1, 1));
  const int wide = tarei_attend_reshape(b, lengths, (const int64_t[]){-1, 1, 1, 1}, 4);
  const int real = tarei_build_binary(b, "Less", tarei_attend_positions(b, k, 2), wide);
  const int mask = tarei_attend_bias_of(b, f->dtype, real, -(double)FLT_MAX);
  return tarei_attend_add(b, mask, tarei_build_in(b, f->bias));
}

/* Attention of tokens [n, width]. */
static void packed_attend(tarei_build *const b, const packed_form *const f, const int qkv[3],
                          const int out) {
  const int offsets = tarei_build_in(b, f->offsets), at = packed_places(b, qkv[0], offsets);
  int heads[3];
  for (int i = 0; i < 3; i++) {
    const int padded = packed_restore(b, f->dtype, qkv[i], at, offsets, -2);
    heads[i] = tarei_attend_split_heads(b, padded, f->heads, f->widths[i] / f->heads);
  }
  tarei_attend attend = {.dtype = f->dtype,
                         .q = heads[0],
                         .k = heads[1],
                         .v = heads[2],
                         .bias = packed_bias(b, f, heads[1]),
                         .scale = f->scale};
  const int y = tarei_attend_merge_heads(b, tarei_attend_write(b, &attend), f->widths[2]);
  const int tokens = packed_gather(b, y, at);
  tarei_build_into(b, "Identity", &tokens, 1, out);
}

static int64_t packed_const_dim(const tarei_graph *const graph, const tarei_value *const v,
                                const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

static tare_status expand_packed_attention(tarei_graph *const graph, const int node,
                                           tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  packed_form f = {.offsets = 3, .sums = 4, .bias = 5};
  TAREI_TRY(tarei_ops_need(graph, n, 5, err));
  const tarei_value *const x = tarei_ops_in(graph, n, 0), *const w = tarei_ops_in(graph, n, 1);
  f.dtype = x->dtype;
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  TAREI_TRY(packed_read(graph, n, packed_const_dim(graph, w, 1), &f, err));
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  int qkv[3];
  int64_t first = 0;
  for (int i = 0; i < 3; i++) {
    const int64_t end = first + f.widths[i];
    const int part = tarei_attend_slice(&b, tarei_build_in(&b, 1), 1, first, end, 1);
    const int bias = tarei_attend_slice(&b, tarei_build_in(&b, 2), 0, first, end, 1);
    qkv[i] = tarei_build_binary(
        &b, "Add", tarei_build_binary(&b, "MatMul", tarei_build_in(&b, 0), part), bias);
    first = end;
  }
  packed_attend(&b, &f, qkv, out);
  return tarei_build_done(&b, err);
}

/* Q, K and V as inputs, or one input [n, heads, 3, d]. */
static int packed_operand(tarei_build *const b, const packed_form *const f, const bool joined,
                          const int i) {
  const int64_t first = i ? f->widths[0] * i : 0;
  int x = tarei_build_in(b, joined ? 0 : i);
  if (joined) {
    x = tarei_attend_slice(b, x, 2, i, i + 1, 1);
    x = tarei_attend_reshape(b, x, (const int64_t[]){0, f->widths[i]}, 2);
  }
  const int bias = tarei_build_in(b, 3);
  return bias < 0
             ? x
             : tarei_build_binary(b, "Add", x,
                                  tarei_attend_slice(b, bias, 0, first, first + f->widths[i], 1));
}

static tare_status expand_packed_multi_head(tarei_graph *const graph, const int node,
                                            tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  packed_form f = {.offsets = 4, .sums = 5, .bias = 6};
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const tarei_value *const q = tarei_ops_in(graph, n, 0), *const v = tarei_ops_in(graph, n, 2);
  const bool joined = !tarei_ops_in(graph, n, 1);
  if (joined != !v || !tarei_ops_in(graph, n, 4) || !tarei_ops_in(graph, n, 5)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "keys and values must both be there or none of them, and inputs 4 and 5 (the "
                      "places of tokens)");
  }
  f.dtype = q->dtype;
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(tarei_ops_want_rank(q, joined ? 4 : 2, joined ? 4 : 2, err));
  const int64_t heads = tarei_attr_int(n, "num_heads", 0);
  const int64_t width = joined ? packed_const_dim(graph, q, 3) : packed_const_dim(graph, q, 1);
  const int64_t of_v = joined ? width : packed_const_dim(graph, v, 1);
  if (width < 1 || of_v < 1 || width > INT32_MAX || of_v > INT32_MAX || heads > INT32_MAX / 3 ||
      heads < 1) {
    return tarei_fail(err, TARE_E_MODEL, "the last axis of '%s' must be constant", q->name);
  }
  TAREI_TRY(packed_read(graph, n, 3 * width * (joined ? heads : 1), &f, err));
  f.widths[2] = joined ? f.widths[2] : of_v;
  if (of_v % f.heads && !joined) {
    return tarei_fail(err, TARE_E_MODEL, "the width of '%s' is no multiple of %" PRId64 " heads",
                      v->name, f.heads);
  }
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  int qkv[3];
  for (int i = 0; i < 3; i++) {
    qkv[i] = packed_operand(&b, &f, joined, i);
  }
  packed_attend(&b, &f, qkv, out);
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_packed_attention, "PackedAttention", 5, 6, 1, expand_packed_attention);
TAREI_MS_EXPANSION(ms_packed_multi_head_attention, "PackedMultiHeadAttention", 1, 7, 1,
                   expand_packed_multi_head);
TAREI_MS_EXPANSION(ms_remove_padding, "RemovePadding", 2, 2, 4, expand_remove_padding);
TAREI_MS_EXPANSION(ms_restore_padding, "RestorePadding", 2, 2, 1, expand_restore_padding);
