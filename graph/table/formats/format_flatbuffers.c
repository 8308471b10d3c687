/*
 * The calibration table of ONNX Runtime's TensorRT provider: a FlatBuffers file of the schema
 * "table KeyValue {key: string; value: string;} table TrtTable {dict: [KeyValue];}". Keys are
 * tensors, values thresholds as decimal text.
 *
 * Files are written from their end, as the FlatBuffers builder does, with the same bytes as those
 * of ONNX Runtime's tools. Offsets of files that are read are checked before they are followed.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/outfile.h"
#include "graph/table/formats/format.h"
#include "graph/table/formats/json_source.h"
#include "graph/table/formats/threshold_text.h"

/* --- reading ---------------------------------------------------------------------------------- */

typedef struct flat_file {
  const uint8_t *data;
  size_t size;
} flat_file;

static bool flat_u16(const flat_file *const f, const size_t at, size_t *const out) {
  if (at > f->size || f->size - at < 2) {
    return false;
  }
  *out = (size_t)f->data[at] | (size_t)f->data[at + 1] << 8;
  return true;
}

static bool flat_u32(const flat_file *const f, const size_t at, uint32_t *const out) {
  if (at > f->size || f->size - at < 4) {
    return false;
  }
  *out = 0;
  for (int i = 3; i >= 0; i--) {
    *out = *out << 8 | f->data[at + (size_t)i];
  }
  return true;
}

/* Follows an offset to what is behind it. */
static bool flat_follow(const flat_file *const f, const size_t at, size_t *const out) {
  uint32_t offset = 0;
  if (!flat_u32(f, at, &offset) || offset == 0 || offset > f->size - at) {
    return false;
  }
  *out = at + offset;
  return true;
}

/* Finds what field `field` of the table at `table` refers to. A table begins with the distance back
 * to its list of fields, which holds its own size, that of the table, and where each field is. */
static bool flat_field(const flat_file *const f, const size_t table, const size_t field,
                       size_t *const out) {
  uint32_t back = 0;
  size_t bytes = 0, place = 0;
  if (!flat_u32(f, table, &back)) {
    return false;
  }
  const int64_t fields = (int64_t)table - (int32_t)back;
  if (fields < 0 || (uint64_t)fields >= f->size || !flat_u16(f, (size_t)fields, &bytes) ||
      bytes < 4 + 2 * (field + 1) || !flat_u16(f, (size_t)fields + 4 + 2 * field, &place)) {
    return false;
  }
  return place != 0 && flat_follow(f, table + place, out);
}

/* A list of texts or tables; `bytes` is the size of an element. */
static bool flat_vector(const flat_file *const f, const size_t at, const size_t bytes,
                        uint32_t *const n) {
  return flat_u32(f, at, n) && (uint64_t)*n * bytes <= f->size - at - 4;
}

static bool flat_text(const flat_file *const f, const size_t at, char **const out,
                      size_t *const room) {
  uint32_t n = 0;
  const bool fits = flat_vector(f, at, 1, &n) && n < f->size - at - 4 && n <= *room;
  const uint8_t *const text = fits ? f->data + at + 4 : NULL;
  if (!text || memchr(text, '\0', n) || text[n] != '\0') {
    return false;
  }
  *room -= n; /* texts do not overlap: together they are no longer than the file */
  *out = tarei_strndup((const char *)text, n);
  return true;
}

static tare_status flat_fail(const tarei_source *const source, const uint32_t entry,
                             const char *const what, tare_error *const err) {
  return tarei_fail(err, TARE_E_INPUT, "%s: entry %u: %s is missing, malformed, or truncated",
                    source->name, entry, what);
}

static tare_status flat_read_texts(const tarei_source *const source, const uint32_t entry,
                                   const char *const key, const char *const value,
                                   tare_table *const table, tare_error *const err) {
  if (!key || !value) {
    return tarei_fail_memory(err, "a tensor name", source->size);
  }
  if (!*key) {
    return flat_fail(source, entry, "the key", err);
  }
  double amax = 0;
  TAREI_TRY(tarei_threshold_read(source, key, value, &amax, err));
  const tarei_cell cell = tarei_cell_unknown(amax);
  return tarei_table_add_tensor(table, key, NULL, &cell, err);
}

