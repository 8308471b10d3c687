#include "graph/qdq/file_type.h"

#include <string.h>

static tare_dtype type_of_info(Onnx__ValueInfoProto *const *const infos, const size_t n,
                               const char *const name) {
  for (size_t i = 0; i < n; i++) {
    const Onnx__TypeProto *const type = infos[i]->type;
    if (strcmp(tarei_onnx_text(infos[i]->name), name) == 0 && type && type->tensor_type) {
      return (tare_dtype)type->tensor_type->elem_type;
    }
  }
  return TARE_DTYPE_NONE;
}

static const Onnx__NodeProto *maker_of(const Onnx__GraphProto *const graph,
                                       const char *const value) {
  for (size_t n = 0; n < graph->n_node; n++) {
    for (size_t o = 0; o < graph->node[n]->n_output; o++) {
      if (strcmp(graph->node[n]->output[o], value) == 0) {
        return graph->node[n];
      }
    }
  }
  return NULL;
}

bool tarei_onnx_makes(const Onnx__GraphProto *const graph, const char *const value) {
  return maker_of(graph, value) != NULL;
}

static tare_dtype type_by_maker(const tarei_onnx_file *const file,
                                const Onnx__NodeProto *const maker) {
  const char *const op = tarei_onnx_text(maker->op_type);
  for (size_t i = 0; i < maker->n_attribute; i++) {
    const Onnx__AttributeProto *const attr = maker->attribute[i];
    if (strcmp(op, "Cast") == 0 && strcmp(tarei_onnx_text(attr->name), "to") == 0) {
      return (tare_dtype)attr->i;
    }
    if (strcmp(op, "Constant") == 0 && attr->t) {
      return (tare_dtype)attr->t->data_type;
    }
  }
  return maker->n_input ? tarei_file_type(file, maker->input[0]) : TARE_DTYPE_NONE;
}

/* A node that computes has the type of its first input, but for a few that no layer reads. */
tare_dtype tarei_file_type(const tarei_onnx_file *const file, const char *const value) {
  const Onnx__GraphProto *const graph = file->model->graph;
  for (size_t i = 0; i < graph->n_initializer; i++) {
    if (strcmp(tarei_onnx_text(graph->initializer[i]->name), value) == 0) {
      return (tare_dtype)graph->initializer[i]->data_type;
    }
  }
  tare_dtype type = type_of_info(graph->input, graph->n_input, value);
  type = type ? type : type_of_info(graph->value_info, graph->n_value_info, value);
  type = type ? type : type_of_info(graph->output, graph->n_output, value);
  const Onnx__NodeProto *const maker = type ? NULL : maker_of(graph, value);
  return maker ? type_by_maker(file, maker) : type;
}

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
         strcmp(op, "MatMulInteger") == 0 || strcmp(op, "ConvInteger") == 0 ||
         strcmp(op, "FakeQuantize") == 0;
}
