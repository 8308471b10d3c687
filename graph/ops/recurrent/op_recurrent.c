/* LSTM, GRU and RNN, and their int8 forms: X [T, B, I] (or [B, T, I]), W [D, G*H, I], R [D, G*H,
 * H], [bias], [lengths], [first state], and for the LSTM [first cell], [peepholes]. */
#include "graph/ops/ops_common.h"
#include "graph/ops/recurrent/recurrent.h"

typedef struct recurrent_layer {
  tarei_graph *graph;
  const tarei_node *node;
  tarei_recurrent_form form;
  tarei_expr dirs, steps, batch, hidden;
} recurrent_layer;

/* An absent input passes. */
static tare_status want_shape(const recurrent_layer *const l, const int i,
                              const tarei_shape *const shape, tare_error *const err) {
  const tarei_value *const v = tarei_ops_in(l->graph, l->node, i);
  char expected[128];
  if (!v) {
    return TARE_OK;
  }
  bool fits = v->rank == shape->rank;
  for (int d = 0; fits && d < shape->rank; d++) {
    tarei_expr ignored;
    fits = tarei_ops_unify(l->graph, v->dims[d], shape->dims[d], &ignored);
  }
  if (fits) {
    return TARE_OK;
  }
  const tarei_shape seen = tarei_ops_shape(v);
  char text[128];
  return tarei_fail(err, TARE_E_MODEL, "input '%s' has shape %s, expected %s", v->name,
                    tarei_ops_show(l->graph, &seen, text, sizeof text),
                    tarei_ops_show(l->graph, shape, expected, sizeof expected));
}

/* So many times the number of hidden units. */
static tarei_expr units(const recurrent_layer *const l, const int times) {
  return tarei_expr_mul(l->graph->exprs, tarei_expr_const(l->graph->exprs, times), l->hidden);
}

static tarei_shape state_shape(const recurrent_layer *const l) {
  return l->form.batch_first ? (tarei_shape){3, {l->batch, l->dirs, l->hidden}}
                             : (tarei_shape){3, {l->dirs, l->batch, l->hidden}};
}

static tare_status want_weights(const recurrent_layer *const l, const tarei_expr input,
                                tare_error *const err) {
  const int gates = l->form.gates;
  const tarei_shape w = {3, {l->dirs, units(l, gates), input}};
  const tarei_shape r = {3, {l->dirs, units(l, gates), l->hidden}};
  const tarei_shape bias = {2, {l->dirs, units(l, 2 * gates)}};
  TAREI_TRY(want_shape(l, 1, &w, err));
  TAREI_TRY(want_shape(l, 2, &r, err));
  return want_shape(l, 3, &bias, err);
}

static tare_status want_states(const recurrent_layer *const l, tare_error *const err) {
  const tarei_shape lengths = {1, {l->batch}}, state = state_shape(l);
  const tarei_shape peepholes = {2, {l->dirs, units(l, 3)}};
  TAREI_TRY(want_shape(l, 4, &lengths, err));
  TAREI_TRY(want_shape(l, 5, &state, err));
  TAREI_TRY(want_shape(l, 6, &state, err));
  return want_shape(l, 7, &peepholes, err);
}

static tare_status op_recurrent_want_types(const recurrent_layer *const l, const bool quantized,
                                           tare_error *const err) {
  const tarei_value *const w = tarei_ops_in(l->graph, l->node, 1);
  TAREI_TRY(tarei_ops_want_float(w, err));
  for (int i = 0; i < l->node->n_in; i++) {
    const tarei_value *const v = tarei_ops_in(l->graph, l->node, i);
    if (v && i == 4) {
      TAREI_TRY(tarei_ops_want_dtype(v, TARE_I32, err));
    } else if (v && !(quantized && i == 0)) {
      TAREI_TRY(tarei_ops_want_same_dtype(v, w, err));
    }
  }
  return quantized ? tarei_ops_want_quantized(l->graph, l->node, err) : TARE_OK;
}

static tare_status recurrent_give(const recurrent_layer *const l, tare_error *const err) {
  const tare_dtype dtype = tarei_ops_in(l->graph, l->node, 1)->dtype;
  const tarei_shape state = state_shape(l);
  const tarei_shape all = l->form.batch_first
                              ? (tarei_shape){4, {l->batch, l->steps, l->dirs, l->hidden}}
                              : (tarei_shape){4, {l->steps, l->dirs, l->batch, l->hidden}};
  TAREI_TRY(tarei_ops_give(l->graph, l->node, 0, dtype, &all, err));
  TAREI_TRY(tarei_ops_give(l->graph, l->node, 1, dtype, &state, err));
  return tarei_ops_give(l->graph, l->node, 2, dtype, &state, err);
}

static tare_status recurrent_infer(tarei_graph *const graph, tarei_node *const node,
                                   const bool quantized, tare_error *const err) {
  TAREI_TRY(tarei_ops_need(graph, node, 3, err));
  const tarei_value *const x = tarei_ops_in(graph, node, 0), *const r =
                                                                 tarei_ops_in(graph, node, 2);
  recurrent_layer l = {.graph = graph, .node = node};
  TAREI_TRY(tarei_recurrent_read(node, &l.form, err));
  TAREI_TRY(tarei_ops_want_rank(x, 3, 3, err));
  TAREI_TRY(tarei_ops_want_rank(r, 3, 3, err));
  l.dirs = tarei_expr_const(graph->exprs, l.form.dirs);
  l.steps = x->dims[l.form.batch_first];
  l.batch = x->dims[!l.form.batch_first];
  l.hidden = l.form.hidden ? tarei_expr_const(graph->exprs, l.form.hidden) : r->dims[2];
  TAREI_TRY(op_recurrent_want_types(&l, quantized, err));
  TAREI_TRY(want_weights(&l, x->dims[2], err));
  TAREI_TRY(want_states(&l, err));
  return recurrent_give(&l, err);
}

static tare_status recurrent_infer_float(tarei_graph *const graph, tarei_node *const node,
                                         tare_error *const err) {
  return recurrent_infer(graph, node, false, err);
}

static tare_status infer_int8(tarei_graph *const graph, tarei_node *const node,
                              tare_error *const err) {
  return recurrent_infer(graph, node, true, err);
}

#define OPERATOR(id, onnx_name, in_domain, inputs, outputs, infer_as, int8_form) \
  const tarei_op tarei_op_##id = {                                               \
      .name = onnx_name,                                                         \
      .domain = in_domain,                                                       \
      .min_in = 3,                                                               \
      .max_in = inputs,                                                          \
      .min_out = 0,                                                              \
      .max_out = outputs,                                                        \
      .growth = TAREI_GROWTH_BOUNDED,                                            \
      .int8 = int8_form,                                                         \
      .infer = infer_as,                                                         \
  }

/* A layer and its int8 form. */
#define RECURRENT(id, onnx_name, inputs, outputs)                     \
  OPERATOR(id, onnx_name, "", inputs, outputs, recurrent_infer_float, \
           &((const tarei_int8_form){.op = &tarei_op_q##id,           \
                                     .activations = 1,                \
                                     .weights = 2,                    \
                                     .sum_first = -1,                 \
                                     .sum_last = -1}));               \
  OPERATOR(q##id, "Q" onnx_name, "tare", inputs, outputs, infer_int8, NULL)

RECURRENT(gru, "GRU", 6, 2);
RECURRENT(lstm, "LSTM", 8, 3);
RECURRENT(rnn, "RNN", 6, 2);
