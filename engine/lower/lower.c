#include "engine/step.h"

const tarei_lowering *tarei_lowering_of(const tarei_op *const op) {
  static const tarei_lowering *const table[] = {
#define TARE_OP(id, onnx_name, op_domain) [TAREI_OP_##id] = &tarei_lower_##id,
#include "graph/ops.inc"
#undef TARE_OP
  };
  return table[tarei_op_id_of(op)];
}
