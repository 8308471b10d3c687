/* Layer normalizations of com.microsoft: behind a residual, without the mean, behind embeddings. */
#include <string.h>

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

/* x normalized along its axes from `axis` on, into `out`. `simple`: not centered, and no shift. */
static void write_norm(tarei_build *const b, const tare_dtype dtype, const int x, const int gain,
                       const int shift, const bool simple, const int64_t axis, const int rank,
                       const float epsilon, const int out) {
  if (!simple) {
    tarei_build_into(b, "LayerNormalization", (const int[]){x, gain, shift}, shift < 0 ? 2 : 3,
                     out);
    tarei_build_int(b, "axis", axis);
    tarei_build_float(b, "epsilon", epsilon);
    return;
  }
  int64_t axes[TARE_MAX_RANK];
  int n = 0;
  for (int64_t a = axis < 0 ? axis + rank : axis; a < rank; a++) {
    axes[n++] = a;
  }
  const int square = tarei_build_binary(b, "Mul", x, x);
  const int mean = tarei_build_binary(b, "ReduceMean", square, tarei_build_i64s(b, axes, n));
  const int above =
      tarei_build_binary(b, "Add", mean, tarei_build_number(b, dtype, (double)epsilon));
  const int size = tarei_build_unary(b, "Sqrt", above);
  const int unit = tarei_build_binary(b, "Div", x, size);
  tarei_build_into(b, "Mul", (const int[]){unit, gain}, 2, out);
}

static bool is_asked_for(const tarei_graph *const graph, const tarei_node *const node,
                         const int output) {
  return output < node->n_out && node->out[output] >= 0 &&
         tarei_graph_count_uses(graph, node->out[output]) > 0;
}

/* Means and deviations are outputs for training. */
static tare_status refuse_statistics(const tarei_graph *const graph, const tarei_node *const node,
                                     const int first, const int last, tare_error *const err) {
  for (int i = first; i <= last; i++) {
    if (is_asked_for(graph, node, i)) {
      return tarei_fail(err, TARE_E_UNSUPPORTED, "output %d is not supported", i);
    }
  }
  return TARE_OK;
}

/* Outputs that nobody reads need a type all the same. */
static void fill_unused(tarei_build *const b, const int first, const int last) {
  for (int i = first; i <= last; i++) {
    const tarei_node *const n = &b->graph->nodes[b->node];
    const int out = i < n->n_out ? n->out[i] : -1;
    if (!b->failed && out >= 0) {
      const int zero = tarei_build_number(b, TARE_F32, 0);
      tarei_build_into(b, "Identity", &zero, 1, out);
    }
  }
}

static tare_status expand_skip_form(tarei_graph *const graph, const int node, const bool simple,
                                    tare_error *const err) {
  enum { X, SKIP, GAIN, SHIFT, BIAS };
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  const tarei_value *const x = tarei_ops_in(graph, n, X);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(refuse_statistics(graph, n, 1, 2, err));
  const tare_dtype dtype = x->dtype;
  const int rank = x->rank;
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-12f);
  const int out = n->out[0], sum_out = n->n_out > 3 ? n->out[3] : -1;
  tarei_build b = tarei_build_at(graph, node);
  const int shift = simple ? -1 : tarei_build_in(&b, SHIFT);
  const int bias = tarei_build_in(&b, simple ? SHIFT : BIAS);
  const int in = tarei_build_in(&b, X);
  const int biased = bias < 0 ? in : tarei_build_binary(&b, "Add", in, bias);
  const int terms[] = {biased, tarei_build_in(&b, SKIP)};
  int sum = sum_out;
  if (sum_out >= 0) {
    tarei_build_into(&b, "Add", terms, 2, sum_out);
  } else {
    sum = tarei_build_node(&b, "Add", terms, 2);
  }
  write_norm(&b, dtype, sum, tarei_build_in(&b, GAIN), shift, simple, -1, rank, epsilon, out);
  fill_unused(&b, 1, 2);
  return tarei_build_done(&b, err);
}

static tare_status expand_skip(tarei_graph *const graph, const int node, tare_error *const err) {
  return expand_skip_form(graph, node, false, err);
}

static tare_status expand_skip_simple(tarei_graph *const graph, const int node,
                                      tare_error *const err) {
  return expand_skip_form(graph, node, true, err);
}

static tare_status expand_simple(tarei_graph *const graph, const int node, tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 2, err));
  const tarei_value *const x = tarei_ops_in(graph, n, 0);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(refuse_statistics(graph, n, 1, 1, err));
  int axis;
  TAREI_TRY(tarei_ops_axis(tarei_attr_int(n, "axis", -1), x->rank, &axis, err));
  const tare_dtype dtype = x->dtype;
  const int rank = x->rank, out = n->out[0], in = n->in[0], gain = n->in[1];
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-5f);
  tarei_build b = tarei_build_at(graph, node);
  write_norm(&b, dtype, in, gain, -1, true, axis, rank, epsilon, out);
  fill_unused(&b, 1, 1);
  return tarei_build_done(&b, err);
}

