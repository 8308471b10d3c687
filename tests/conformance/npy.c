#include "conformance/npy.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/proto.h"

static const struct {
  const char *text;
  tare_dtype dtype;
} types[] = {{"<f4", TARE_F32}, {"<f8", TARE_F64}, {"<f2", TARE_F16}, {"|i1", TARE_I8},
             {"<i2", TARE_I16}, {"<i4", TARE_I32}, {"<i8", TARE_I64}, {"|u1", TARE_U8},
             {"<u2", TARE_U16}, {"<u4", TARE_U32}, {"<u8", TARE_U64}, {"|b1", TARE_BOOL}};

/* What follows "'key':" in the header's text, or NULL. */
static const char *find_key(const char *const header, const char *const key) {
  const char *const at = strstr(header, key);
  return at ? at + strlen(key) + strspn(at + strlen(key), " ") : NULL;
}

static bool read_type(const char *const header, tare_tensor *const out) {
  const char *const text = find_key(header, "'descr':");
  const char *const order = find_key(header, "'fortran_order':");
  for (size_t i = 0; text && i < sizeof types / sizeof *types; i++) {
    if (strncmp(text + 1, types[i].text, strlen(types[i].text)) == 0) {
      out->dtype = types[i].dtype;
    }
  }
  return out->dtype && order && strncmp(order, "False", 5) == 0;
}

static bool read_dims(const char *const header, tare_tensor *const out) {
  const char *at = find_key(header, "'shape':");
  if (!at || *at++ != '(') {
    return false;
  }
  while (at[strspn(at, ", ")] != ')') {
    char *end;
    at += strspn(at, ", ");
    const long long dim = strtoll(at, &end, 10);
    if (end == at || dim < 0 || out->rank == TARE_MAX_RANK) {
      return false;
    }
    out->dims[out->rank++] = dim;
    at = end;
  }
  return true;
}

/* The header's text ends with a line; data follow. */
static bool read_array(const char *const file, const size_t size, char *const header,
                       tare_tensor *const out) {
  const bool is_npy = size >= 12 && memcmp(file, "\x93NUMPY", 6) == 0;
  const size_t start = is_npy && file[6] == 1 ? 10 : 12;
  uint32_t length = 0;
  if (is_npy) {
    memcpy(&length, file + 8, start - 8);
  }
  if (!is_npy || length > size - start) {
    return false;
  }
  memcpy(header, file + start, length);
  header[length] = 0;
  if (!read_type(header, out) || !read_dims(header, out)) {
    return false;
  }
  const int64_t count = tare_tensor_count(out);
  const size_t bytes = size - start - length, width = tare_dtype_size(out->dtype);
  if (count < 0 || bytes / width != (size_t)count || bytes % width != 0) {
    return false;
  }
  out->data = malloc(bytes + 1);
  if (out->data) {
    memcpy(out->data, file + start + length, bytes);
  }
  return out->data;
}

bool read_npy(const char *const path, tare_tensor *const out) {
  size_t size = 0;
  *out = (tare_tensor){0};
  char *const file = read_file(path, &size);
  char *const header = file ? malloc(size + 1) : NULL;
  const bool good = header && read_array(file, size, header, out);
  free(header);
  free(file);
  return good;
}
