/* GroupQueryAttention of com.microsoft: causal attention behind a cache, in which each sequence of
 * the batch has a length of its own. The cache grows by the new keys, or it is a buffer whose first
 * rows are in use. */
#include <inttypes.h>
#include <math.h>

#include "graph/expand/rotate.h"

enum {
  QUERY,
  KEY,
  VALUE,
  PAST_KEY,
  PAST_VALUE,
  LAST_KEY,
  TOTAL,
  COSINE,
  SINE,
  POSITIONS,
  ADDEND,
  SINKS,
  REST
};
enum { Y, PRESENT_KEY, PRESENT_VALUE, PRODUCTS };

typedef struct gqa_form {
  tare_dtype dtype;
  int64_t heads, kv_heads, depth, window;
  bool packed, rotates, has_past, interleaved;
  int64_t angles;   /* half of the elements of a head that are turned */
  bool added, fits; /* there is a bias; its columns are past and new rows as they lie */
  bool sinks, smooth;
  double scale, softcap;
} gqa_form;

/* What the nodes share, as values; rows are those of all keys: past ones, then new ones. */
typedef struct gqa_values {
  int q, k, v;          /* [B, H, S, d], of new ones only */
  int past, rows;       /* numbers of past and of new rows, scalars */
  int used;             /* how many of the past rows are in use, [B, 1] */
  int position;         /* of the new rows, [B, S] */
  int past_k, past_v;   /* or -1 */
  int whole_k, whole_v; /* past and new rows */
} gqa_values;

static tare_status gqa_refuse_rest(const tarei_graph *const graph, const tarei_node *const node,
                                   tare_error *const err) {
  for (int i = REST; i < node->n_in; i++) {
    if (tarei_ops_in(graph, node, i)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED,
                        "input %d (scales of a quantized cache) is not supported: export the model "
                        "with a cache of floats",
                        i);
    }
  }
  static const char *const attributes[] = {"qk_output", "kv_cache_bit_width"};
  for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++) {
    if (tarei_attr_int(node, attributes[i], 0) > 0) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "attribute '%s' is not supported", attributes[i]);
    }
  }
  return node->n_out > PRODUCTS && node->out[PRODUCTS] >= 0
             ? tarei_fail(err, TARE_E_UNSUPPORTED, "scores as an output are not supported")
             : TARE_OK;
}

static tare_status gqa_read_heads(const tarei_graph *const graph, const tarei_node *const node,
                                  gqa_form *const f, tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, QUERY);
  int64_t width = -1;
  f->heads = tarei_attr_int(node, "num_heads", 0);
  f->kv_heads = tarei_attr_int(node, "kv_num_heads", 0);
  if (f->heads < 1 || f->kv_heads < 1 || f->heads % f->kv_heads) {
    return tarei_fail(err, TARE_E_MODEL,
                      "%" PRId64 " query heads are not a multiple of %" PRId64 " key heads",
                      f->heads, f->kv_heads);
  }
  const int64_t parts = f->packed ? f->heads + 2 * f->kv_heads : f->heads;
  if (!tarei_expr_is_const(graph->exprs, q->dims[2], &width) || width < parts || width % parts) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of '%s' must be a constant multiple of %" PRId64 " heads",
                      q->name, parts);
  }
  f->depth = width / parts;
  return TARE_OK;
}

static tare_status gqa_read_rotation(const tarei_graph *const graph, const tarei_node *const node,
                                     gqa_form *const f, tare_error *const err) {
  f->rotates = tarei_attr_int(node, "do_rotary", 0) != 0;
  f->interleaved = tarei_attr_int(node, "rotary_interleaved", 0) != 0;
  const tarei_value *const cosine = tarei_ops_in(graph, node, COSINE);
  const tarei_value *const sine = tarei_ops_in(graph, node, SINE);
  if (!f->rotates) {
    return TARE_OK;
  }
  if (!cosine || !sine) {
    return tarei_fail(err, TARE_E_MODEL, "do_rotary needs tables of cosines and sines");
  }
  TAREI_TRY(tarei_ops_want_rank(cosine, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(sine, 2, 2, err));
  return tarei_expr_is_const(graph->exprs, cosine->dims[1], &f->angles) && f->angles >= 1 &&
                 2 * f->angles <= f->depth
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "the width of '%s' must be constant, and at most half of the %" PRId64
                          " elements of a head",
                          cosine->name, f->depth);
}

