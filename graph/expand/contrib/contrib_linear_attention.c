/* LinearAttention, of com.microsoft and of ONNX: a recurrence over the steps, with the state of the
 * run before; and LinearAttentionGate, which makes its gates. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "graph/ir/build.h"
#include "graph/ops/ops_common.h"

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA };

typedef struct linear_attention_form {
  int64_t q_heads, heads;
  float scale;
  bool decays, delta;
} linear_attention_form;

static tare_status linear_attention_rule(const tarei_graph *const graph,
                                         const tarei_node *const node,
                                         linear_attention_form *const f, tare_error *const err) {
  static const struct {
    const char *name;
    bool decays, delta;
  } rules[] = {{"linear", false, false},
               {"gated", true, false},
               {"delta", false, true},
               {"gated_delta", true, true}};
  const char *const name = tarei_attr_string(node, "update_rule", "gated_delta");
  size_t i = 0;
  while (i < sizeof rules / sizeof *rules && strcmp(rules[i].name, name) != 0) {
    i++;
  }
  if (i == sizeof rules / sizeof *rules) {
    return tarei_fail(err, TARE_E_MODEL,
                      "attribute 'update_rule': expected linear, gated, delta or gated_delta, got "
                      "'%.32s'",
                      name);
  }
  f->decays = rules[i].decays;
  f->delta = rules[i].delta;
  if ((f->decays && !tarei_ops_in(graph, node, DECAY)) ||
      (f->delta && !tarei_ops_in(graph, node, BETA))) {
    return tarei_fail(err, TARE_E_MODEL, "update rule '%s' needs input %d (%s)", name,
                      f->decays && !tarei_ops_in(graph, node, DECAY) ? DECAY : BETA,
                      f->decays && !tarei_ops_in(graph, node, DECAY) ? "the decay" : "the rate");
  }
  return TARE_OK;
}

static tare_status linear_attention_read(const tarei_graph *const graph,
                                         const tarei_node *const node,
                                         linear_attention_form *const f, tare_error *const err) {
  const tarei_value *const q = tarei_ops_in(graph, node, QUERY);
  int64_t width;
  *f = (linear_attention_form){.q_heads = tarei_attr_int(node, "q_num_heads", 0),
                               .heads = tarei_attr_int(node, "kv_num_heads", 0),
                               .scale = tarei_attr_float(node, "scale", 0)};
  TAREI_TRY(tarei_ops_want_float(q, err));
  TAREI_TRY(tarei_ops_want_rank(q, 3, 3, err));
  if (tarei_attr_int(node, "state_window", 0) != 0) {
    return tarei_fail(err, TARE_E_UNSUPPORTED,
                      "states of several positions (attribute 'state_window') are not supported: "
                      "export the model without speculative decoding");
  }
  if (f->q_heads < 1 || f->heads < 1 || !tarei_expr_is_const(graph->exprs, q->dims[2], &width) ||
      width < f->q_heads) {
    return tarei_fail(err, TARE_E_MODEL,
                      "'q_num_heads' (%" PRId64 ") and 'kv_num_heads' (%" PRId64
                      ") must be 1 or more, and the last axis of '%s' constant",
                      f->q_heads, f->heads, q->name);
  }
  f->scale = f->scale != 0 ? f->scale : 1 / sqrtf((float)(width / f->q_heads));
  return linear_attention_rule(graph, node, f, err);
}

static tare_status linear_attention_expand(tarei_graph *const graph, const int node,
                                           tare_error *const err) {
  linear_attention_form f;
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  TAREI_TRY(linear_attention_read(graph, n, &f, err));
  int out[] = {n->out[0], n->n_out > 1 && n->out[1] >= 0 ? n->out[1] : -2};
  tarei_build b = tarei_build_at(graph, node);
  const int decay = f.decays ? tarei_build_unary(&b, "Exp", tarei_build_in(&b, DECAY)) : -1;
  const int in[] = {tarei_build_in(&b, QUERY),
                    tarei_build_in(&b, KEY),
                    tarei_build_in(&b, VALUE),
                    tarei_build_in(&b, PAST),
                    decay,
                    f.delta ? tarei_build_in(&b, BETA) : -1};
  tarei_build_outputs(&b, "LinearRecurrence", in, 6, out, 2);
  tarei_build_int(&b, "q_num_heads", f.q_heads);
  tarei_build_int(&b, "kv_num_heads", f.heads);
  tarei_build_float(&b, "scale", f.scale);
  tarei_build_int(&b, "delta", f.delta);
  return tarei_build_done(&b, err);
}

/* decay = scale * Softplus(a + bias), beta = Sigmoid(b) */
static tare_status expand_linear_attention_gate(tarei_graph *const graph, const int node,
                                                tare_error *const err) {
  enum { A, SHIFT, SCALE, B };
  const tarei_node *const n = &graph->nodes[node];
  TAREI_TRY(tarei_ops_need(graph, n, 3, err));
  const tare_dtype dtype = tarei_ops_in(graph, n, A)->dtype;
  const tare_dtype real = tarei_ops_in(graph, n, SHIFT)->dtype;
  const int out = n->out[0], beta = n->n_out > 1 ? n->out[1] : -1;
  TAREI_TRY(tarei_ops_want_float(tarei_ops_in(graph, n, A), err));
  if (beta >= 0 && !tarei_ops_in(graph, n, B)) {
    return tarei_fail(err, TARE_E_MODEL, "output 1 needs input 3 (the projection of the rate)");
  }
  tarei_build b = tarei_build_at(graph, node);
  const int a = tarei_build_in(&b, A);
  const int wide = dtype == real ? a : tarei_build_cast(&b, a, real);
  const int sum = tarei_build_binary(&b, "Add", wide, tarei_build_in(&b, SHIFT));
  int y = tarei_build_binary(&b, "Mul", tarei_build_unary(&b, "Softplus", sum),
                             tarei_build_in(&b, SCALE));
  y = dtype == real ? y : tarei_build_cast(&b, y, dtype);
  tarei_build_into(&b, "Identity", &y, 1, out);
  if (beta >= 0) {
    const int rate = tarei_build_in(&b, B);
    tarei_build_into(&b, "Sigmoid", &rate, 1, beta);
  }
  return tarei_build_done(&b, err);
}

const tarei_op tarei_op_ms_linear_attention = {
    .name = "LinearAttention",
    .domain = "com.microsoft",
    .min_in = 3,
    .max_in = 6,
    .min_out = 1,
    .max_out = 2,
    .expand = linear_attention_expand,
};

const tarei_op tarei_op_ms_linear_attention_gate = {
    .name = "LinearAttentionGate",
    .domain = "com.microsoft",
    .min_in = 3,
    .max_in = 4,
    .min_out = 1,
    .max_out = 2,
    .expand = expand_linear_attention_gate,
};

const tarei_op tarei_op_linear_attention = {
    .name = "LinearAttention",
    .domain = "",
    .min_in = 3,
    .max_in = 6,
    .min_out = 1,
    .max_out = 2,
    .expand = linear_attention_expand,
};
