/* What placement asks of nodes of the message. */
#include <string.h>

#include "graph/op.h"
#include "graph/qdq/place.h"

int tarei_placed_input(const tarei_placement *const p, const Onnx__NodeProto *const node,
                       const size_t i) {
  return i < node->n_input ? tarei_names_find(&p->values, node->input[i]) : -1;
}

int tarei_placed_output(const tarei_placement *const p, const Onnx__NodeProto *const node,
                        const size_t i) {
  return i < node->n_output ? tarei_names_find(&p->values, node->output[i]) : -1;
}

bool tarei_placed_is_layer(const Onnx__NodeProto *const node) {
  static const char *const LAYERS[] = {"Conv", "MatMul", "Gemm"};
  for (size_t i = 0; i < sizeof LAYERS / sizeof *LAYERS; i++) {
    if (tarei_is_default_domain(tarei_onnx_text(node->domain)) &&
        strcmp(tarei_onnx_text(node->op_type), LAYERS[i]) == 0) {
      return true;
    }
  }
  return false;
}
