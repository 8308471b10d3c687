#include "engine/step.h"

const tarei_lowering *tarei_lowering_of(const tarei_op *const op) {
  static const tarei_lowering *const table[TAREI_OP_COUNT] = {
#define TARE_OP(id, onnx_name, op_domain) [TAREI_OP_##id] = &tarei_lower_##id,
#include "graph/ops.inc"
#undef TARE_OP
  };
  return table[tarei_op_id_of(op)];
}

bool tarei_node_packs(const tarei_graph *const graph, const tarei_node *const node, const int i) {
  const tarei_value *const v = node->in[i] < 0 ? NULL : &graph->values[node->in[i]];
  const tarei_lowering *const lowering = tarei_lowering_of(node->op);
  return v && v->data && v->dtype == TARE_F32 && i < 32 && lowering && (lowering->packs >> i & 1u);
}
