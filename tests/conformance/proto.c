#include "conformance/proto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *read_file(const char *const path, size_t *const size) {
  FILE *const file = fopen(path, "rb");
  if (!file) {
    return NULL;
  }
  char *data = NULL;
  if (fseek(file, 0, SEEK_END) == 0) {
    const long end = ftell(file);
    rewind(file);
    data = end >= 0 ? malloc((size_t)end + 1) : NULL;
    *size = data ? fread(data, 1, (size_t)end, file) : 0;
  }
  fclose(file);
  return data;
}

Onnx__ModelProto *read_model(const char *const path) {
  size_t size = 0;
  void *const data = read_file(path, &size);
  Onnx__ModelProto *const model = data ? onnx__model_proto__unpack(NULL, size, data) : NULL;
  free(data);
  return model;
}

Onnx__TensorProto *read_tensor(const char *const path) {
  size_t size = 0;
  void *const data = read_file(path, &size);
  Onnx__TensorProto *const tensor = data ? onnx__tensor_proto__unpack(NULL, size, data) : NULL;
  free(data);
  return tensor;
}

/* The field that holds elements which are not raw: its elements and the size of one. */
static const void *field_of(const Onnx__TensorProto *const p, size_t *const n,
                            size_t *const width) {
  switch (p->data_type) {
    case TARE_F32:
      *n = p->n_float_data;
      *width = sizeof *p->float_data;
      return p->float_data;
    case TARE_F64:
      *n = p->n_double_data;
      *width = sizeof *p->double_data;
      return p->double_data;
    case TARE_I64:
      *n = p->n_int64_data;
      *width = sizeof *p->int64_data;
      return p->int64_data;
    case TARE_U32:
    case TARE_U64:
      *n = p->n_uint64_data;
      *width = sizeof *p->uint64_data;
      return p->uint64_data;
    default:
      *n = p->n_int32_data;
      *width = sizeof *p->int32_data;
      return p->int32_data;
  }
}

static bool fill(const Onnx__TensorProto *const proto, const size_t count, const size_t width,
                 char *const to) {
  if (proto->has_raw_data) {
    if (proto->raw_data.len != count * width) {
      return false;
    }
    memcpy(to, proto->raw_data.data ? proto->raw_data.data : (uint8_t *)"", count * width);
    return true;
  }
  size_t n = 0, wide = 0;
  const char *const from = field_of(proto, &n, &wide);
  for (size_t i = 0; i < n && n == count; i++) {
    memcpy(to + i * width, from + i * wide, width); /* the low bytes */
  }
  return n == count;
}

bool tensor_from_proto(const Onnx__TensorProto *const proto, tare_tensor *const out,
                       char *const why, const size_t size) {
  *out = (tare_tensor){.dtype = (tare_dtype)proto->data_type, .rank = (int)proto->n_dims};
  const size_t width = tare_dtype_size(out->dtype);
  if (!width || proto->n_dims > TARE_MAX_RANK) {
    snprintf(why, size, "the data has element type %d and rank %zu", proto->data_type,
             proto->n_dims);
    return false;
  }
  for (int d = 0; d < out->rank; d++) {
    out->dims[d] = proto->dims[d];
  }
  const int64_t count = tare_tensor_count(out);
  out->data = count >= 0 ? malloc((size_t)count * width + 1) : NULL;
  if (!out->data || !fill(proto, (size_t)count, width, out->data)) {
    snprintf(why, size, "the data does not have as many elements as its dims say");
    free(out->data);
    return false;
  }
  return true;
}

static bool write_all(const int fd, const uint8_t *data, size_t size) {
  while (size > 0) {
    const ssize_t n = write(fd, data, size);
    if (n <= 0) {
      return false;
    }
    data += n;
    size -= (size_t)n;
  }
  return true;
}

int model_to_memory(const Onnx__ModelProto *const model, char *const path, const size_t size) {
  const size_t bytes = onnx__model_proto__get_packed_size(model);
  uint8_t *const data = malloc(bytes + 1);
  int fd = data ? memfd_create("model.onnx", MFD_CLOEXEC) : -1;
  if (fd >= 0) {
    onnx__model_proto__pack(model, data);
    snprintf(path, size, "/proc/self/fd/%d", fd);
    if (!write_all(fd, data, bytes)) {
      close(fd);
      fd = -1;
    }
  }
  free(data);
  return fd;
}

/* Element types of ONNX that tare has no tensors of, by number. */
static const char *const others[] = {[8] = "string",
                                     [14] = "complex64",
                                     [15] = "complex128",
                                     [17] = "float8e4m3fn",
                                     [18] = "float8e4m3fnuz",
                                     [19] = "float8e5m2",
                                     [20] = "float8e5m2fnuz",
                                     [21] = "uint4",
                                     [22] = "int4",
                                     [23] = "float4e2m1",
                                     [24] = "float8e8m0",
                                     [25] = "uint2",
                                     [26] = "int2"};

static const char *element_name(const int32_t type) {
  const int n = (int)(sizeof others / sizeof *others);
  if (type > 0 && type < n && others[type]) {
    return others[type];
  }
  return tare_dtype_size((tare_dtype)type) ? tare_dtype_name((tare_dtype)type) : "other";
}

const char *type_name(const Onnx__TypeProto *const type) {
  switch (type ? type->value_case : ONNX__TYPE_PROTO__VALUE__NOT_SET) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
      return element_name(type->tensor_type->elem_type);
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
      return "sequence";
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
      return "optional";
    default:
      return "other";
  }
}

bool type_is_known(const Onnx__TypeProto *const type) {
  return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
         tare_dtype_size((tare_dtype)type->tensor_type->elem_type) > 0;
}
