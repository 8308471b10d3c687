/* What ONNX Runtime's quantizers make of an optimized BERT: QAttention and QEmbedLayerNormalization
 * of com.microsoft; and QLinearReduceMean. */
#include <inttypes.h>

#include "graph/expand/ms_attention_form.h"
#include "graph/expand/ms_expansion.h"
#include "graph/expand/qdq.h"

/* --- QAttention: exact products of bytes, scaled, and attention in float ---------------------- */

enum { X, WEIGHTS, BIAS, X_SCALE, W_SCALE, MASK, X_ZERO, W_ZERO, PAST };

/* Columns [first, first + width) of an input that has one number, or one for each column. */
static int contrib_quantized_part(tarei_build *const b, const int input, const int64_t first,
                                  const int64_t width) {
  const int x = tarei_build_in(b, input);
  int64_t count = 0;
  if (x < 0 || b->failed || b->graph->values[x].rank == 0 ||
      (tarei_value_dim_const(b->graph, x, 0, &count) && count == 1)) {
    return x;
  }
  return tarei_attend_slice(b, x, 0, first, first + width, 1);
}

static int contrib_quantized_project(tarei_build *const b, const tarei_ms_attention *const a,
                                     const int64_t part) {
  const int64_t width = a->heads * a->depth, first = part * width;
  const int zero = tarei_build_in(b, X_ZERO);
  const int in[] = {tarei_build_in(b, X),
                    tarei_attend_slice(b, tarei_build_in(b, WEIGHTS), 1, first, first + width, 1),
                    zero, contrib_quantized_part(b, W_ZERO, first, width)};
  const int sums = tarei_build_node(b, "MatMulInteger", in, in[3] >= 0 ? 4 : zero >= 0 ? 3 : 2);
  const int scale = tarei_build_binary(b, "Mul", tarei_build_in(b, X_SCALE),
                                       contrib_quantized_part(b, W_SCALE, first, width));
  const int real = tarei_build_binary(b, "Mul", tarei_build_cast(b, sums, TARE_F32), scale);
  const int bias = tarei_attend_slice(b, tarei_build_in(b, BIAS), 0, first, first + width, 1);
  return tarei_attend_split_heads(b, tarei_build_binary(b, "Add", real, bias), a->heads, a->depth);
}

static tare_status expand_qattention(tarei_graph *const graph, const int node,
                                     tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  tarei_ms_attention a = {.dtype = TARE_F32, .bias = -1, .present_k = -2, .present_v = -2};
  TAREI_TRY(tarei_ops_need(graph, n, 5, err));
  const tarei_value *const x = tarei_ops_in(graph, n, X), *const w =
                                                              tarei_ops_in(graph, n, WEIGHTS);
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  TAREI_TRY(tarei_ops_want_dtype(tarei_ops_in(graph, n, X_SCALE), TARE_F32, err));
  TAREI_TRY(tarei_ms_attention_read(n, &a, err));
  const int64_t all = tarei_ms_attention_dim(graph, w, 1),
                width = all > 0 && all % 3 == 0 ? all / 3 : -1;
  TAREI_TRY(tarei_ms_attention_widths(n, &a, width, width, err));
  TAREI_TRY(tarei_ms_attention_mask(graph, n, MASK, x->dims[0], &a, err));
  if (tarei_attr_int(n, "do_rotary", 0) || tarei_attr_int(n, "past_present_share_buffer", 0)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "rotary positions and caches written in place are not supported");
  }
  const int present = n->n_out > 1 ? n->out[1] : -1;
  tarei_build b = tarei_build_at(graph, node);
  a.past_k = tarei_ms_attention_half(&b, tarei_build_in(&b, PAST), 0);
  a.past_v = tarei_ms_attention_half(&b, tarei_build_in(&b, PAST), 1);
  a.q = contrib_quantized_project(&b, &a, 0);
  a.k = contrib_quantized_project(&b, &a, 1);
  a.v = contrib_quantized_project(&b, &a, 2);
  tarei_ms_attention_write(&b, &a);
  if (present >= 0) {
    tarei_ms_attention_present(&b, &a, present);
  }
  return tarei_build_done(&b, err);
}

/* --- QEmbedLayerNormalization: rows of bytes looked up, then real ----------------------------- */

