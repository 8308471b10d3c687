/* MoE and QMoE of com.microsoft: each token goes to the experts that its router prefers, and takes
 * the sum of their outputs. Each expert computes the tokens that chose it, and no others. */
#include "graph/expand/contrib/contrib_moe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "graph/expand/ms_expansion.h"

enum { X, ROUTER };
enum { MOST_EXPERTS = 1024 };

static int64_t moe_const_dim(const tarei_graph *const graph, const tarei_value *const v,
                             const int axis) {
  int64_t n;
  return tarei_expr_is_const(graph->exprs, v->dims[axis], &n) ? n : -1;
}

static tare_status moe_read_activation(const tarei_node *const node, tarei_moe_form *const f,
                                       tare_error *const err) {
  static const char *const known[] = {"relu", "gelu", "silu", "identity", "swiglu"};
  const char *const name = tarei_attr_string(node, "activation_type", "relu");
  f->fusion = tarei_attr_int(node, "swiglu_fusion", 0);
  f->alpha = tarei_attr_float(node, "activation_alpha", 1);
  f->beta = tarei_attr_float(node, "activation_beta", 0);
  f->limit = tarei_attr_float(node, "swiglu_limit", INFINITY);
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strcmp(known[i], name) == 0) {
      f->activation = known[i];
    }
  }
  if (!f->activation) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'activation_type': expected relu, gelu, silu, identity or swiglu, "
                      "got '%.32s'",
                      name);
  }
  return f->fusion >= 0 && f->fusion <= 2
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL,
                          "attribute 'swiglu_fusion': expected 0, 1 or 2, got %" PRId64, f->fusion);
}

/* Whether the first product makes gate and value at once. */
static bool moe_is_fused(const tarei_moe_form *const f) {
  return strcmp(f->activation, "swiglu") == 0 && f->fusion;
}

static tare_status moe_read_sizes(const tarei_graph *const graph, const tarei_node *const node,
                                  tarei_moe_form *const f, tare_error *const err) {
  const tarei_value *const x = tarei_ops_in(graph, node, X);
  const tarei_value *const router = tarei_ops_in(graph, node, ROUTER);
  const tarei_value *const w = tarei_ops_in(graph, node, f->second.weights);
  const int64_t pack = f->bits ? 8 / f->bits : 1;
  if (!w) {
    return tarei_fail(err, TARE_E_MODEL, "input %d (weights) is missing", f->second.weights);
  }
  TAREI_TRY(tarei_ops_want_rank(x, 2, 3, err));
  TAREI_TRY(tarei_ops_want_rank(router, 2, 2, err));
  TAREI_TRY(tarei_ops_want_rank(w, 3, 3, err));
  const int64_t rows = moe_const_dim(graph, w, 1), columns = moe_const_dim(graph, w, 2);
  f->rank = x->rank;
  f->hidden = moe_const_dim(graph, x, x->rank - 1);
  f->hidden = f->hidden < 0 ? rows : f->hidden;
  f->experts = moe_const_dim(graph, w, 0);
  f->chosen = tarei_attr_int(node, "k", 1);
  if (f->experts < 1 || f->experts > MOST_EXPERTS ||
      tarei_ops_differ(graph, router->dims[1], w->dims[0])) {
    return tarei_fail(err, TARE_E_MODEL,
                      "'%s' must have the weights of 1 to %d experts, as many as '%s' has columns",
                      w->name, MOST_EXPERTS, router->name);
  }
  if (f->chosen < 1 || f->chosen > f->experts) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'k': expected 1 to %" PRId64 " (the experts), got %" PRId64,
                      f->experts, f->chosen);
  }
  int64_t all;
  if (f->hidden < 1 || rows < 1 || columns < 1 || !tarei_mul_i64(rows, columns, &all) ||
      !tarei_mul_i64(all, pack, &all) || all % f->hidden || all / f->hidden > INT32_MAX) {
    return tarei_fail(err, TARE_E_MODEL,
                      "the dims of '%s' must be constant, and its rows as many as '%s' is wide",
                      w->name, x->name);
  }
  f->inner = all / f->hidden;
  return TARE_OK;
}

