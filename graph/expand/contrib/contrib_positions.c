/* Biases of scores by relative positions: RelativePositionBias (a table by the logarithm of the
 * distance, as T5 has it) and GatedRelativePositionBias (WavLM) of com.microsoft. */
#include <inttypes.h>
#include <math.h>

#include "graph/expand/attend.h"

typedef struct positions_form {
  tare_dtype dtype;
  int64_t buckets, distance;
  bool both;
} positions_form;

/* min(most, first + the steps of the logarithm of the distance) */
static int positions_far(tarei_build *const b, const positions_form *const f, const int distance,
                         const int64_t buckets) {
  const int64_t exact = buckets / 2;
  const float whole = logf((float)f->distance / (float)exact);
  const int least = tarei_build_number(b, TARE_I64, 1);
  const int real = tarei_build_cast(b, tarei_build_binary(b, "Max", distance, least), TARE_F32);
  const int ratio =
      tarei_build_binary(b, "Div", real, tarei_build_number(b, TARE_F32, (double)exact));
  const int part = tarei_build_binary(b, "Div", tarei_build_unary(b, "Log", ratio),
                                      tarei_build_number(b, TARE_F32, (double)whole));
  const int steps = tarei_build_binary(b, "Mul", part,
                                       tarei_build_number(b, TARE_F32, (double)(buckets - exact)));
  const int at = tarei_build_binary(b, "Add", tarei_build_cast(b, steps, TARE_I64),
                                    tarei_build_number(b, TARE_I64, (double)exact));
  return tarei_build_binary(b, "Min", at, tarei_build_number(b, TARE_I64, (double)(buckets - 1)));
}

static int positions_where(tarei_build *const b, const int condition, const int x, const int y) {
  return tarei_build_node(b, "Where", (const int[]){condition, x, y}, 3);
}

/* The bucket of each key as each query sees it, [S, T]. */
static int positions_bucket(tarei_build *const b, const positions_form *const f,
                            const int relative) {
  const int zero = tarei_build_number(b, TARE_I64, 0);
  const int64_t buckets = f->both ? f->buckets / 2 : f->buckets;
  const int distance =
      tarei_build_binary(b, "Max", tarei_build_unary(b, f->both ? "Abs" : "Neg", relative), zero);
  const int exact = tarei_build_number(b, TARE_I64, (double)(buckets / 2));
  const int near = tarei_build_binary(b, "Less", distance, exact);
  const int bucket = positions_where(b, near, distance, positions_far(b, f, distance, buckets));
  if (!f->both) {
    return bucket;
  }
  const int behind = tarei_build_binary(b, "Greater", relative, zero);
  const int upper =
      positions_where(b, behind, tarei_build_number(b, TARE_I64, (double)buckets), zero);
  return tarei_build_binary(b, "Add", bucket, upper);
}

/* 0 .. length - 1, of a length that is an input of one element. */
static int positions_below(tarei_build *const b, const int input) {
  const int length = tarei_build_cast(b, tarei_build_in(b, input), TARE_I64);
  const int in[] = {tarei_build_number(b, TARE_I64, 0), tarei_attend_reshape(b, length, NULL, 0),
                    tarei_build_number(b, TARE_I64, 1)};
  return tarei_build_node(b, "Range", in, 3);
}

static tare_status expand_relative_position_bias(tarei_graph *const graph, const int node,
                                                 tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  const tarei_value *const table = tarei_ops_in(graph, n, 0);
  TAREI_TRY(tarei_ops_want_float(table, err));
  TAREI_TRY(tarei_ops_want_rank(table, 2, 2, err));
  positions_form f = {.dtype = table->dtype,
                      .distance = tarei_attr_int(n, "max_distance", 0),
                      .both = tarei_attr_int(n, "is_bidirectional", 0) != 0};
  if (!tarei_expr_is_const(graph->exprs, table->dims[0], &f.buckets) || f.buckets < 4 ||
      f.distance <= f.buckets / (f.both ? 4 : 2)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "'%s' must have at least 4 rows, and attribute 'max_distance' (%" PRId64
                      ") must be above the distances that have a row of their own",
                      table->name, f.distance);
  }
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int query = tarei_attend_unsqueeze(&b, positions_below(&b, 1), (const int64_t[]){1}, 1);
  const int relative = tarei_build_binary(&b, "Sub", positions_below(&b, 2), query);
  const int bucket = positions_bucket(&b, &f, relative);
  const int rows = tarei_build_binary(&b, "Gather", tarei_build_in(&b, 0), bucket);
  const int heads = tarei_attend_transpose(&b, rows, (const int64_t[]){2, 0, 1}, 3);
  const int first = tarei_build_i64s(&b, (const int64_t[]){0}, 1);
  tarei_build_into(&b, "Unsqueeze", (const int[]){heads, first}, 2, out);
  return tarei_build_done(&b, err);
}

