#include "graph/qdq/onnx_file.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/limits.h"
#include "base/mem.h"
#include "graph/onnx/onnx_functions.h"
#include "graph/onnx/onnx_sparse.h"

/* --- tensors with data in other files -------------------------------------------------------- */

static size_t tensor_bytes(const Onnx__TensorProto *const tensor) {
  size_t bytes = tare_dtype_size((tare_dtype)tensor->data_type);
  for (size_t i = 0; i < tensor->n_dims; i++) {
    bytes = tarei_times(bytes, tensor->dims[i] < 0 ? SIZE_MAX : (size_t)tensor->dims[i]);
  }
  return bytes;
}

static void forget_place(Onnx__TensorProto *const tensor) {
  for (size_t i = 0; i < tensor->n_external_data; i++) {
    onnx__string_string_entry_proto__free_unpacked(tensor->external_data[i], NULL);
  }
  free(tensor->external_data);
  tensor->external_data = NULL;
  tensor->n_external_data = 0;
  tensor->has_data_location = false;
  tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT;
}

static tare_status map_tensor(tarei_onnx_file *const file, Onnx__TensorProto *const tensor,
                              tare_error *const err) {
  if (!tensor->has_data_location ||
      tensor->data_location != ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
    return TARE_OK;
  }
  if (!TAREI_GROW(file->mapped, file->n_mapped, file->cap_mapped)) {
    return tarei_fail_memory(err, "external data", sizeof *file->mapped);
  }
  tarei_buffer *buffer = NULL;
  const tare_status status = tarei_onnx_external(&file->externals, tensor, tensor_bytes(tensor),
                                                 1 /* align */, &buffer, err);
  if (status != TARE_OK) {
    return tarei_fail_in(err, status, "tensor '%s'", tarei_onnx_text(tensor->name));
  }
  file->mapped[file->n_mapped++] = (struct tarei_onnx_mapped){tensor, buffer};
  forget_place(tensor);
  tensor->has_raw_data = true;
  tensor->raw_data = (ProtobufCBinaryData){buffer->size, buffer->data};
  return TARE_OK;
}

/* Every tensor of a graph, those of attributes and bodies too. */
static tare_status map_tensors(tarei_onnx_file *const file, Onnx__GraphProto *const graph,
                               tare_error *const err) {
  for (size_t i = 0; i < graph->n_initializer; i++) {
    TAREI_TRY(map_tensor(file, graph->initializer[i], err));
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    for (size_t a = 0; a < graph->node[n]->n_attribute; a++) {
      Onnx__AttributeProto *const attr = graph->node[n]->attribute[a];
      TAREI_TRY(attr->t ? map_tensor(file, attr->t, err) : TARE_OK);
      TAREI_TRY(attr->g ? map_tensors(file, attr->g, err) : TARE_OK);
    }
  }
  return TARE_OK;
}

/* --- open and close -------------------------------------------------------------------------- */

tare_status tarei_onnx_file_open(const char *const path, const tare_load_options *const options,
                                 tarei_onnx_file *const out, tare_error *const err) {
  const tare_load_options o = options ? *options : (tare_load_options){0};
  tare_limits limits;
  tare_limits_init(&limits);
  tarei_source source;
  *out = (tarei_onnx_file){.externals = {.path = path, .allowed = o.external_folder}};
  TAREI_TRY(TAREI_CHECK_RESERVED(tare_load_options, options, err));
  TAREI_TRY(tarei_source_open(path, &source, err));
  out->hash = XXH64(source.data, source.size, 0 /* seed */);
  const tare_limits *const allowed = o.limits ? o.limits : &limits;
  tare_status status = tarei_onnx_unpack(&source, allowed, &out->model, err);
  tarei_source_close(&source);
  if (status == TARE_OK) {
    status = tarei_onnx_inline_functions(out->model, allowed, err);
  }
  if (status == TARE_OK) {
    status = tarei_onnx_fill_sparse(out->model, allowed, err);
  }
  if (status == TARE_OK && !out->model->graph) {
    status = tarei_fail(err, TARE_E_MODEL, "has no graph");
  }
  if (status == TARE_OK) {
    status = map_tensors(out, out->model->graph, err);
  }
  return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", path);
}

void tarei_onnx_file_close(tarei_onnx_file *const file) {
  for (int i = 0; i < file->n_mapped; i++) {
    file->mapped[i].tensor->raw_data = (ProtobufCBinaryData){0};
    tarei_buffer_release(file->mapped[i].buffer);
  }
  free(file->mapped);
  for (int i = 0; i < file->n_dropped; i++) {
    protobuf_c_message_free_unpacked(file->dropped[i], NULL);
  }
  free(file->dropped);
  if (file->model) {
    tarei_onnx_free(file->model);
  }
  tarei_externals_fini(&file->externals);
  *file = (tarei_onnx_file){0};
}

int64_t tarei_onnx_file_opset(const tarei_onnx_file *const file, const char *const domain) {
  for (size_t i = 0; i < file->model->n_opset_import; i++) {
    const char *name = tarei_onnx_text(file->model->opset_import[i]->domain);
    name = strcmp(name, "ai.onnx") == 0 ? "" : name;
    if (strcmp(name, domain) == 0) {
      return file->model->opset_import[i]->version;
    }
  }
  return 0;
}

bool tarei_onnx_file_drop(tarei_onnx_file *const file, ProtobufCMessage *const message) {
  if (!TAREI_GROW(file->dropped, file->n_dropped, file->cap_dropped)) {
    return false;
  }
  file->dropped[file->n_dropped++] = message;
  return true;
}