static tare_status flat_read_entry(const tarei_source *const source, const size_t at,
                                   const uint32_t entry, size_t *const room,
                                   tare_table *const table, tare_error *const err) {
  const flat_file f = {source->data, source->size};
  size_t pair = 0, key_at = 0, value_at = 0, digits = 400; /* more than a double has */
  char *key = NULL, *value = NULL;
  if (!flat_follow(&f, at, &pair) || !flat_field(&f, pair, 0, &key_at) ||
      !flat_field(&f, pair, 1, &value_at)) {
    return flat_fail(source, entry, "the pair", err);
  }
  if (!flat_text(&f, key_at, &key, room)) {
    return flat_fail(source, entry, "the key", err);
  }
  const tare_status status = flat_text(&f, value_at, &value, &digits)
                                 ? flat_read_texts(source, entry, key, value, table, err)
                                 : flat_fail(source, entry, "the value", err);
  free(key);
  free(value);
  return status;
}

static tare_status format_flatbuffers_read(const tarei_source *const source, tare_table **const out,
                                           tare_error *const err) {
  const flat_file f = {source->data, source->size};
  size_t root = 0, dict = 0, room = source->size;
  uint32_t n = 0;
  TAREI_TRY(tarei_table_new("", 1, out, err));
  if (!flat_follow(&f, 0, &root) || !flat_field(&f, root, 0, &dict) ||
      !flat_vector(&f, dict, 4, &n)) {
    return tarei_fail(err, TARE_E_INPUT, "%s: the list of tensors is malformed, or truncated",
                      source->name);
  }
  if (n == 0) {
    return tarei_fail(err, TARE_E_INPUT, "%s: no thresholds in this file", source->name);
  }
  for (uint32_t i = n; i-- > 0;) { /* the builder's list is the last one first */
    TAREI_TRY(flat_read_entry(source, dict + 4 + 4 * (size_t)i, i, &room, *out, err));
  }
  return tarei_table_finish(*out, source->name, err);
}