static tare_status moe_read(const tarei_graph *const graph, const tarei_node *const node,
                            tarei_moe_form *const f, tare_error *const err) {
  TAREI_TRY(moe_read_activation(node, f, err));
  const bool mixes = f->mixing >= 0 && tarei_ops_in(graph, node, f->mixing);
  f->normalizes = (f->bits && !mixes) || tarei_attr_int(node, "normalize_routing_weights", 0) != 0;
  f->dtype = tarei_ops_in(graph, node, X)->dtype;
  TAREI_TRY(tarei_ops_want_float(tarei_ops_in(graph, node, X), err));
  TAREI_TRY(tarei_ops_want_float(tarei_ops_in(graph, node, ROUTER), err));
  if (tarei_attr_int(node, "use_sparse_mixer", 0) && tarei_attr_int(node, "k", 1) != 2) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'use_sparse_mixer' needs 'k' to be 2");
  }
  TAREI_TRY(moe_read_sizes(graph, node, f, err));
  const bool has_third = tarei_ops_in(graph, node, f->third.weights) != NULL;
  if (has_third == moe_is_fused(f) && (has_third || strcmp(f->activation, "swiglu") == 0)) {
    return tarei_fail(err, TARE_E_MODEL,
                      "swiglu needs a third product (input %d) where 'swiglu_fusion' is 0, and "
                      "none otherwise",
                      f->third.weights);
  }
  f->first.rows = f->inner * (moe_is_fused(f) ? 2 : 1);
  f->first.columns = f->third.columns = f->hidden;
  f->third.rows = f->inner;
  f->second.rows = f->hidden;
  f->second.columns = f->inner;
  if (!has_third) {
    f->third.weights = -1;
  }
  TAREI_TRY(tarei_moe_check_product(graph, node, f, &f->first, err));
  TAREI_TRY(tarei_moe_check_product(graph, node, f, &f->second, err));
  return has_third ? tarei_moe_check_product(graph, node, f, &f->third, err) : TARE_OK;
}

/* The share of each expert in the output of each token, [tokens, experts]; 0: none. Of experts that
 * are equally good, the last ones are chosen. */
static int moe_route(tarei_build *const b, const tarei_moe_form *const f) {
  const int64_t axis = 1, from = -1, to = INT64_MIN, step = -1;
  const int odds = tarei_build_unary(b, "Softmax", tarei_build_in(b, ROUTER));
  tarei_build_int(b, "axis", 1);
  const int slice[] = {odds, tarei_build_i64s(b, &from, 1), tarei_build_i64s(b, &to, 1),
                       tarei_build_i64s(b, &axis, 1), tarei_build_i64s(b, &step, 1)};
  const int turned = tarei_build_node(b, "Slice", slice, 5);
  int best[] = {-2, -2};
  tarei_build_outputs(b, "TopK", (const int[]){turned, tarei_build_i64s(b, &f->chosen, 1)}, 2, best,
                      2);
  tarei_build_int(b, "axis", 1);
  const int last = tarei_build_number(b, TARE_I64, (double)(f->experts - 1));
  const int at = tarei_build_binary(b, "Sub", last, best[1]);
  int share = best[0];
  if (f->mixing >= 0 && tarei_build_in(b, f->mixing) >= 0) {
    share = tarei_build_binary(b, "GatherElements", tarei_build_in(b, f->mixing), at);
    tarei_build_int(b, "axis", 1);
  }
  if (f->normalizes) {
    const int sum = tarei_build_binary(b, "ReduceSum", share, tarei_build_i64s(b, &axis, 1));
    share = tarei_build_binary(b, "Div", share, sum);
  }
  const int none = tarei_build_binary(b, "Expand", tarei_build_number(b, f->dtype, 0),
                                      tarei_build_unary(b, "Shape", odds));
  const int shares = tarei_build_node(b, "ScatterElements", (const int[]){none, at, share}, 3);
  tarei_build_int(b, "axis", 1);
  return shares;
}

