#include "graph/onnx/onnx_sparse.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "graph/onnx/importer.h"

/* The two parts of a sparse tensor: which elements are not zero, and their values. */
typedef struct sparse_parts {
  tare_tensor values, indices;
  tarei_buffer *of_values, *of_indices;
} sparse_parts;

static tare_status sparse_read_part(Onnx__TensorProto *const proto, const char *const part,
                                    tare_tensor *const tensor, tarei_buffer **const buffer,
                                    tare_error *const err) {
  tarei_externals none = {0};
  if (!proto) {
    return tarei_fail(err, TARE_E_MODEL, "has no %s", part);
  }
  if (proto->has_data_location &&
      proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "external data of a sparse tensor is not supported");
  }
  return tarei_onnx_tensor(&none, proto, part, tensor, buffer, err);
}

/* Each value has the number of its element, or an index along each axis. */
static tare_status sparse_check_parts(const sparse_parts *const p, const size_t rank,
                                      tare_error *const err) {
  const tare_tensor *const at = &p->indices;
  if (p->values.rank != 1) {
    return tarei_fail(err, TARE_E_MODEL, "values have rank %d, expected 1", p->values.rank);
  }
  const bool fits = at->dtype == TARE_I64 && (at->rank == 1 || at->rank == 2) &&
                    at->dims[0] == p->values.dims[0] &&
                    (at->rank == 1 || (size_t)at->dims[1] == rank);
  return fits ? TARE_OK
              : tarei_fail(err, TARE_E_MODEL,
                           "indices are not int64 [%lld] or [%lld, %zu], as its values and dims "
                           "ask for",
                           (long long)p->values.dims[0], (long long)p->values.dims[0], rank);
}

/* The number of the element that index i names; -1 where it is outside of the tensor. */
static int64_t sparse_element(const Onnx__SparseTensorProto *const proto,
                              const tare_tensor *const indices, const int64_t count,
                              const int64_t i) {
  const int64_t *const at = indices->data;
  if (indices->rank == 1) {
    return at[i] >= 0 && at[i] < count ? at[i] : -1;
  }
  int64_t element = 0;
  for (size_t d = 0; d < proto->n_dims; d++) {
    const int64_t index = at[(size_t)i * proto->n_dims + d];
    if (index < 0 || index >= proto->dims[d]) {
      return -1;
    }
    element = element * proto->dims[d] + index;
  }
  return element;
}

static tare_status sparse_scatter(const Onnx__SparseTensorProto *const proto,
                                  const sparse_parts *const p, const int64_t count,
                                  uint8_t *const to, tare_error *const err) {
  const size_t size = tare_dtype_size(p->values.dtype);
  const uint8_t *const from = p->values.data;
  int64_t last = -1;
  for (int64_t i = 0; i < p->values.dims[0]; i++) {
    const int64_t element = sparse_element(proto, &p->indices, count, i);
    if (element <= last) {
      return tarei_fail(err, TARE_E_MODEL, "index %lld %s", (long long)i,
                        element < 0 ? "is outside of its dims" : "does not ascend");
    }
    memcpy(to + (size_t)element * size, from + (size_t)i * size, size);
    last = element;
  }
  return TARE_OK;
}

/* Elements and bytes of the dense tensor. */
static tare_status sparse_size(const Onnx__SparseTensorProto *const proto, const tare_dtype dtype,
                               const tare_limits *const limits, int64_t *const count,
                               size_t *const bytes, tare_error *const err) {
  if (proto->n_dims > TARE_MAX_RANK) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "rank %zu is not supported, the limit is %d",
                      proto->n_dims, TARE_MAX_RANK);
  }
  *count = 1;
  bool counted = true;
  for (size_t d = 0; d < proto->n_dims; d++) {
    if (proto->dims[d] < 0) {
      return tarei_fail(err, TARE_E_MODEL, "axis %zu has size %lld", d, (long long)proto->dims[d]);
    }
    counted = counted && tarei_mul_i64(*count, proto->dims[d], count);
  }
  counted = counted && tarei_mul_size((size_t)*count, tare_dtype_size(dtype), bytes);
  return counted && *bytes <= (size_t)limits->tensor
             ? TARE_OK
             : tarei_fail_limit(err, limits, TAREI_LIMIT_tensor, counted ? (int64_t)*bytes : -1,
                                "with its zeros, it takes");
}

/* A dense tensor with the name and dims of a sparse one, and with the data, which it owns. */
static Onnx__TensorProto *sparse_make_dense(Onnx__SparseTensorProto *const proto,
                                            const tare_dtype dtype, uint8_t *const data,
                                            const size_t bytes) {
  Onnx__TensorProto *const dense = tarei_calloc(1, sizeof *dense);
  if (!dense) {
    return NULL;
  }
  onnx__tensor_proto__init(dense);
  dense->name = proto->values->name;
  proto->values->name = NULL;
  dense->n_dims = proto->n_dims;
  dense->dims = proto->dims;
  proto->n_dims = 0;
  proto->dims = NULL;
  dense->has_data_type = true;
  dense->data_type = (int32_t)dtype;
  dense->has_raw_data = true;
  dense->raw_data = (ProtobufCBinaryData){.len = bytes, .data = data};
  return dense;
}