/* A root nearby that is a table of one field. */
static bool format_flatbuffers_recognizes(const uint8_t *const data, const size_t n) {
  const flat_file f = {data, n};
  uint32_t back = 0;
  size_t root = 0, bytes = 0, size = 0;
  if (!flat_follow(&f, 0, &root) || root > 48 || !flat_u32(&f, root, &back)) {
    return false;
  }
  const int64_t fields = (int64_t)root - (int32_t)back;
  return fields >= 4 && (uint64_t)fields < n && flat_u16(&f, (size_t)fields, &bytes) &&
         flat_u16(&f, (size_t)fields + 2, &size) && bytes == 6 && size == 8;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* What is written, from the end of the file: bytes[room - n .. room]. */
typedef struct flat_out {
  uint8_t *bytes;
  size_t room, n;
} flat_out;

static void flat_put(flat_out *const o, const void *const data, const size_t size) {
  o->n += size;
  memcpy(o->bytes + (o->room - o->n), data, size);
}

static void flat_put_number(flat_out *const o, const uint32_t value, const int bytes) {
  for (int i = bytes - 1; i >= 0; i--) {
    const uint8_t byte = (uint8_t)(value >> (8 * i));
    flat_put(o, &byte, 1);
  }
}

/* Zeros, so that `more` bytes from here on end aligned. */
static void flat_align(flat_out *const o, const size_t to, const size_t more) {
  while ((o->n + more) % to != 0) {
    flat_put_number(o, 0, 1);
  }
}

static size_t flat_put_text(flat_out *const o, const char *const text) {
  const size_t n = strlen(text);
  flat_align(o, 4, n + 1);
  flat_put(o, text, n + 1);
  flat_put_number(o, (uint32_t)n, 4);
  return o->n;
}

static size_t flat_put_offset(flat_out *const o, const size_t to) {
  flat_put_number(o, (uint32_t)(o->n + 4 - to), 4);
  return o->n;
}

/* Ends a table of `n` offsets, which stand behind each other. Its list of fields is at *fields, or
 * is written, where that is 0. */
static size_t flat_end_table(flat_out *const o, const uint32_t n, size_t *const fields) {
  flat_put_number(o, 0, 4);
  const size_t table = o->n;
  if (*fields == 0) {
    for (uint32_t i = 0; i < n; i++) {
      flat_put_number(o, 4 + 4 * i, 2);
    }
    flat_put_number(o, 4 + 4 * n, 2);
    flat_put_number(o, 4 + 2 * n, 2);
    *fields = o->n;
  }
  const uint32_t back = (uint32_t)*fields - (uint32_t)table; /* may be negative */
  for (int i = 0; i < 4; i++) {
    o->bytes[o->room - table + (size_t)i] = (uint8_t)(back >> (8 * i));
  }
  return table;
}

static size_t flat_put_pair(flat_out *const o, const char *const key, const char *const value,
                            size_t *const fields) {
  const size_t key_at = flat_put_text(o, key);
  const size_t value_at = flat_put_text(o, value);
  (void)flat_put_offset(o, key_at);
  (void)flat_put_offset(o, value_at);
  return flat_end_table(o, 2, fields);
}

static bool flat_is_live(const tarei_table_tensor *const tensor, const int column) {
  return tensor->cells[column].amax >= tarei_table_least_amax();
}

static tare_status flat_put_table(flat_out *const o, const tare_table *const table,
                                  const int column, size_t *const pairs, tare_error *const err) {
  size_t fields = 0, root_fields = 0;
  uint32_t n = 0;
  for (int i = 0; i < table->n_tensors; i++) {
    const tarei_table_tensor *const tensor = &table->tensors[i];
    if (!flat_is_live(tensor, column)) {
      continue;
    }
    tarei_str value = {0};
    tarei_python_number(&value, tensor->cells[column].amax);
    if (!value.failed) {
      pairs[n++] = flat_put_pair(o, tensor->name, value.text, &fields);
    }
    const bool failed = value.failed;
    tarei_str_free(&value);
    if (failed) {
      return tarei_fail_memory(err, "a threshold", 40);
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    (void)flat_put_offset(o, pairs[i]);
  }
  flat_put_number(o, n, 4);
  const size_t dict = o->n;
  (void)flat_put_offset(o, dict);
  const size_t root = flat_end_table(o, 1, &root_fields);
  flat_align(o, 4, 4);
  (void)flat_put_offset(o, root);
  return TARE_OK;
}

/* Enough for each text, aligned, and for 40 digits of each number. */
static size_t flat_room(const tare_table *const table) {
  size_t room = 64;
  for (int i = 0; i < table->n_tensors; i++) {
    room += strlen(table->tensors[i].name) + 80;
  }
  return room;
}

static tare_status format_flatbuffers_write(const tare_table *const table,
                                            const tarei_table_job *const job,
                                            tare_error *const err) {
  flat_out o = {.room = flat_room(table)};
  if (o.room > INT32_MAX) {
    return tarei_fail(err, TARE_E_UNSUPPORTED, "%s: the table exceeds 2 GB", job->path);
  }
  o.bytes = tarei_calloc(o.room, 1);
  size_t *const pairs = tarei_calloc((size_t)table->n_tensors + 1, sizeof *pairs);
  tare_status status = o.bytes && pairs ? flat_put_table(&o, table, job->column, pairs, err)
                                        : tarei_fail_memory(err, job->path, o.room);
  if (status == TARE_OK) {
    status = tarei_outfile_save(job->path, o.bytes + (o.room - o.n), o.n, err);
  }
  free(o.bytes);
  free(pairs);
  return status;
}

static bool format_flatbuffers_holds(const tare_table *const table, const tarei_table_part part,
                                     const char *const *const values) {
  (void)table;
  (void)part;
  (void)values;
  return false; /* names and thresholds are all */
}

const tarei_table_format tarei_table_format_flatbuffers = {
    .about = {.name = "flatbuffers",
              .noun = "a table of ONNX Runtime's TensorRT provider",
              .extension = ".flatbuffers",
              .engine = "TensorRT"},
    .mark = "a FlatBuffers table of key and value",
    .recognizes = format_flatbuffers_recognizes,
    .read = format_flatbuffers_read,
    .holds = format_flatbuffers_holds,
    .write = format_flatbuffers_write};