static int moe_clip(tarei_build *const b, const tarei_moe_form *const f, const int x,
                    const bool below) {
  if (!isfinite(f->limit)) {
    return x;
  }
  const double limit = (double)f->limit;
  const int in[] = {x, below ? tarei_build_number(b, f->dtype, -limit) : -1,
                    tarei_build_number(b, f->dtype, limit)};
  return tarei_build_node(b, "Clip", in, 3);
}

/* gate * sigmoid(alpha * gate) * (value + beta) */
static int moe_swiglu(tarei_build *const b, const tarei_moe_form *const f, int gate, int value) {
  gate = moe_clip(b, f, gate, false);
  value = moe_clip(b, f, value, true);
  const int swish = tarei_build_unary(b, "Swish", gate);
  tarei_build_float(b, "alpha", f->alpha);
  if (f->beta != 0) {
    value = tarei_build_binary(b, "Add", value, tarei_build_number(b, f->dtype, (double)f->beta));
  }
  return tarei_build_binary(b, "Mul", swish, value);
}

static int moe_activate(tarei_build *const b, const tarei_moe_form *const f, const int x) {
  if (strcmp(f->activation, "identity") == 0) {
    return x;
  }
  if (strcmp(f->activation, "gelu") == 0) {
    const int y = tarei_build_unary(b, "Gelu", x);
    tarei_build_string(b, "approximate", "tanh");
    return y;
  }
  return tarei_build_unary(b, strcmp(f->activation, "silu") == 0 ? "Swish" : "Relu", x);
}

/* What one expert makes of tokens x. */
static int moe_expert(tarei_build *const b, const tarei_moe_form *const f, const int64_t expert,
                      const int x) {
  int inner;
  if (moe_is_fused(f)) {
    const bool apart = f->fusion == 2;
    const tarei_moe_rows gates = {0, apart ? 1 : 2, apart ? f->inner : INT64_MAX};
    const tarei_moe_rows values = {apart ? f->inner : 1, apart ? 1 : 2, INT64_MAX};
    const int gate = tarei_moe_multiply(b, f, &f->first, expert, &gates, x);
    inner = moe_swiglu(b, f, gate, tarei_moe_multiply(b, f, &f->first, expert, &values, x));
  } else {
    inner = tarei_moe_multiply(b, f, &f->first, expert, NULL, x);
    const int factor =
        f->third.weights < 0 ? -1 : tarei_moe_multiply(b, f, &f->third, expert, NULL, x);
    if (strcmp(f->activation, "swiglu") == 0) {
      inner = moe_swiglu(b, f, inner, factor);
    } else {
      inner = moe_activate(b, f, inner);
      inner = factor < 0 ? inner : tarei_build_binary(b, "Mul", inner, factor);
    }
  }
  return tarei_moe_multiply(b, f, &f->second, expert, NULL, inner);
}

/* The sum with what an expert adds to the tokens that chose it. */
static int moe_add_expert(tarei_build *const b, const tarei_moe_form *const f, const int64_t expert,
                          const int x, const int shares, const int sum) {
  const int64_t all = -1, last = 1;
  const int share =
      tarei_build_binary(b, "Gather", shares, tarei_build_number(b, TARE_I64, (double)expert));
  tarei_build_int(b, "axis", 1);
  const int some = tarei_build_binary(b, "Greater", share, tarei_build_number(b, f->dtype, 0));
  const int at = tarei_build_binary(b, "Reshape", tarei_build_unary(b, "NonZero", some),
                                    tarei_build_i64s(b, &all, 1));
  const int y = moe_expert(b, f, expert, tarei_build_binary(b, "Gather", x, at));
  const int weight = tarei_build_binary(b, "Unsqueeze", tarei_build_binary(b, "Gather", share, at),
                                        tarei_build_i64s(b, &last, 1));
  const int in[] = {sum, tarei_build_binary(b, "Unsqueeze", at, tarei_build_i64s(b, &last, 1)),
                    tarei_build_binary(b, "Mul", y, weight)};
  const int next = tarei_build_node(b, "ScatterND", in, 3);
  tarei_build_string(b, "reduction", "add");
  return next;
}

