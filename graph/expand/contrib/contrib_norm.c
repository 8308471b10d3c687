/* Norms of com.microsoft: GroupNorm and SkipGroupNorm, with channels last or first and a Silu
 * behind them, and GatedRMSNorm. */
#include <inttypes.h>

#include "graph/expand/ms_expansion.h"
#include "graph/ir/build.h"
#include "graph/ir/internal_attrs.h"
#include "graph/ops/ops_common.h"

enum { X, GAIN, SHIFT, SKIP, BIAS };

typedef struct contrib_norm_form {
  int rank, skip_rank;
  int64_t groups;
  float epsilon;
  bool last, silu;
} contrib_norm_form;

static tare_status contrib_norm_read(const tarei_graph *const graph, const tarei_node *const node,
                                     contrib_norm_form *const f, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  const tarei_value *const skip = tarei_ops_in(graph, node, SKIP);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, TARE_MAX_RANK, err));
  const int64_t activation = tarei_attr_int(node, TAREI_ATTR_ACTIVATION, 0);
  *f = (contrib_norm_form){.rank = x->rank,
                           .skip_rank = skip ? skip->rank : 0,
                           .groups = tarei_attr_int(node, "groups", 0),
                           .epsilon = tarei_attr_float(node, "epsilon", 1e-5f),
                           .last = tarei_attr_int(node, "channels_last", 1) != 0,
                           .silu = activation == 1};
  if (activation != 0 && activation != 1) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'activation': expected 0 (none) or 1 (Silu), got %" PRId64,
                      activation);
  }
  if (f->groups < 1) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'groups': expected 1 or more, got %" PRId64,
                      f->groups);
  }
  return skip && skip->rank != 2 && skip->rank != x->rank
             ? tarei_fail(err, TARE_E_MODEL, "'%s' has rank %d, expected 2 or %d", skip->name,
                          skip->rank, x->rank)
             : TARE_OK;
}

/* x with its channels moved to axis 1, or back. */
static int contrib_norm_turn(tarei_build *const b, const contrib_norm_form *const f, const int x,
                             const bool back) {
  int64_t perm[TARE_MAX_RANK] = {0};
  if (!f->last) {
    return x;
  }
  for (int d = 1; d < f->rank; d++) {
    perm[d] = back ? (d + 1 < f->rank ? d + 1 : 1) : (d > 1 ? d - 1 : f->rank - 1);
  }
  const int y = tarei_build_unary(b, "Transpose", x);
  tarei_build_ints(b, "perm", perm, f->rank);
  return y;
}

/* A tensor [n, c] or [c] that has one element for all of space. */
static int contrib_norm_spread(tarei_build *const b, const contrib_norm_form *const f, const int x,
                               const int rank) {
  int64_t axes[TARE_MAX_RANK];
  const int n = f->rank - 2;
  for (int i = 0; i < n; i++) {
    axes[i] = i + 1 + (f->last ? 0 : rank - 1);
  }
  return f->last && rank == 1 ? x
                              : tarei_build_binary(b, "Unsqueeze", x, tarei_build_i64s(b, axes, n));
}

/* x + skip + bias, as output 1 where that is asked for. */
static int contrib_norm_skip(tarei_build *const b, const contrib_norm_form *const f, const int x,
                             const int sum) {
  const int given = tarei_build_in(b, SKIP), bias = tarei_build_in(b, BIAS);
  const int skip = f->skip_rank == 2 ? contrib_norm_spread(b, f, given, 2) : given;
  const int biased =
      bias < 0 ? x : tarei_build_binary(b, "Add", x, contrib_norm_spread(b, f, bias, 1));
  if (sum < 0) {
    return tarei_build_binary(b, "Add", biased, skip);
  }
  tarei_build_into(b, "Add", (const int[]){biased, skip}, 2, sum);
  return sum;
}

