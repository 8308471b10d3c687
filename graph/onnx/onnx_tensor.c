#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/ir/type_name.h"
#include "graph/onnx/importer.h"

/* The fields of TensorProto that hold elements one by one. */
typedef enum field_id {
  FIELD_FLOAT,
  FIELD_DOUBLE,
  FIELD_INT32,
  FIELD_INT64,
  FIELD_UINT64
} field_id;

typedef struct field {
  const void *data;
  size_t n, size; /* elements, bytes of one */
  const char *name;
} field;

/* Which field holds a type, and which values are legal where the field is wider. */
static const struct storage {
  tare_dtype dtype;
  field_id field;
  int64_t lo, hi;
} storages[] = {
    {TARE_F32, FIELD_FLOAT, 0, 0},
    {TARE_F64, FIELD_DOUBLE, 0, 0},
    {TARE_I64, FIELD_INT64, 0, 0},
    {TARE_U64, FIELD_UINT64, 0, 0},
    {TARE_I32, FIELD_INT32, 0, 0},
    {TARE_U32, FIELD_UINT64, 0, UINT32_MAX},
    {TARE_I16, FIELD_INT32, INT16_MIN, INT16_MAX},
    {TARE_U16, FIELD_INT32, 0, UINT16_MAX},
    {TARE_I8, FIELD_INT32, INT8_MIN, INT8_MAX},
    {TARE_U8, FIELD_INT32, 0, UINT8_MAX},
    {TARE_BOOL, FIELD_INT32, 0, 1},
    {TARE_F16, FIELD_INT32, 0, UINT16_MAX},
    {TARE_BF16, FIELD_INT32, 0, UINT16_MAX},
};

static const struct storage *storage_of(const tare_dtype dtype) {
  const size_t n = sizeof storages / sizeof *storages;
  for (size_t i = 0; i < n; i++) {
    if (storages[i].dtype == dtype) {
      return &storages[i];
    }
  }
  return NULL;
}

static field field_of(const Onnx__TensorProto *const p, const field_id id) {
  const field fields[] = {
      [FIELD_FLOAT] = {p->float_data, p->n_float_data, sizeof *p->float_data, "float_data"},
      [FIELD_DOUBLE] = {p->double_data, p->n_double_data, sizeof *p->double_data, "double_data"},
      [FIELD_INT32] = {p->int32_data, p->n_int32_data, sizeof *p->int32_data, "int32_data"},
      [FIELD_INT64] = {p->int64_data, p->n_int64_data, sizeof *p->int64_data, "int64_data"},
      [FIELD_UINT64] = {p->uint64_data, p->n_uint64_data, sizeof *p->uint64_data, "uint64_data"},
  };
  return fields[id];
}

static void print_dims(const Onnx__TensorProto *const proto, tarei_str *const out) {
  enum { SHOWN = 12 };
  tarei_str_add(out, "[");
  for (size_t i = 0; i < proto->n_dims && i < SHOWN; i++) {
    tarei_str_add(out, "%s%lld", i ? ", " : "", (long long)proto->dims[i]);
  }
  tarei_str_add(out, "%s]", proto->n_dims > SHOWN ? ", ..." : "");
}

static tare_status fail_dims(const Onnx__TensorProto *const proto, const tare_status status,
                             const char *const rule, tare_error *const err) {
  tarei_str dims = {0};
  print_dims(proto, &dims);
  (void)tarei_fail(err, status, "dims %s %s", tarei_str_get(&dims), rule);
  tarei_str_free(&dims);
  return status;
}

static tare_status onnx_tensor_read_shape(const Onnx__TensorProto *const proto,
                                          tare_tensor *const tensor, size_t *const count,
                                          size_t *const bytes, tare_error *const err) {
  *tensor = (tare_tensor){.dtype = (tare_dtype)proto->data_type, .rank = (int)proto->n_dims};
  if (!storage_of(tensor->dtype)) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "element type %s is not supported",
                      tarei_type_name_of(proto->data_type).text);
  }
  if (proto->n_dims > TARE_MAX_RANK) {
    return fail_dims(proto, TARE_E_UNSUPPORTED, "have rank above 8", err);
  }
  *count = 1;
  for (size_t i = 0; i < proto->n_dims; i++) {
    tensor->dims[i] = proto->dims[i];
    if (proto->dims[i] < 0) {
      return fail_dims(proto, TARE_E_MODEL, "contain a negative size", err);
    }
    if (!tarei_mul_size(*count, (size_t)proto->dims[i], count)) {
      return fail_dims(proto, TARE_E_MODEL, "have a product that exceeds 64 bits", err);
    }
  }
  if (!tarei_mul_size(*count, tare_dtype_size(tensor->dtype), bytes) || *bytes > INT64_MAX) {
    return fail_dims(proto, TARE_E_MODEL, "have a product that exceeds 64 bits", err);
  }
  return TARE_OK;
}

