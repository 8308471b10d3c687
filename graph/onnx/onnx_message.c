#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

/* Memory of a message that is unpacked; `failed` tells a message that is malformed from one that
 * there is no memory for. */
static void *take_memory(void *const failed, const size_t bytes) {
  void *const p = tarei_realloc(NULL, bytes);
  *(bool *)failed |= !p;
  return p;
}

static void free_memory(void *const failed, void *const p) {
  (void)failed;
  free(p);
}

tare_status tarei_onnx_unpack(const tarei_source *const source, const tare_limits *const limits,
                              Onnx__ModelProto **const out, tare_error *const err) {
  *out = NULL;
  if (source->size == 0) {
    return tarei_fail(err, TARE_E_INPUT, "not an ONNX model: the file is empty");
  }
  if (source->size > INT32_MAX) {
    return tarei_fail(err, TARE_E_LIMIT,
                      "the file has %zu bytes, the limit of ONNX files is 2 GiB: store the weights "
                      "as external data",
                      source->size);
  }
  TAREI_TRY(tarei_onnx_scan(source->data, source->size, limits, err));
  bool no_memory = false;
  ProtobufCAllocator memory = {take_memory, free_memory, &no_memory};
  Onnx__ModelProto *const model = onnx__model_proto__unpack(&memory, source->size, source->data);
  if (no_memory) {
    onnx__model_proto__free_unpacked(model, &memory);
    return tarei_fail_memory(err, "message", source->size);
  }
  if (!model) {
    return tarei_fail(err, TARE_E_INPUT, "not an ONNX model, or truncated");
  }
  *out = model;
  return TARE_OK;
}

void tarei_onnx_free(Onnx__ModelProto *const model) {
  onnx__model_proto__free_unpacked(model, NULL); /* the default allocator frees as ours does */
}

const Onnx__AttributeProto *tarei_onnx_find_attr(const Onnx__NodeProto *const node,
                                                 const char *const name) {
  for (size_t i = 0; i < node->n_attribute; i++) {
    if (strcmp(tarei_onnx_text(node->attribute[i]->name), name) == 0) {
      return node->attribute[i];
    }
  }
  return NULL;
}

int64_t tarei_onnx_attr_int(const Onnx__NodeProto *const node, const char *const name,
                            const int64_t fallback) {
  const Onnx__AttributeProto *const attr = tarei_onnx_find_attr(node, name);
  return attr ? attr->i : fallback;
}

float tarei_onnx_attr_float(const Onnx__NodeProto *const node, const char *const name,
                            const float fallback) {
  const Onnx__AttributeProto *const attr = tarei_onnx_find_attr(node, name);
  return attr ? attr->f : fallback;
}