static tare_status moe_write(tarei_graph *const graph, const int node,
                             const tarei_moe_form *const f, tare_error *const err) {
  const int out = graph->nodes[node].out[0];
  tarei_build b = tarei_build_at(graph, node);
  const int64_t rows[] = {-1, f->hidden};
  const int given = tarei_build_in(&b, X);
  const int x = f->rank == 2
                    ? given
                    : tarei_build_binary(&b, "Reshape", given, tarei_build_i64s(&b, rows, 2));
  const int shares = moe_route(&b, f);
  int sum = tarei_build_binary(&b, "Expand", tarei_build_number(&b, f->dtype, 0),
                               tarei_build_unary(&b, "Shape", x));
  for (int64_t e = 0; e < f->experts; e++) {
    sum = moe_add_expert(&b, f, e, x, shares, sum);
  }
  tarei_build_into(&b, "Reshape", (const int[]){sum, tarei_build_unary(&b, "Shape", given)}, 2,
                   out);
  return tarei_build_done(&b, err);
}

static tare_status expand_moe(tarei_graph *const graph, const int node, tare_error *const err) {
  tarei_moe_form f = {.first = {.weights = 2, .bias = 3, .scales = -1, .zeros = -1},
                      .second = {.weights = 4, .bias = 5, .scales = -1, .zeros = -1},
                      .third = {.weights = 6, .bias = 7, .scales = -1, .zeros = -1},
                      .mixing = -1};
  TAREI_TRY(tarei_ops_need(graph, &graph->nodes[node], 3, err));
  TAREI_TRY(moe_read(graph, &graph->nodes[node], &f, err));
  return moe_write(graph, node, &f, err);
}

static tare_status expand_qmoe(tarei_graph *const graph, const int node, tare_error *const err) {
  const tarei_node *const n = &graph->nodes[node];
  const char *const type = tarei_attr_string(n, "quant_type", "int");
  tarei_moe_form f = {.first = {.weights = 2, .bias = 4, .scales = 3, .zeros = 11},
                      .second = {.weights = 5, .bias = 7, .scales = 6, .zeros = 12},
                      .third = {.weights = 8, .bias = 10, .scales = 9, .zeros = 13},
                      .mixing = 14,
                      .bits = tarei_attr_int(n, "expert_weight_bits", 4),
                      .block = tarei_attr_int(n, "block_size", 0)};
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  if (strcmp(type, "int") != 0 || tarei_attr_int(n, "weights_prepacked", -1) > 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "weights of type '%.16s' or packed for a GPU are not supported: export the "
                      "model with integer weights for the CPU ('quant_type' int, "
                      "'weights_prepacked' 0), or in float",
                      type);
  }
  if (f.bits != 2 && f.bits != 4 && f.bits != 8) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'expert_weight_bits': expected 2, 4 or 8, got %" PRId64, f.bits);
  }
  if (f.block < 0) {
    return tarei_fail(err, TARE_E_MODEL, "attribute 'block_size': expected 0 or more, got %" PRId64,
                      f.block);
  }
  TAREI_TRY(moe_read(graph, n, &f, err));
  return moe_write(graph, node, &f, err);
}

TAREI_MS_EXPANSION(ms_moe, "MoE", 3, 8, 1, expand_moe);
TAREI_MS_EXPANSION(ms_qmoe, "QMoE", 3, 21, 1, expand_qmoe);