static tare_status fail_size(const Onnx__TensorProto *const proto, const char *const dtype,
                             const size_t wanted, const char *const unit, const char *const where,
                             const size_t seen, tare_error *const err) {
  tarei_str dims = {0};
  print_dims(proto, &dims);
  (void)tarei_fail(err, TARE_E_MODEL, "dims %s of %s need %zu %s, but %s has %zu",
                   tarei_str_get(&dims), dtype, wanted, unit, where, seen);
  tarei_str_free(&dims);
  return TARE_E_MODEL;
}

/* A buffer over the bytes of the message; they are the buffer's then. */
static tarei_buffer *take_raw(Onnx__TensorProto *const proto) {
  if (proto->raw_data.len == 0) {
    return tarei_buffer_new(0);
  }
  tarei_buffer *const buffer = tarei_calloc(1, sizeof *buffer);
  if (buffer) {
    *buffer = (tarei_buffer){.references = 1,
                             .data = proto->raw_data.data,
                             .size = proto->raw_data.len,
                             .owned = proto->raw_data.data};
    proto->raw_data = (ProtobufCBinaryData){0};
  }
  return buffer;
}

/* Low bytes of wider elements; the machine is little-endian, as the format is. */
static tare_status narrow(const field *const from, const struct storage *const storage,
                          uint8_t *const to, const size_t size, tare_error *const err) {
  for (size_t i = 0; i < from->n; i++) {
    int64_t value;
    if (storage->field == FIELD_INT32) {
      value = ((const int32_t *)from->data)[i];
    } else {
      const uint64_t wide = ((const uint64_t *)from->data)[i];
      value = wide > INT64_MAX ? INT64_MAX : (int64_t)wide;
    }
    if (value < storage->lo || value > storage->hi) {
      return tarei_fail(err, TARE_E_MODEL, "element %zu is %lld, out of range for %s", i,
                        (long long)value, tare_dtype_name(storage->dtype));
    }
    memcpy(to + i * size, &value, size);
  }
  return TARE_OK;
}

static tare_status copy_field(const Onnx__TensorProto *const proto, const tare_tensor *const tensor,
                              const size_t count, const size_t bytes, tarei_buffer **const buffer,
                              tare_error *const err) {
  const struct storage *const storage = storage_of(tensor->dtype);
  const size_t size = tare_dtype_size(tensor->dtype);
  const field from = field_of(proto, storage->field);
  if (from.n != count) {
    return fail_size(proto, tare_dtype_name(tensor->dtype), count, "elements", from.name, from.n,
                     err);
  }
  *buffer = tarei_buffer_new(bytes);
  if (!*buffer) {
    return tarei_fail_memory(err, "data", bytes);
  }
  if (size < from.size) {
    return narrow(&from, storage, (*buffer)->data, size, err);
  }
  if (bytes) {
    memcpy((*buffer)->data, from.data, bytes);
  }
  return TARE_OK;
}

/* Kernels take any bool byte for 0 or 1. */
static tare_status check_bools(const tarei_buffer *const buffer, tare_error *const err) {
  const uint8_t *const bytes = buffer->data;
  for (size_t i = 0; i < buffer->size; i++) {
    if (bytes[i] > 1) {
      return tarei_fail(err, TARE_E_MODEL, "element %zu is %d: expected 0 or 1 for bool", i,
                        bytes[i]);
    }
  }
  return TARE_OK;
}

static tare_status onnx_tensor_read_data(tarei_externals *const externals,
                                         Onnx__TensorProto *const proto,
                                         const tare_tensor *const tensor, const size_t count,
                                         const size_t bytes, tarei_buffer **const buffer,
                                         tare_error *const err) {
  if (proto->segment) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "segmented tensors are not supported");
  }
  if (proto->has_data_location &&
      proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
    return tarei_onnx_external(externals, proto, bytes, tare_dtype_size(tensor->dtype), buffer,
                               err);
  }
  if (!proto->has_raw_data) {
    return copy_field(proto, tensor, count, bytes, buffer, err);
  }
  if (proto->raw_data.len != bytes) {
    return fail_size(proto, tare_dtype_name(tensor->dtype), bytes, "bytes", "raw data",
                     proto->raw_data.len, err);
  }
  *buffer = take_raw(proto);
  return *buffer ? TARE_OK : tarei_fail_memory(err, "data", bytes);
}

tare_status tarei_onnx_tensor(tarei_externals *const externals, Onnx__TensorProto *const proto,
                              const char *const what, tare_tensor *const tensor,
                              tarei_buffer **const buffer, tare_error *const err) {
  size_t count = 0, bytes = 0;
  *buffer = NULL;
  tare_status status = onnx_tensor_read_shape(proto, tensor, &count, &bytes, err);
  if (status == TARE_OK) {
    status = onnx_tensor_read_data(externals, proto, tensor, count, bytes, buffer, err);
  }
  if (status == TARE_OK && tensor->dtype == TARE_BOOL) {
    status = check_bools(*buffer, err);
  }
  if (status != TARE_OK) {
    tarei_buffer_release(*buffer);
    *buffer = NULL;
    return tarei_fail_in(err, status, "%s", what);
  }
  tensor->data = (*buffer)->data;
  return TARE_OK;
}
