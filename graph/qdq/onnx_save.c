/* Writing: the message, and a file with data beside it. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "graph/qdq/onnx_file.h"

enum {
  SMALL = 1024,
  PAGE = 4096
}; /* bytes of a tensor that stays in the model; engines map pages */

/* Where a tensor's data is, as ONNX writes it. */
typedef struct data_place {
  Onnx__StringStringEntryProto entries[3], *list[3];
  char offset[24], length[24];
} data_place;

/* A tensor that was moved out of the model for writing. */
typedef struct moved_tensor {
  Onnx__TensorProto *tensor;
  ProtobufCBinaryData raw;
  data_place *place;
} moved_tensor;

typedef struct data_file {
  tarei_outfile out;
  char *location; /* name of the file without its folder */
  moved_tensor *moved;
  int n_moved;
  size_t cap_moved;
} data_file;

static void fill_place(data_place *const place, char *const location, const uint64_t offset,
                       const size_t length) {
  static const char *const KEYS[3] = {"location", "offset", "length"};
  snprintf(place->offset, sizeof place->offset, "%" PRIu64, offset);
  snprintf(place->length, sizeof place->length, "%zu", length);
  char *const values[3] = {location, place->offset, place->length};
  for (int i = 0; i < 3; i++) {
    onnx__string_string_entry_proto__init(&place->entries[i]);
    place->entries[i].key = (char *)KEYS[i];
    place->entries[i].value = values[i];
    place->list[i] = &place->entries[i];
  }
}

static tare_status move_tensor(data_file *const data, Onnx__TensorProto *const tensor,
                               tare_error *const err) {
  if (!tensor->has_raw_data || tensor->raw_data.len < SMALL) {
    return TARE_OK;
  }
  data_place *const place = tarei_calloc(1, sizeof *place);
  if (!place || !TAREI_GROW(data->moved, data->n_moved, data->cap_moved)) {
    free(place);
    return tarei_fail_memory(err, "external data", sizeof *place);
  }
  const uint64_t offset = (data->out.size + PAGE - 1) / PAGE * PAGE;
  fill_place(place, data->location, offset, tensor->raw_data.len);
  tarei_outfile_write_at(&data->out, offset, tensor->raw_data.data, tensor->raw_data.len);
  data->moved[data->n_moved++] = (moved_tensor){tensor, tensor->raw_data, place};
  tensor->has_raw_data = false;
  tensor->raw_data = (ProtobufCBinaryData){0};
  tensor->n_external_data = 3;
  tensor->external_data = place->list;
  tensor->has_data_location = true;
  tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
  return tarei_outfile_check(&data->out, err);
}

static void move_back(data_file *const data) {
  for (int i = 0; i < data->n_moved; i++) {
    Onnx__TensorProto *const tensor = data->moved[i].tensor;
    tensor->has_raw_data = true;
    tensor->raw_data = data->moved[i].raw;
    tensor->n_external_data = 0;
    tensor->external_data = NULL;
    tensor->has_data_location = false;
    tensor->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__DEFAULT;
    free(data->moved[i].place);
  }
  free(data->moved);
  free(data->location);
}

/* Writes the message to a file that is still to be committed, in one block: packing piece by piece
 * loses bytes where memory ends. */
static tare_status write_message(const tarei_onnx_file *const file, const char *const path,
                                 tarei_outfile *const out, tare_error *const err) {
  const size_t size = onnx__model_proto__get_packed_size(file->model);
  if (size > INT32_MAX) {
    return tarei_fail(err, TARE_E_LIMIT,
                      "%s: the model has %zu bytes besides its external data, the limit of ONNX "
                      "files is 2 GiB",
                      path, size);
  }
  uint8_t *const bytes = tarei_calloc(size, 1);
  if (!bytes) {
    return tarei_fail_memory(err, path, size);
  }
  onnx__model_proto__pack(file->model, bytes);
  tare_status status = tarei_outfile_open(path, out, err);
  if (status == TARE_OK) {
    tarei_outfile_write(out, bytes, size);
    status = tarei_outfile_sync(out, err);
  }
  free(bytes);
  return status;
}

static tare_status open_data_file(const char *const path, data_file *const data,
                                  tare_error *const err) {
  tarei_str name = {0};
  tarei_str_add(&name, "%s.data", path);
  const char *const slash = strrchr(tarei_str_get(&name), '/');
  data->location = tarei_strdup(slash ? slash + 1 : tarei_str_get(&name));
  tare_status status =
      name.failed || !data->location ? tarei_fail_memory(err, path, strlen(path)) : TARE_OK;
  if (status == TARE_OK) {
    status = tarei_outfile_open(tarei_str_get(&name), &data->out, err);
  }
  tarei_str_free(&name);
  return status;
}

/* Both files are whole before one of them takes its name: a model of before would read the data of
 * this one. */
static tare_status save_beside(tarei_onnx_file *const file, const char *const path,
                               tare_error *const err) {
  data_file data = {0};
  tarei_outfile message = {0};
  tare_status status = open_data_file(path, &data, err);
  Onnx__GraphProto *const graph = file->model->graph;
  for (size_t i = 0; status == TARE_OK && i < graph->n_initializer; i++) {
    status = move_tensor(&data, graph->initializer[i], err);
  }
  if (status == TARE_OK) {
    status = write_message(file, path, &message, err);
  }
  if (status == TARE_OK) {
    status = tarei_outfile_commit(&data.out, err);
  }
  if (status == TARE_OK) {
    status = tarei_outfile_commit(&message, err);
  }
  tarei_outfile_abort(&message);
  tarei_outfile_abort(&data.out);
  move_back(&data);
  return status;
}

static tare_status save_alone(const tarei_onnx_file *const file, const char *const path,
                              tare_error *const err) {
  tarei_outfile out = {0};
  const tare_status status = write_message(file, path, &out, err);
  if (status != TARE_OK) {
    tarei_outfile_abort(&out);
    return status;
  }
  return tarei_outfile_commit(&out, err);
}

tare_status tarei_onnx_file_save(tarei_onnx_file *const file, const char *const path,
                                 const int64_t most, bool *const external, tare_error *const err) {
  const size_t room = most > 0 && most < INT32_MAX ? (size_t)most : INT32_MAX;
  *external = onnx__model_proto__get_packed_size(file->model) > room;
  return *external ? save_beside(file, path, err) : save_alone(file, path, err);
}