static void contrib_norm_write(tarei_build *const b, const contrib_norm_form *const f, const int x,
                               const int out) {
  const int in[] = {contrib_norm_turn(b, f, x, false), tarei_build_in(b, GAIN),
                    tarei_build_in(b, SHIFT)};
  int y = tarei_build_node(b, "GroupNormalization", in, 3);
  tarei_build_int(b, "num_groups", f->groups);
  tarei_build_float(b, "epsilon", f->epsilon);
  y = f->silu ? tarei_build_unary(b, "Swish", y) : y;
  y = contrib_norm_turn(b, f, y, true);
  tarei_build_into(b, "Identity", &y, 1, out);
}

static tare_status expand_group_norm(tarei_graph *const graph, const int node,
                                     tare_error *const err) {
  contrib_norm_form f;
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 3, err));
  TAREI_TRY(contrib_norm_read(graph, &graph->nodes[node], &f, err));
  tarei_build b = tarei_build_at(graph, node);
  contrib_norm_write(&b, &f, tarei_build_in(&b, X), graph->nodes[node].out[0]);
  return tarei_build_done(&b, err);
}

static tare_status expand_skip_group_norm(tarei_graph *const graph, const int node,
                                          tare_error *const err) {
  contrib_norm_form f;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 4, err));
  TAREI_TRY(contrib_norm_read(graph, n, &f, err));
  const int out = n->out[0], sum = n->n_out > 1 ? n->out[1] : -1;
  tarei_build b = tarei_build_at(graph, node);
  contrib_norm_write(&b, &f, contrib_norm_skip(&b, &f, tarei_build_in(&b, X), sum), out);
  return tarei_build_done(&b, err);
}

/* X, by its own size in each run of as many elements as `scale` has, times Silu(gate). */
static tare_status expand_gated_rms_norm(tarei_graph *const graph, const int node,
                                         tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  const tarei_value *const x = tarei_ops_in(graph, n, 0), *const gain = tarei_ops_in(graph, n, 1);
  TAREI_TRY(tarei_ops_want_float(x, err));
  TAREI_TRY(tarei_ops_want_rank(x, 1, TARE_MAX_RANK - 1, err));
  TAREI_TRY(tarei_ops_want_rank(gain, 1, 1, err));
  int64_t width, all, dims[TARE_MAX_RANK] = {0};
  const int rank = x->rank, out = n->out[0];
  if (!tarei_expr_is_const(graph->exprs, gain->dims[0], &width) ||
      !tarei_expr_is_const(graph->exprs, x->dims[rank - 1], &all) || width < 1 || all % width) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the last axis of '%s' must be a constant multiple of the length of '%s'",
                      x->name, gain->name);
  }
  const float epsilon = tarei_attr_float(n, "epsilon", 1e-5f);
  dims[rank - 1] = all / width;
  dims[rank] = width;
  tarei_build b = tarei_build_at(graph, node);
  const int runs = tarei_build_binary(&b, "Reshape", tarei_build_in(&b, 0),
                                      tarei_build_i64s(&b, dims, rank + 1));
  const int unit = tarei_build_binary(&b, "RMSNormalization", runs, tarei_build_in(&b, 1));
  tarei_build_int(&b, "axis", -1);
  tarei_build_float(&b, "epsilon", epsilon);
  dims[rank - 1] = all;
  const int joined = tarei_build_binary(&b, "Reshape", unit, tarei_build_i64s(&b, dims, rank));
  const int gate = tarei_build_unary(&b, "Swish", tarei_build_in(&b, 2));
  tarei_build_into(&b, "Mul", (const int[]){joined, gate}, 2, out);
  return tarei_build_done(&b, err);
}

TAREI_MS_EXPANSION(ms_gated_rms_norm, "GatedRMSNorm", 3, 3, 1, expand_gated_rms_norm);
TAREI_MS_EXPANSION(ms_group_norm, "GroupNorm", 3, 3, 1, expand_group_norm);
TAREI_MS_EXPANSION(ms_skip_group_norm, "SkipGroupNorm", 4, 5, 2, expand_skip_group_norm);