enum { IDS, SEGMENTS, WORD_TABLE, POSITION_TABLE, SEGMENT_TABLE, GAIN, SHIFT, ROW_MASK };
enum { SCALES = 8 - WORD_TABLE, ZEROS = 13 - WORD_TABLE }; /* behind the number of a table */

static tarei_qdq contrib_quantized_table(const tarei_build *const b, const int value,
                                         const int table) {
  return (tarei_qdq){value, tarei_build_in(b, table + SCALES), tarei_build_in(b, table + ZEROS)};
}

static int contrib_quantized_rows(tarei_build *const b, const int table, const int at) {
  const int rows = tarei_build_binary(b, "Gather", tarei_build_in(b, table), at);
  return tarei_qdq_read(b, contrib_quantized_table(b, rows, table), -1);
}

static tare_status expand_qembed(tarei_graph *const graph, const int node, tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  TAREI_TRY(tarei_qdq_need(&b, 015555 /* all but segments, the mask and zero points */, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, n, IDS), 2, 2, err));
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-12f);
  const int out = n->out[0], lengths = n->n_out > 1 ? n->out[1] : -1;
  const int ids = tarei_build_in(&b, IDS), segments = tarei_build_in(&b, SEGMENTS);
  int sum = tarei_build_binary(
      &b, "Add", contrib_quantized_rows(&b, WORD_TABLE, ids),
      contrib_quantized_rows(&b, POSITION_TABLE, tarei_attend_positions(&b, ids, 1)));
  if (segments >= 0 && tarei_build_in(&b, SEGMENT_TABLE) >= 0) {
    sum = tarei_build_binary(&b, "Add", sum, contrib_quantized_rows(&b, SEGMENT_TABLE, segments));
  }
  const int in[] = {
      sum, tarei_qdq_read(&b, contrib_quantized_table(&b, tarei_build_in(&b, GAIN), GAIN), -1),
      tarei_qdq_read(&b, contrib_quantized_table(&b, tarei_build_in(&b, SHIFT), SHIFT), -1)};
  tarei_build_into(&b, "LayerNormalization", in, 3, out);
  tarei_build_float(&b, "epsilon", epsilon);
  if (lengths >= 0) {
    const int64_t last = 1;
    const int mask = tarei_build_in(&b, ROW_MASK);
    const int counted =
        mask >= 0 ? mask : tarei_build_binary(&b, "Mul", ids, tarei_build_number(&b, TARE_I32, 0));
    tarei_build_into(&b, "ReduceSum", (const int[]){counted, tarei_build_i64s(&b, &last, 1)}, 2,
                     lengths);
    tarei_build_int(&b, "keepdims", 0);
  }
  return tarei_build_done(&b, err);
}

static tare_status expand_qlinear_reduce_mean(tarei_graph *const graph, const int node,
                                              tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  tarei_build b = tarei_build_at(graph, node);
  TAREI_TRY(tarei_qdq_need(&b, TAREI_QDQ_UNARY, err));
  const tarei_attr *const axes = tarei_attr_find(n, "axes");
  const int64_t keeps = tarei_attr_int(n, "keepdims", 1);
  const tarei_qdq x = tarei_qdq_in(&b, 0);
  int list = -1;
  if (axes && axes->kind == TAREI_ATTR_INTS) {
    int64_t copy[TARE_MAX_RANK];
    const int count = axes->n < TARE_MAX_RANK ? axes->n : TARE_MAX_RANK;
    for (int i = 0; i < count; i++) {
      copy[i] = axes->ints[i];
    }
    list = tarei_build_i64s(&b, copy, count);
  }
  const int in[] = {tarei_qdq_read(&b, x, -1), list};
  const int y = tarei_build_node(&b, "ReduceMean", in, list < 0 ? 1 : 2);
  tarei_build_int(&b, "keepdims", keeps);
  tarei_qdq_write(&b, y, tarei_qdq_scale(&b, 3), x.value);
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_qattention, "QAttention", 5, 9, 2, expand_qattention);
TAREI_MS_EXPANSION(ms_qembed_layer_norm, "QEmbedLayerNormalization", 1, 18, 2, expand_qembed);
TAREI_MS_EXPANSION(qlinear_reduce_mean, "QLinearReduceMean", 2, 5, 1, expand_qlinear_reduce_mean);
