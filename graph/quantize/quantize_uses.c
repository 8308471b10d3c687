#include "graph/quantize/quantize_uses.h"

#include <string.h>

const tarei_layer_kind *tarei_layer_kind_of(const tarei_op *const from) {
  static const tarei_layer_kind kinds[] = {
      {&tarei_op_attention, &tarei_op_attention, 3, 0},
      {&tarei_op_conv_last, &tarei_op_qconv_last, 1, 1},
      {&tarei_op_gru, &tarei_op_qgru, 1, 2},
      {&tarei_op_linear, &tarei_op_qlinear, 1, 1},
      {&tarei_op_lstm, &tarei_op_qlstm, 1, 2},
      {&tarei_op_matmul, &tarei_op_qmatmul, 2, 0},
      {&tarei_op_rnn, &tarei_op_qrnn, 1, 2},
  };
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (from == kinds[i].from) {
      return &kinds[i];
    }
  }
  return NULL;
}

static bool quantize_uses_is_one_of(const tarei_op *const op, const tarei_op *const *const ops,
                                    const size_t n) {
  for (size_t i = 0; i < n; i++) {
    if (ops[i] == op) {
      return true;
    }
  }
  return false;
}

bool tarei_is_activation(const tarei_graph *const graph, const tarei_node *const node) {
  static const tarei_op *const ops[] = {
      &tarei_op_abs,        &tarei_op_atan,         &tarei_op_celu,
      &tarei_op_clip,       &tarei_op_elu,          &tarei_op_erf,
      &tarei_op_gelu,       &tarei_op_hard_sigmoid, &tarei_op_hard_swish,
      &tarei_op_leaky_relu, &tarei_op_mish,         &tarei_op_neg,
      &tarei_op_relu,       &tarei_op_selu,         &tarei_op_shrink,
      &tarei_op_sigmoid,    &tarei_op_softplus,     &tarei_op_softsign,
      &tarei_op_swish,      &tarei_op_tanh,         &tarei_op_thresholded_relu,
  };
  if (!quantize_uses_is_one_of(node->op, ops, sizeof ops / sizeof *ops) ||
      graph->values[node->in[0]].dtype != TARE_F32) {
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

bool tarei_node_selects(const tarei_node *const node) {
  const bool fills = strcmp(tarei_attr_string(node, "coordinate_transformation_mode", ""),
                            "tf_crop_and_resize") == 0;
  return node->op->selects &&
         (node->op != &tarei_op_resize ||
          (!fills && strcmp(tarei_attr_string(node, "mode", "nearest"), "nearest") == 0));
}

bool tarei_can_be_written_as_bytes(const tarei_graph *const graph, int value) {
  int producer = graph->values[value].producer;
  while (producer >= 0 && graph->nodes[producer].op->movement) {
    producer = graph->values[graph->nodes[producer].in[0]].producer;
  }
  const tarei_node *const node = producer < 0 ? NULL : &graph->nodes[producer];
  const bool selects = node && tarei_node_selects(node) && !graph->values[node->in[0]].data;
  return node && (node->op == &tarei_op_dequantize || node->op->writes_bytes || selects ||
                  tarei_layer_kind_of(node->op));
}

/* --- uses ----------------------------------------------------------------------------------------
 */

typedef enum use {
  BYTES,  /* reads bytes, or does not mind how fine its input is */
  PASSES, /* what happens to its output decides */
  FLOAT
} use;

static bool is_sum(const tarei_node *const node) {
  return (node->op == &tarei_op_add || node->op == &tarei_op_mul) && node->in[0] != node->in[1];
}

static use use_of(const tarei_graph *const g, const tarei_node *const node, const int i) {
  static const tarei_op *const averages[] = {
      &tarei_op_average_pool,
      &tarei_op_average_pool_last,
      &tarei_op_global_average_pool,
      &tarei_op_global_max_pool,
      &tarei_op_max_pool,
      &tarei_op_reduce_max,
      &tarei_op_reduce_mean,
      &tarei_op_shape,
  };
  const tarei_layer_kind *const kind = tarei_layer_kind_of(node->op);
  if (kind) {
    return i != TAREI_INT8_RESIDUAL ? BYTES : node->op == &tarei_op_conv_last ? PASSES : FLOAT;
  }
  if (quantize_uses_is_one_of(node->op, averages, sizeof averages / sizeof *averages)) {
    return BYTES;
  }
  return node->op->movement || tarei_node_selects(node) || is_sum(node) ||
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
  const tarei_layer_kind *const kind = tarei_layer_kind_of(node->op);
  const int value = node->in[i];
  if (kind) {
    const bool residual = node->op == &tarei_op_conv_last && i == TAREI_INT8_RESIDUAL &&
                          !(uses[value] & TAREI_KEPT_AS_FLOAT) &&
                          (g->values[value].is_input || tarei_can_be_written_as_bytes(g, value));
    return i < kind->activations || residual;
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