static tare_status sparse_fill(Onnx__SparseTensorProto *const proto, const sparse_parts *const p,
                               const tare_limits *const limits, Onnx__TensorProto **const out,
                               tare_error *const err) {
  int64_t count = 0;
  size_t bytes = 0;
  TAREI_TRY(sparse_check_parts(p, proto->n_dims, err));
  TAREI_TRY(sparse_size(proto, p->values.dtype, limits, &count, &bytes, err));
  uint8_t *const data = tarei_calloc(bytes, 1);
  if (!data) {
    return tarei_fail_memory(err, "a sparse tensor", bytes);
  }
  const tare_status status = sparse_scatter(proto, p, count, data, err);
  *out = status == TARE_OK ? sparse_make_dense(proto, p->values.dtype, data, bytes) : NULL;
  if (!*out) {
    free(data);
  }
  return status != TARE_OK || *out ? status : tarei_fail_memory(err, "a sparse tensor", bytes);
}

/* `what` is for messages: the tensor, or what has it. */
static tare_status sparse_expand(Onnx__SparseTensorProto *const proto, const char *const what,
                                 const tare_limits *const limits, Onnx__TensorProto **const out,
                                 tare_error *const err) {
  sparse_parts p = {0};
  tare_status status = sparse_read_part(proto->values, "values", &p.values, &p.of_values, err);
  if (status == TARE_OK) {
    status = sparse_read_part(proto->indices, "indices", &p.indices, &p.of_indices, err);
  }
  if (status == TARE_OK) {
    status = sparse_fill(proto, &p, limits, out, err);
  }
  tarei_buffer_release(p.of_values);
  tarei_buffer_release(p.of_indices);
  return status == TARE_OK ? status : tarei_fail_in(err, status, "%s", what);
}

static tare_status fill_initializers(Onnx__GraphProto *const graph, const tare_limits *const limits,
                                     tare_error *const err) {
  const size_t n = graph->n_initializer + graph->n_sparse_initializer;
  Onnx__TensorProto **const list = tarei_realloc(graph->initializer, n * sizeof *list);
  if (!list) {
    return tarei_fail_memory(err, "initializers", n * sizeof *list);
  }
  graph->initializer = list;
  for (; graph->n_sparse_initializer > 0; graph->n_sparse_initializer--) {
    Onnx__SparseTensorProto *const last =
        graph->sparse_initializer[graph->n_sparse_initializer - 1];
    const char *const name = last->values ? tarei_onnx_text(last->values->name) : "";
    tarei_str what = {0};
    tarei_str_add(&what, "sparse initializer '%s'", name);
    const tare_status status = sparse_expand(last, tarei_str_get(&what), limits,
                                             &graph->initializer[graph->n_initializer], err);
    tarei_str_free(&what);
    TAREI_TRY(status);
    graph->n_initializer++;
    onnx__sparse_tensor_proto__free_unpacked(last, NULL);
  }
  free(graph->sparse_initializer);
  graph->sparse_initializer = NULL;
  return TARE_OK;
}

/* The sparse_value of a Constant becomes its value. */
static tare_status fill_attribute(const Onnx__NodeProto *const node,
                                  Onnx__AttributeProto *const attr, const tare_limits *const limits,
                                  tare_error *const err) {
  if (!attr->sparse_tensor || attr->t || strcmp(tarei_onnx_text(node->op_type), "Constant") != 0 ||
      strcmp(tarei_onnx_text(attr->name), "sparse_value") != 0) {
    return TARE_OK;
  }
  char *const name = tarei_strdup("value");
  if (!name) {
    return tarei_fail_memory(err, "attribute", sizeof "value");
  }
  free(attr->name);
  attr->name = name;
  TAREI_TRY(
      sparse_expand(attr->sparse_tensor, "sparse_value of a Constant", limits, &attr->t, err));
  attr->has_type = true;
  attr->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
  onnx__sparse_tensor_proto__free_unpacked(attr->sparse_tensor, NULL);
  attr->sparse_tensor = NULL;
  return TARE_OK;
}

/* Bodies are not deeper than the limit that was checked when the message was read. */
static tare_status fill_graph(Onnx__GraphProto *const graph, const tare_limits *const limits,
                              tare_error *const err) {
  if (graph->n_sparse_initializer) {
    TAREI_TRY(fill_initializers(graph, limits, err));
  }
  for (size_t n = 0; n < graph->n_node; n++) {
    for (size_t a = 0; a < graph->node[n]->n_attribute; a++) {
      Onnx__AttributeProto *const attr = graph->node[n]->attribute[a];
      TAREI_TRY(fill_attribute(graph->node[n], attr, limits, err));
      TAREI_TRY(attr->g ? fill_graph(attr->g, limits, err) : TARE_OK);
    }
  }
  return TARE_OK;
}

tare_status tarei_onnx_fill_sparse(Onnx__ModelProto *const model, const tare_limits *const limits,
                                   tare_error *const err) {
  return model->graph ? fill_graph(model->graph, limits, err) : TARE_OK;
}
