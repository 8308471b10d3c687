/* Dropout. Without a flag, and with one that is known to be off, the data pass; else a uniform
 * number for each element decides whether it stays. */
#include "graph/ir/build.h"
#include "graph/noise_name.h"
#include "graph/ops/ops_common.h"

static tare_status infer_dropout(tarei_graph *const graph, tarei_node *const node,
                                 tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0);
  const tarei_shape shape = tarei_ops_shape(x);
  TAREI_TRY(tarei_ops_give(graph, node, 0, x->dtype, &shape, err));
  return tarei_ops_give(graph, node, 1, node->opset < 10 ? x->dtype : TARE_BOOL, &shape, err);
}

static bool has_flag(const tarei_graph *const graph, const tarei_node *const node) {
  return tarei_ops_in(graph, node, 2) != NULL;
}

/* Whether training is known to be off (0) or on (1), else -1. */
static int training_of(const tarei_graph *const graph, const tarei_node *const node) {
  tarei_expr training[TAREI_MAX_CONTENTS];
  int64_t on = 0;
  return tarei_ops_contents(graph, node->in[2], training) == 1 &&
                 tarei_expr_is_const(graph->exprs, training[0], &on)
             ? on != 0
             : -1;
}

/* A ratio of 0 drops nothing. */
static tare_status known_ratio(const tarei_graph *const graph, const tarei_node *const node,
                               float *const ratio, tare_error *const err) {
  *ratio = 0.5F;
  if (tarei_ops_in(graph, node, 1) && !tarei_value_const_float(graph, node->in[1], ratio)) {
    return TARE_OK;
  }
  return *ratio >= 0 && *ratio < 1
             ? TARE_OK
             : tarei_fail(err, TARE_E_MODEL, "ratio %g: expected 0 or more, and below 1",
                          (double)*ratio);
}

/* An operand of one element, of any rank, as a scalar; -1: absent. */
static int dropout_scalar(tarei_build *const b, const int i) {
  const int in = tarei_build_in(b, i);
  return in < 0 || b->graph->values[in].rank == 0 ? in : tarei_build_reshape(b, in, NULL, 0, -2);
}

static int build_keep(tarei_build *const b, const int64_t name, const int ratio,
                      const int not_training, const int mask) {
  const int drawn = tarei_build_unary(b, "RandomUniformLike", tarei_build_in(b, 0));
  tarei_build_int(b, "dtype", TARE_F32);
  tarei_build_int(b, TAREI_ATTR_NOISE, name);
  const int stays[] = {drawn, ratio < 0 ? tarei_build_number(b, TARE_F32, 0.5)
                                        : tarei_build_cast(b, ratio, TARE_F32)};
  int out[] = {mask >= 0 && not_training < 0 ? mask : -2};
  tarei_build_outputs(b, "GreaterOrEqual", stays, 2, out, 1);
  if (not_training >= 0) {
    const int any[] = {out[0], not_training};
    out[0] = mask >= 0 ? mask : -2;
    tarei_build_outputs(b, "Or", any, 2, out, 1);
  }
  return out[0];
}

/* What is left is larger by as much as is dropped. */
static int build_scale(tarei_build *const b, const tare_dtype dtype, const int ratio,
                       const int not_training) {
  const int one = tarei_build_number(b, dtype, 1);
  const int given =
      ratio < 0 ? tarei_build_number(b, dtype, 0.5) : tarei_build_cast(b, ratio, dtype);
  const int scale = tarei_build_binary(b, "Div", one, tarei_build_binary(b, "Sub", one, given));
  const int either[] = {not_training, one, scale};
  return not_training < 0 ? scale : tarei_build_node(b, "Where", either, 3);
}

static void build_training(tarei_build *const b, const int training, const int *const out) {
  const tarei_graph *const graph = b->graph;
  const tarei_node *const node = &graph->nodes[b->node];
  const int64_t name = tarei_noise_name_of(graph, node);
  const tare_dtype dtype = graph->values[node->in[0]].dtype;
  const int ratio = dropout_scalar(b, 1);
  const int not_training = training == 1 ? -1 : tarei_build_unary(b, "Not", dropout_scalar(b, 2));
  const int keep = build_keep(b, name, ratio, not_training, out[1]);
  const int scaled = tarei_build_binary(b, "Mul", tarei_build_in(b, 0),
                                        build_scale(b, dtype, ratio, not_training));
  const int chosen[] = {keep, scaled, tarei_build_number(b, dtype, 0)};
  tarei_build_into(b, "Where", chosen, 3, out[0]);
}

static tare_status expand_dropout(tarei_graph *const graph, const int index,
                                  tare_error *const err) {
  const tarei_node *const node = &graph->nodes[index];
  float ratio;
  TAREI_TRY(tarei_ops_need(graph, node, 1, err));
  TAREI_TRY(tarei_ops_want_float(tarei_ops_in(graph, node, 0), err));
  TAREI_TRY(known_ratio(graph, node, &ratio, err));
  int out[] = {node->out[0], node->n_out > 1 ? node->out[1] : -1};
  const int training = training_of(graph, node);
  tarei_build b = tarei_build_at(graph, index);
  if (training == 0 || ratio == 0) {
    tarei_build_outputs(&b, "Dropout", (const int[]){tarei_build_in(&b, 0)}, 1, out,
                        out[1] < 0 ? 1 : 2);
  } else {
    build_training(&b, training, out);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_dropout = {
    .name = "Dropout",
    .domain = "",
    .min_in = 1,
    .max_in = 3,
    .min_out = 1,
    .max_out = 2,
    .movement = true,
    .infer = infer_dropout,
    .expand = expand_dropout,
    .expands = has_flag,
};