/* What is added to the scores, and what takes part in a softmax beside the keys. */
static tare_status gqa_read_extras(const tarei_graph *const graph, const tarei_node *const node,
                                   gqa_form *const f, tare_error *const err) {
  const tarei_value *const bias = tarei_ops_in(graph, node, ADDEND);
  const tarei_value *const past = tarei_ops_in(graph, node, PAST_KEY);
  f->added = bias != NULL;
  f->sinks = tarei_ops_in(graph, node, SINKS) != NULL;
  f->smooth = tarei_attr_int(node, "smooth_softmax", 0) > 0;
  if (f->sinks) {
    TAREI_TRY(tarei_ops_want_vector(graph, tarei_ops_in(graph, node, SINKS),
                                    tarei_expr_const(graph->exprs, f->heads), err));
  }
  if (bias) {
    TAREI_TRY(tarei_ops_want_rank(bias, 4, 4, err));
    const tarei_expr rows = tarei_ops_in(graph, node, QUERY)->dims[1];
    const tarei_expr all = past ? tarei_expr_add(graph->exprs, rows, past->dims[2]) : rows;
    f->fits = bias->dims[3] == all;
  }
  return TARE_OK;
}

static tare_status gqa_read_form(const tarei_graph *const graph, const tarei_node *const node,
                                 gqa_form *const f, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const q = tarei_ops_in(graph, node, QUERY);
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(tarei_ops_want_rank(q, 3, 3, err));
  for (int i = LAST_KEY; i <= TOTAL; i++) {
    if (!tarei_ops_in(graph, node, i)) {
      return tarei_fail(err, TARE_E_MODEL, "input %d (lengths of sequences) is missing", i);
    }
  }
  *f = (gqa_form){.dtype = q->dtype,
                  .packed = !tarei_ops_in(graph, node, KEY),
                  .has_past = tarei_ops_in(graph, node, PAST_KEY) != NULL,
                  .window = tarei_attr_int(node, "local_window_size", -1),
                  .softcap = (double)tarei_attr_float(node, "softcap", 0)};
  if (f->packed != !tarei_ops_in(graph, node, VALUE) ||
      f->has_past != (tarei_ops_in(graph, node, PAST_VALUE) != NULL)) {
    return tarei_fail(err, TARE_E_MODEL, "keys and values must both be there, or none of them");
  }
  for (int i = f->packed ? PAST_KEY : KEY; i <= PAST_VALUE; i++) {
    const int rank = i < PAST_KEY ? 3 : 4;
    if (tarei_ops_in(graph, node, i)) {
      TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, i), rank, rank, err));
    }
  }
  TAREI_TRY(gqa_refuse_rest(graph, node, err));
  TAREI_TRY(gqa_read_heads(graph, node, f, err));
  const float scale = tarei_attr_float(node, "scale", 0);
  f->scale = scale != 0 ? (double)scale : 1.0 / sqrt((double)f->depth);
  TAREI_TRY(gqa_read_extras(graph, node, f, err));
  return gqa_read_rotation(graph, node, f, err);
}

/* Heads [first, first + n) of the packed input, or an input of their own; [B, n, S, d]. */
static int gqa_heads_of(tarei_build *const b, const gqa_form *const f, const int input,
                        const int64_t first, const int64_t n) {
  const int x = f->packed ? tarei_attend_slice(b, tarei_build_in(b, QUERY), 2, first * f->depth,
                                               (first + n) * f->depth, 1)
                          : tarei_build_in(b, input);
  return tarei_attend_split_heads(b, x, n, f->depth);
}

/* All keys of a sequence but the new ones: none in a first run, whose sequences may end earlier. */
static int gqa_used_rows(tarei_build *const b, const gqa_values *const v) {
  const int last = tarei_build_cast(b, tarei_build_in(b, LAST_KEY), TARE_I64);
  const int column = tarei_attend_reshape(b, last, (const int64_t[]){-1, 1}, 2);
  const int one = tarei_build_number(b, TARE_I64, 1);
  const int used = tarei_build_binary(b, "Sub", tarei_build_binary(b, "Add", column, one), v->rows);
  return tarei_build_binary(b, "Max", used, tarei_build_number(b, TARE_I64, 0));
}

static int gqa_angles(tarei_build *const b, const gqa_values *const v, const int table) {
  const int given = tarei_build_in(b, POSITIONS);
  const int rows =
      tarei_build_binary(b, "Gather", tarei_build_in(b, table), given < 0 ? v->position : given);
  return tarei_attend_unsqueeze(b, rows, (const int64_t[]){1}, 1);
}

