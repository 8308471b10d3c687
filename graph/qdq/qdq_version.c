#include "graph/qdq/qdq_version.h"

#include <string.h>

int64_t tarei_qdq_version(const tarei_qdq_needs needs) {
  enum { FIRST = 10, CHANNELS = 13, HALVES = 19, BITS16 = 21 };
  if (needs.bits16) {
    return BITS16;
  }
  return needs.real != TARE_F32 ? HALVES : needs.channels ? CHANNELS : FIRST;
}

const char *tarei_qdq_domain(const tarei_placement *const p, const tarei_qdq_needs needs) {
  if (tarei_onnx_file_opset(p->file, "") >= tarei_qdq_version(needs)) {
    return "";
  }
  return p->target->contrib && needs.real != TARE_BF16 ? "com.microsoft" : NULL;
}

bool tarei_onnx_is_quantized(const Onnx__NodeProto *const node) {
  const char *const op = tarei_onnx_text(node->op_type);
  return strstr(op, "QuantizeLinear") || strncmp(op, "QLinear", 7) == 0 ||
         strncmp(op, "MatMulInteger", 13) == 0 || strcmp(op, "ConvInteger") == 0 ||
         strncmp(op, "DynamicQuantize", 15) == 0 || strcmp(op, "FakeQuantize") == 0 ||
         strcmp(op, "QGemm") == 0 || strcmp(op, "QAttention") == 0 ||
         strcmp(op, "QEmbedLayerNormalization") == 0;
}
