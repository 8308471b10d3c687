#include "graph/quantize/quantize_uses.h"

#include <math.h>

#include "graph/quantize/requested.h"

bool tarei_is_activation(const tarei_graph *const graph, const tarei_node *const node) {
  if (!node->op->activation || graph->values[node->in[0]].dtype != TARE_F32) {
    return false;
  }
  float bound;
  for (int i = 1; i < node->n_in; i++) {
    if (node->in[i] >= 0 && !tarei_value_const_float(graph, node->in[i], &bound)) {
      return false;
    }
  }
  return true;
}

static bool moves_to_tensor(const tarei_graph *const g, const tarei_use use) {
  const tarei_node *const node = &g->nodes[use.node];
  return node->op->movement && use.input == 0 && g->values[node->out[0]].observable;
}

int tarei_tensor_of(const tarei_graph *const g, const int value) {
  for (tarei_use u = g->values[value].first_use; u.node >= 0; u = tarei_graph_next_use(g, u)) {
    if (!g->values[value].observable && moves_to_tensor(g, u)) {
      return g->nodes[u.node].out[0];
    }
  }
  int v = value;
  while (!g->values[v].observable) {
    const int producer = g->values[v].producer;
    if (producer < 0 || !g->nodes[producer].op->movement) {
      return -1;
    }
    v = g->nodes[producer].in[0];
  }
  return v;
}

bool tarei_node_selects(const tarei_node *const node) {
  return node->op->selects && (!node->op->selects_when || node->op->selects_when(node));
}

bool tarei_can_be_written_as_bytes(const tarei_graph *const graph, int value) {
  int producer = graph->values[value].producer;
  while (producer >= 0 && graph->nodes[producer].op->movement) {
    producer = graph->values[graph->nodes[producer].in[0]].producer;
  }
  const tarei_node *const node = producer < 0 ? NULL : &graph->nodes[producer];
  if (node && tarei_output_asked(node) == TARE_PRECISION_FP32) {
    return false;
  }
  const bool selects = node && tarei_node_selects(node) && !graph->values[node->in[0]].data;
  return node &&
         (node->op == &tarei_op_dequantize || node->op->writes_bytes || selects || node->op->int8);
}

bool tarei_is_depthwise(const tarei_graph *const graph, const tarei_node *const node) {
  int64_t outputs = 0;
  return tarei_expr_is_const(graph->exprs, graph->values[node->in[1]].dims[0], &outputs) &&
         outputs > 1 && tarei_attr_int(node, "group", 1) == outputs;
}

bool tarei_is_finite(const tarei_graph *const graph, const int value) {
  const tare_tensor x =
      value >= 0 && graph->values[value].data ? tarei_value_tensor(graph, value) : (tare_tensor){0};
  const int64_t n = x.data && x.dtype == TARE_F32 ? tare_tensor_count(&x) : 0;
  for (int64_t i = 0; i < n; i++) {
    if (!isfinite(((const float *)x.data)[i])) {
      return false;
    }
  }
  return true;
}

/* --- uses ------------------------------------------------------------------------------------- */

typedef enum use {
  BYTES,  /* reads bytes, or does not mind how fine its input is */
  PASSES, /* what happens to its output decides */
  FLOAT
} use;

static bool carries_rounding(const tarei_node *const node) {
  return node->op->carries_rounding && node->in[0] != node->in[1];
}

static use use_of(const tarei_graph *const g, const tarei_node *const node, const int i) {
  const tarei_int8_form *const form = node->op->int8;
  if (form) {
    return i != TAREI_INT8_RESIDUAL ? BYTES : form->byte_residual ? PASSES : FLOAT;
  }
  if (node->op->averages || node->op->reads_dims) {
    return BYTES;
  }
  return node->op->movement || tarei_node_selects(node) || carries_rounding(node) ||
                 tarei_is_activation(g, node)
             ? PASSES
             : FLOAT;
}

/* The flags of what a node makes. */
static unsigned char uses_of_output(const tarei_node *const node, const unsigned char *const uses) {
  return node->n_out > 0 && node->out[0] >= 0 ? uses[node->out[0]] : 0;
}

static void mark_floats(const tarei_graph *const g, unsigned char *const uses) {
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    for (int i = 0; i < node->n_in; i++) {
      if (node->in[i] < 0) {
        continue;
      }
      const use u = use_of(g, node, i);
      const bool passed = u == PASSES && uses_of_output(node, uses) & TAREI_KEPT_AS_FLOAT;
      uses[node->in[i]] |= u == FLOAT || passed ? TAREI_KEPT_AS_FLOAT : 0;
    }
  }
}

/* Whether a node reads its input i as bytes; those of its output are marked. */
static bool reads_bytes(const tarei_graph *const g, const tarei_node *const node, const int i,
                        const unsigned char *const uses) {
  const tarei_int8_form *const form = node->op->int8;
  const int value = node->in[i];
  if (form) {
    const bool residual = form->byte_residual && i == TAREI_INT8_RESIDUAL &&
                          !(uses[value] & TAREI_KEPT_AS_FLOAT) &&
                          (g->values[value].is_input || tarei_can_be_written_as_bytes(g, value));
    return i < form->activations || residual;
  }
  const bool goes_on = i == 0 && uses_of_output(node, uses) & TAREI_READ_AS_BYTES;
  return goes_on && (node->op->movement ||
                     (tarei_is_activation(g, node) && tarei_can_be_written_as_bytes(g, value)));
}

void tarei_graph_mark_uses(const tarei_graph *const g, unsigned char *const uses) {
  mark_floats(g, uses);
  for (int n = g->n_nodes - 1; n >= 0; n--) {
    const tarei_node *const node = &g->nodes[n];
    for (int i = 0; i < node->n_in; i++) {
      if (node->in[i] >= 0 && reads_bytes(g, node, i, uses)) {
        uses[node->in[i]] |= TAREI_READ_AS_BYTES;
      }
    }
  }
}