static void gqa_rotate(tarei_build *const b, const gqa_form *const f, gqa_values *const v) {
  if (!f->rotates) {
    return;
  }
  tarei_rotate r = {.cosine = gqa_angles(b, v, COSINE),
                    .sine = gqa_angles(b, v, SINE),
                    .size = 2 * f->angles,
                    .depth = f->depth,
                    .interleaved = f->interleaved};
  r.x = v->q;
  v->q = tarei_rotate_write(b, &r);
  r.x = v->k;
  v->k = tarei_rotate_write(b, &r);
}

static void gqa_begin(tarei_build *const b, const gqa_form *const f, gqa_values *const v) {
  *v = (gqa_values){.q = gqa_heads_of(b, f, QUERY, 0, f->heads),
                    .k = gqa_heads_of(b, f, KEY, f->heads, f->kv_heads),
                    .v = gqa_heads_of(b, f, VALUE, f->heads + f->kv_heads, f->kv_heads),
                    .past_k = tarei_build_in(b, PAST_KEY),
                    .past_v = tarei_build_in(b, PAST_VALUE)};
  v->rows = tarei_attend_length(b, v->k, 2);
  v->past = f->has_past ? tarei_attend_length(b, v->past_k, 2) : tarei_build_number(b, TARE_I64, 0);
  v->used = gqa_used_rows(b, v);
  v->position = tarei_build_binary(b, "Add", tarei_attend_positions(b, v->k, 2), v->used);
  gqa_rotate(b, f, v);
  v->whole_k = f->has_past ? tarei_attend_concat(b, (const int[]){v->past_k, v->k}, 2, 2) : v->k;
  v->whole_v = f->has_past ? tarei_attend_concat(b, (const int[]){v->past_v, v->v}, 2, 2) : v->v;
}

/* Positions of all keys, [B, P + S]; past rows that are not in use lie behind all others. */
static int gqa_key_positions(tarei_build *const b, const gqa_form *const f,
                             const gqa_values *const v) {
  if (!f->has_past) {
    return v->position;
  }
  const int at = tarei_attend_positions(b, v->past_k, 2);
  const int in[] = {tarei_build_binary(b, "Less", at, v->used), at,
                    tarei_build_number(b, TARE_I64, (double)INT32_MAX)};
  const int parts[] = {tarei_build_node(b, "Where", in, 3), v->position};
  return tarei_attend_concat(b, parts, 2, 1);
}

/* The bias that is given has a column for each position, which the rows of keys are not in. */
static int gqa_addend(tarei_build *const b, const gqa_form *const f, const gqa_values *const v,
                      const int key) {
  const int bias = tarei_build_in(b, ADDEND);
  if (f->fits) {
    return bias;
  }
  const int one = tarei_build_number(b, TARE_I64, 1);
  const int last = tarei_build_binary(b, "Sub", tarei_attend_length(b, bias, 3), one);
  const int at = tarei_build_binary(b, "Min", key, last); /* [B, 1, 1, P + S] */
  const int ones = tarei_build_i64s(b, (const int64_t[]){1, 1}, 2);
  const int heads = tarei_build_unary(b, "Shape", bias);
  tarei_build_int(b, "start", 1);
  tarei_build_int(b, "end", 3);
  const int first = tarei_build_i64s(b, (const int64_t[]){1}, 1);
  const int wide = tarei_attend_concat(b, (const int[]){first, heads, first}, 3, 0);
  const int batch = tarei_build_unary(b, "Shape", v->position);
  tarei_build_int(b, "end", 1);
  const int tall = tarei_attend_concat(b, (const int[]){batch, ones, first}, 3, 0);
  const int in[] = {tarei_build_binary(b, "Expand", bias, tall),
                    tarei_build_binary(b, "Expand", at, wide)};
  const int moved = tarei_build_node(b, "GatherElements", in, 2);
  tarei_build_int(b, "axis", 3);
  return moved;
}

static int gqa_bias(tarei_build *const b, const gqa_form *const f, const gqa_values *const v) {
  const int key = tarei_attend_unsqueeze(b, gqa_key_positions(b, f, v), (const int64_t[]){1, 2}, 2);
  const int query = tarei_attend_unsqueeze(b, v->position, (const int64_t[]){1, 3}, 2);
  int allowed = tarei_build_binary(b, "LessOrEqual", key, query);
  if (f->window > 0) {
    const int first =
        tarei_build_binary(b, "Sub", query, tarei_build_number(b, TARE_I64, (double)f->window));
    allowed = tarei_attend_and(b, allowed, tarei_build_binary(b, "Greater", key, first));
  }
  const int mask = tarei_attend_bias_of(b, f->dtype, allowed, -(double)INFINITY);
  return f->added ? tarei_attend_add(b, mask, gqa_addend(b, f, v, key)) : mask;
}

