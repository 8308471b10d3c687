#include "graph/quantize/run_time_bytes.h"

#include "graph/op.h"
#include "graph/passes/rewrite.h"

enum { FARTHEST_MOVE = 16 };

static bool run_time_is_single(const tarei_graph *const g, const int value) {
  int64_t n = 0;
  const int rank = value < 0 ? -1 : g->values[value].rank;
  return rank == 0 || (rank == 1 && tarei_value_dim_const(g, value, 0, &n) && n == 1);
}

bool tarei_restores_at_run_time(const tarei_graph *const g, const tarei_node *const node) {
  if (node->op != &tarei_op_dequantize_linear || tarei_node_in(node, 2) < 0 ||
      g->values[node->in[0]].dtype != TARE_U8 || tarei_value_is_const(g, node->in[0])) {
    return false;
  }
  return run_time_is_single(g, node->in[1]) && run_time_is_single(g, node->in[2]) &&
         !(tarei_value_is_const(g, node->in[1]) && tarei_value_is_const(g, node->in[2]));
}

/* The DequantizeLinear behind a value, past what moves it; NULL where it is none of that kind. */
static const tarei_node *run_time_find(const tarei_graph *const g, const int value) {
  const tarei_node *node = tarei_producer(g, value);
  for (int i = 0; node && node->op->movement && node->n_out == 1 && i < FARTHEST_MOVE; i++) {
    node = tarei_producer(g, node->in[0]);
  }
  return node && tarei_restores_at_run_time(g, node) ? node : NULL;
}

bool tarei_takes_run_time_bytes(const tarei_graph *const g, const tarei_node *const layer) {
  const tarei_int8_form *const form = layer->op->int8;
  const bool takes = form && (form->op == &tarei_op_qlinear || form->op == &tarei_op_qconv_last);
  return takes && run_time_find(g, layer->in[0]) != NULL;
}

int tarei_run_time_tensor(const tarei_graph *const g, const tarei_node *const layer) {
  const int bytes = run_time_find(g, layer->in[0])->in[0];
  const tarei_node *const maker = tarei_producer(g, bytes);
  const bool quantizes = maker && (maker->op == &tarei_op_dynamic_quantize_linear ||
                                   maker->op == &tarei_op_quantize_linear);
  return quantizes ? maker->in[0] : bytes;
}

/* The bytes of a value: what moves it moves them too. */
static tare_status run_time_move(tarei_graph *const g, const int value, int *const bytes,
                                 tare_error *const err) {
  const int maker = g->values[value].producer;
  if (g->nodes[maker].op == &tarei_op_dequantize_linear) {
    *bytes = g->nodes[maker].in[0];
    return TARE_OK;
  }
  int from = -1, node;
  TAREI_TRY(run_time_move(g, g->nodes[maker].in[0], &from, err));
  TAREI_TRY(tarei_add_helper(g, value, "__u8", bytes, err));
  g->values[*bytes].dtype = TARE_U8;
  g->values[*bytes].observable = false;
  TAREI_TRY(tarei_add_node(g, g->nodes[maker].op, g->nodes[maker].name, g->nodes[maker].opset,
                           g->nodes[maker].in, g->nodes[maker].n_in, *bytes, &node, err));
  tarei_graph_set_in(g, node, 0, from);
  return tarei_copy_attrs(g, node, maker, err);
}

tare_status tarei_take_run_time_bytes(tarei_graph *const g, const int n, tare_error *const err) {
  const tarei_node *const restored = run_time_find(g, g->nodes[n].in[0]);
  const int scale = restored->in[1], zero = restored->in[2];
  int bytes = -1;
  TAREI_TRY(run_time_move(g, g->nodes[n].in[0], &bytes, err));
  tarei_graph_set_in(g, n, 0, bytes);
  TAREI_TRY(tarei_node_set_in(g, n, TAREI_INT8_ROW_SCALES, scale, err));
  TAREI_TRY(tarei_node_set_in(g, n, TAREI_INT8_ZERO_POINT, zero, err));
  return tarei_attr_set_int(&g->nodes[n], TAREI_ATTR_TENSOR_SCALE, 1) &&
                 tarei_attr_set_int(&g->nodes[n], TAREI_ATTR_ROW_SCALES, 1)
             ? TARE_OK
             : tarei_fail_memory(err, "attribute", sizeof(tarei_attr));
}
