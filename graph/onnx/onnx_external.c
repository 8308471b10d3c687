#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "graph/onnx/importer.h"

void tarei_externals_fini(tarei_externals *const externals) {
  for (int i = 0; i < externals->n_files; i++) {
    tarei_mapped_release(externals->files[i].mapped);
    free(externals->files[i].location);
  }
  for (int i = 0; i < externals->n_folders; i++) {
    free(externals->folders[i]);
  }
  free(externals->folders);
  free(externals->files);
  *externals = (tarei_externals){0};
}

/* Where the bytes are. */
typedef struct onnx_external_place {
  const char *location;
  uint64_t offset, length;
  bool has_length;
} onnx_external_place;

static tare_status onnx_external_read_number(const char *const key, const char *const text,
                                             uint64_t *const out, tare_error *const err) {
  *out = 0;
  bool good = *text != 0;
  for (const char *c = text; good && *c; c++) {
    good = *c >= '0' && *c <= '9' && !__builtin_mul_overflow(*out, 10u, out) &&
           !__builtin_add_overflow(*out, (uint64_t)(*c - '0'), out);
  }
  return good ? TARE_OK
              : tarei_fail(err, TARE_E_MODEL,
                           "external data: expected a byte count as %s, got '%.64s'", key, text);
}

static tare_status read_place(const Onnx__TensorProto *const proto, onnx_external_place *const out,
                              tare_error *const err) {
  *out = (onnx_external_place){.location = ""};
  for (size_t i = 0; i < proto->n_external_data; i++) {
    const char *const key = tarei_onnx_text(proto->external_data[i]->key);
    const char *const value = tarei_onnx_text(proto->external_data[i]->value);
    if (strcmp(key, "location") == 0) {
      out->location = value;
    } else if (strcmp(key, "offset") == 0) {
      TAREI_TRY(onnx_external_read_number(key, value, &out->offset, err));
    } else if (strcmp(key, "length") == 0) {
      TAREI_TRY(onnx_external_read_number(key, value, &out->length, err));
      out->has_length = true;
    }
  }
  return *out->location ? TARE_OK
                        : tarei_fail(err, TARE_E_MODEL, "external data without a location");
}

/* A relative path none of whose parts is "..". */
static bool stays_inside(const char *const location) {
  for (const char *part = location; *part;) {
    const size_t length = strcspn(part, "/\\");
    if (length == 2 && part[0] == '.' && part[1] == '.') {
      return false;
    }
    part += length + (part[length] != 0);
  }
  return location[0] != '/' && location[0] != '\\';
}

static tare_status onnx_external_map_file(tarei_externals *const externals,
                                          const char *const location, tarei_mapped **const out,
                                          tare_error *const err) {
  if (!TAREI_GROW(externals->files, externals->n_files, externals->cap_files)) {
    return tarei_fail_memory(err, location, sizeof *externals->files);
  }
  char *path = NULL;
  tarei_source source = {0};
  TAREI_TRY(tarei_external_path(externals, location, &path, err));
  const tare_status status = tarei_source_open(path, &source, err);
  free(path);
  TAREI_TRY(status);
  char *const copy = tarei_strdup(location);
  *out = copy ? tarei_mapped_new(&source) : NULL;
  if (!*out) {
    free(copy);
    tarei_source_close(&source);
    return tarei_fail_memory(err, location, sizeof **out);
  }
  externals->files[externals->n_files++] =
      (struct tarei_external){.location = copy, .mapped = *out};
  return TARE_OK;
}

static tare_status find_file(tarei_externals *const externals, const char *const location,
                             tarei_mapped **const out, tare_error *const err) {
  for (int i = 0; i < externals->n_files; i++) {
    if (strcmp(externals->files[i].location, location) == 0) {
      *out = externals->files[i].mapped;
      return TARE_OK;
    }
  }
  if (!stays_inside(location)) {
    return tarei_fail(err, TARE_E_INPUT,
                      "external data '%.256s': the path leaves the model's folder", location);
  }
  if (!externals->path) {
    return tarei_fail(err, TARE_E_INPUT,
                      "external data '%.256s': the model was not read from a file", location);
  }
  return onnx_external_map_file(externals, location, out, err);
}

tare_status tarei_onnx_external(tarei_externals *const externals,
                                const Onnx__TensorProto *const proto, const size_t bytes,
                                const size_t align, tarei_buffer **const buffer,
                                tare_error *const err) {
  onnx_external_place at;
  tarei_mapped *mapped = NULL;
  TAREI_TRY(read_place(proto, &at, err));
  TAREI_TRY(find_file(externals, at.location, &mapped, err));
  const size_t size = mapped->source.size;
  if (at.has_length && at.length != bytes) {
    return tarei_fail(err, TARE_E_MODEL, "needs %zu bytes, but its external data has length %llu",
                      bytes, (unsigned long long)at.length);
  }
  if (at.offset > size || bytes > size - at.offset) {
    return tarei_fail(err, TARE_E_INPUT,
                      "needs %zu bytes at offset %llu of '%.256s', which has %zu bytes", bytes,
                      (unsigned long long)at.offset, at.location, size);
  }
  const uint8_t *const data = bytes ? mapped->source.data + at.offset : NULL;
  if (bytes && (uintptr_t)data % align == 0) {
    *buffer = tarei_buffer_view(mapped, data, bytes);
  } else {
    *buffer = tarei_buffer_new(bytes);
    if (*buffer && bytes) {
      memcpy((*buffer)->data, data, bytes);
    }
  }
  return *buffer ? TARE_OK : tarei_fail_memory(err, at.location, bytes);
}