enum embed_in {
  IDS,
  SEGMENTS,
  WORD_TABLE,
  POSITION_TABLE,
  SEGMENT_TABLE,
  GAIN,
  SHIFT,
  MASK,
  POSITIONS,
};

/* The positions given, or 0, 1, ... length - 1. */
static int embed_positions(tarei_build *const b) {
  const int positions = tarei_build_in(b, POSITIONS);
  if (positions >= 0) {
    return positions;
  }
  const int length = tarei_build_unary(b, "Shape", tarei_build_in(b, IDS));
  tarei_build_int(b, "start", 1);
  const int64_t first = 0;
  const int end = tarei_build_binary(b, "Squeeze", length, tarei_build_i64s(b, &first, 1));
  const int range[] = {tarei_build_number(b, TARE_I64, 0), end, tarei_build_number(b, TARE_I64, 1)};
  return tarei_build_node(b, "Range", range, 3);
}

/* Words, positions and segments looked up, added and normalized; and the length of each sequence.
 */
static tare_status expand_embed(tarei_graph *const graph, const int node, tare_error *const err) {
  enum { Y, LENGTHS, SUM };
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 1, err));
  const tarei_value *const ids = tarei_ops_in(graph, n, IDS);
  const tarei_value *const words = tarei_ops_in(graph, n, WORD_TABLE);
  if (!words || n->n_in <= SHIFT || n->in[POSITION_TABLE] < 0 || n->in[GAIN] < 0) {
    return tarei_fail(err, TARE_E_MODEL, "an input is missing");
  }
  TAREI_TRY(tarei_ops_want_rank(ids, 2, 2, err));
  const tare_dtype dtype = words->dtype;
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-12f);
  const int out = n->out[Y], lengths = n->n_out > LENGTHS ? n->out[LENGTHS] : -1;
  const int sum_out = n->n_out > SUM ? n->out[SUM] : -1;
  tarei_build b = tarei_build_at(graph, node);
  const int word =
      tarei_build_binary(&b, "Gather", tarei_build_in(&b, WORD_TABLE), tarei_build_in(&b, IDS));
  const int position =
      tarei_build_binary(&b, "Gather", tarei_build_in(&b, POSITION_TABLE), embed_positions(&b));
  int sum = tarei_build_binary(&b, "Add", word, position);
  const int segments = tarei_build_in(&b, SEGMENTS), table = tarei_build_in(&b, SEGMENT_TABLE);
  if (segments >= 0 && table >= 0) {
    sum = tarei_build_binary(&b, "Add", sum, tarei_build_binary(&b, "Gather", table, segments));
  }
  if (sum_out >= 0) {
    tarei_build_into(&b, "Identity", &sum, 1, sum_out);
  }
  write_norm(&b, dtype, sum, tarei_build_in(&b, GAIN), tarei_build_in(&b, SHIFT), false, -1, 3,
             epsilon, out);
  if (lengths >= 0) {
    const int mask = tarei_build_in(&b, MASK);
    const int64_t last = 1;
    const int counted = mask >= 0 ? mask
                                  : tarei_build_binary(&b, "Mul", tarei_build_in(&b, IDS),
                                                       tarei_build_number(&b, TARE_I32, 0));
    const int in[] = {counted, tarei_build_i64s(&b, &last, 1)};
    tarei_build_into(&b, "ReduceSum", in, 2, lengths);
    tarei_build_int(&b, "keepdims", 0);
  }
  return tarei_build_done(&b, err);
}

#define MS_NORM(id, onnx_name, in_domain, least, most, outputs, how) \
  const tarei_op tarei_op_##id = {                                   \
      .name = onnx_name,                                             \
      .domain = in_domain,                                           \
      .min_in = least,                                               \
      .max_in = most,                                                \
      .min_out = 1,                                                  \
      .max_out = outputs,                                            \
      .expand = how,                                                 \
  }
MS_NORM(ms_embed_layer_norm, "EmbedLayerNormalization", "com.microsoft", 1, 9, 3, expand_embed);
MS_NORM(ms_simplified_layer_norm, "SimplifiedLayerNormalization", "com.microsoft", 2, 2, 2,
        expand_simple);
MS_NORM(ms_skip_layer_norm, "SkipLayerNormalization", "com.microsoft", 3, 5, 4, expand_skip);
MS_NORM(ms_skip_simplified_layer_norm, "SkipSimplifiedLayerNormalization", "com.microsoft", 3, 4, 4,
        expand_skip_simple);
MS_NORM(simplified_layer_norm, "SimplifiedLayerNormalization", "", 2, 2, 2, expand_simple);