/* The score of no key, for each head. */
static int gqa_sink(tarei_build *const b, const gqa_form *const f) {
  return f->sinks ? tarei_attend_reshape(b, tarei_build_in(b, SINKS),
                                         (const int64_t[]){1, f->heads, 1, 1}, 4)
                  : tarei_build_number(b, f->dtype, 0);
}

/* The number of the row of [past, new, zeros] that lies in each row of the cache, [B, kv, L, 1]. */
static int gqa_cache_rows(tarei_build *const b, const gqa_form *const f,
                          const gqa_values *const v) {
  const int total =
      tarei_attend_reshape(b, tarei_build_cast(b, tarei_build_in(b, TOTAL), TARE_I64), NULL, 0);
  const int limits[] = {tarei_build_number(b, TARE_I64, 0),
                        f->has_past ? tarei_build_binary(b, "Max", total, v->past) : total,
                        tarei_build_number(b, TARE_I64, 1)};
  const int at = tarei_build_node(b, "Range", limits, 3);
  const int behind = tarei_build_binary(b, "Sub", at, v->used);
  const int end = tarei_build_binary(b, "Add", v->past, v->rows);
  const int new_rows[] = {tarei_build_binary(b, "Less", behind, v->rows),
                          tarei_build_binary(b, "Add", behind, v->past), end};
  const int rows[] = {tarei_build_binary(b, "Less", at, v->used), at,
                      tarei_build_node(b, "Where", new_rows, 3)};
  const int of_batch =
      tarei_attend_unsqueeze(b, tarei_build_node(b, "Where", rows, 3), (const int64_t[]){1, 3}, 2);
  const int64_t shape[] = {1, f->kv_heads, 1, 1};
  return tarei_build_binary(b, "Expand", of_batch, tarei_build_i64s(b, shape, 4));
}

static void gqa_show_cache(tarei_build *const b, const int whole, const int rows, const int out) {
  if (out < 0) {
    return;
  }
  const int64_t row_behind[] = {0, 0, 0, 0, 0, 0, 1, 0};
  const int padded = tarei_build_binary(b, "Pad", whole, tarei_build_i64s(b, row_behind, 8));
  const int in[] = {padded, rows};
  tarei_build_into(b, "GatherND", in, 2, out);
  tarei_build_int(b, "batch_dims", 2);
}

static int gqa_output(const tarei_graph *const graph, const int node, const int i) {
  return i < graph->nodes[node].n_out ? graph->nodes[node].out[i] : -1;
}

static tare_status gqa_expand(tarei_graph *const graph, const int node, tare_error *const err) {
  gqa_form f;
  gqa_values v;
  TAREI_TRY(gqa_read_form(graph, &graph->nodes[node], &f, err));
  const int out = gqa_output(graph, node, Y), key = gqa_output(graph, node, PRESENT_KEY),
            value = gqa_output(graph, node, PRESENT_VALUE);
  tarei_build b = tarei_build_at(graph, node);
  gqa_begin(&b, &f, &v);
  tarei_attend a = {.dtype = f.dtype,
                    .q = v.q,
                    .k = tarei_attend_repeat_heads(&b, v.whole_k, f.kv_heads, f.heads),
                    .v = tarei_attend_repeat_heads(&b, v.whole_v, f.kv_heads, f.heads),
                    .bias = gqa_bias(&b, &f, &v),
                    .scale = f.scale,
                    .softcap = f.softcap,
                    .sinks = f.sinks || f.smooth};
  if (a.sinks) {
    a.sink = gqa_sink(&b, &f);
  }
  const int y = tarei_attend_write(&b, &a);
  if (key >= 0 || value >= 0) {
    const int rows = gqa_cache_rows(&b, &f, &v);
    gqa_show_cache(&b, v.whole_k, rows, key);
    gqa_show_cache(&b, v.whole_v, rows, value);
  }
  const int turned = tarei_attend_transpose(&b, y, (const int64_t[]){0, 2, 1, 3}, 4);
  const int64_t joined[] = {0, 0, f.heads * f.depth};
  tarei_build_into(&b, "Reshape", (const int[]){turned, tarei_build_i64s(&b, joined, 3)}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_group_query_attention = {
    .name = "GroupQueryAttention",
    .domain = "com.microsoft",
    .min_in = 1,
    .max_in = 14,
    .min_out = 1,
    .max_out = 4,
    .expand = gqa_expand,
};