/* --- GatedRelativePositionBias ---------------------------------------------------------------- */

enum { QUERY, QUERY_BIAS, RELATIVE, WEIGHT, BIAS, FACTOR, TOKENS };

/* Numbers of heads, of elements of all queries of a row, and of logits of a head. */
static tare_status positions_gate_widths(const tarei_graph *const graph,
                                         const tarei_node *const node, int64_t *const heads,
                                         int64_t *const width, int64_t *const gates,
                                         tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, QUERY);
  const tarei_value *const w = tarei_ops_in(graph, node, WEIGHT);
  TAREI_TRY(tarei_ops_want_float(q, err));
  if (tarei_ops_in(graph, node, TOKENS)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "packed tokens (input 6) are not supported: put RestorePadding before the "
                      "node, or export the model without removal of padding");
  }
  TAREI_TRY(tarei_ops_want_rank(q, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(w, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(tarei_ops_in(graph, node, RELATIVE), 4, 4, err));
  *heads = tarei_attr_int(node, "num_heads", 0);
  if (*heads < 1 || !tarei_expr_is_const(graph->exprs, q->dims[2], width) || *width < *heads ||
      *width % *heads) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of '%s' must be a constant multiple of %" PRId64 " heads",
                      q->name, *heads);
  }
  return tarei_expr_is_const(graph->exprs, w->dims[1], gates) && *gates >= 2 && *gates % 2 == 0
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "the width of '%s' must be constant and even",
                          w->name);
}

static tare_status expand_gated_relative(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  int64_t heads = 1, width = 1, gates = 2;
  TAREI_TRY(tarei_ops_need(graph, n, 6, err));
  TAREI_TRY(positions_gate_widths(graph, n, &heads, &width, &gates, err));
  const tare_dtype dtype = tarei_ops_in(graph, n, QUERY)->dtype;
  const int out = n->out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int query =
      tarei_build_binary(&b, "Add", tarei_build_in(&b, QUERY), tarei_build_in(&b, QUERY_BIAS));
  const int split = tarei_attend_split_heads(&b, query, heads, width / heads);
  const int product = tarei_build_binary(&b, "MatMul", split, tarei_build_in(&b, WEIGHT));
  const int logits = tarei_build_binary(&b, "Add", product, tarei_build_in(&b, BIAS));
  const int64_t last = -1, parts[] = {0, 0, 0, 2, gates / 2};
  const int pairs = tarei_attend_reshape(&b, logits, parts, 5);
  const int sums = tarei_build_binary(&b, "ReduceSum", pairs, tarei_build_i64s(&b, &last, 1));
  tarei_build_int(&b, "keepdims", 0);
  const int gate = tarei_build_unary(&b, "Sigmoid", sums);
  const int u = tarei_attend_slice(&b, gate, 3, 0, 1, 1);
  const int r = tarei_attend_slice(&b, gate, 3, 1, 2, 1);
  const int scaled = tarei_build_binary(&b, "Mul", r, tarei_build_in(&b, FACTOR));
  const int less = tarei_build_binary(&b, "Sub", scaled, tarei_build_number(&b, dtype, 1));
  const int gated = tarei_build_binary(&b, "Mul", u, less);
  const int factor = tarei_build_binary(&b, "Add", gated, tarei_build_number(&b, dtype, 2));
  tarei_build_into(&b, "Mul", (const int[]){factor, tarei_build_in(&b, RELATIVE)}, 2, out);
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_relative_position_bias = {
    .name = "RelativePositionBias",
    .domain = "com.microsoft",
    .min_in = 3,
    .max_in = 3,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_relative_position_bias,
};

const tarei_op tarei_op_ms_gated_relative_position_bias = {
    .name = "GatedRelativePositionBias",
    .domain = "com.microsoft",
    .min_in = 6,
    .max_in = 7,
    .min_out = 1,
    .max_out = 1,
    .expand = expand_gated_relative,
};
