/* All samples one behind the other along the first axis, and where they begin (offsets, N + 1 of
 * them) or how long they are (lengths, N of them). */
#include <string.h>

#include "base/mem.h"
#include "datasets/hdf5/hdf5_layout.h"

typedef struct ragged {
  tarei_h5_data values;
  tarei_h5_index index;
  bool offsets;             /* else lengths */
  int64_t next, next_start; /* with lengths: sample `next` begins at row next_start */
} ragged;

static void ragged_close(void *const state) {
  ragged *const r = state;
  tarei_h5_close_data(&r->values);
  tarei_h5_index_close(&r->index);
  free(r);
}

/* Offsets that do not span the values belong to other values. */
static tare_status check_ends(ragged *const r, const char *const path, tare_error *const err) {
  const int64_t n = r->index.data.dims[0];
  if (!r->offsets) {
    return TARE_OK;
  }
  if (n < 1) {
    return tarei_fail(err, TARE_E_INPUT,
                      "offsets '%s' are empty: expected one entry more than samples", path);
  }
  int64_t first, last;
  TAREI_TRY(tarei_h5_index_get(&r->index, 0, &first, err));
  if (first != 0) {
    return tarei_fail(err, TARE_E_INPUT, "offsets '%s' start at %lld, expected 0", path,
                      (long long)first);
  }
  TAREI_TRY(tarei_h5_index_get(&r->index, n - 1, &last, err));
  if (last < r->values.dims[0]) {
    return tarei_fail(err, TARE_E_INPUT,
                      "offsets '%s' end at %lld, expected the number of values, %lld", path,
                      (long long)last, (long long)r->values.dims[0]);
  }
  return TARE_OK;
}

static tare_status hdf5_ragged_make_state(const hid_t file, const char *const values,
                                          const char *const index, const bool offsets,
                                          ragged **const out, tare_error *const err) {
  ragged *const r = tarei_calloc(1, sizeof *r);
  if (!r) {
    return tarei_fail_memory(err, "ragged data set", sizeof *r);
  }
  r->values.set = r->values.memory_type = H5I_INVALID_HID;
  r->index.data.set = r->index.data.memory_type = H5I_INVALID_HID;
  r->offsets = offsets;
  tare_status status = tarei_h5_open_data(file, values, &r->values, err);
  if (status == TARE_OK && (r->values.vlen || r->values.rank < 1)) {
    status = tarei_fail(err, TARE_E_INPUT, "data set '%s' has no axis of values", values);
  }
  if (status == TARE_OK) {
    status = tarei_h5_index_open(file, index, &r->index, err);
  }
  if (status == TARE_OK) {
    status = check_ends(r, index, err);
  }
  if (status != TARE_OK) {
    ragged_close(r);
    return status;
  }
  *out = r;
  return TARE_OK;
}

static tare_status bind_at(const tarei_h5_want *const want, const char *const values,
                           const char *const index, const bool offsets, tarei_column *const column,
                           tare_error *const err) {
  ragged *r = NULL;
  TAREI_TRY(hdf5_ragged_make_state(want->file, values, index, offsets, &r, err));
  column->count = r->index.data.dims[0] - offsets;
  column->kind = offsets ? "ragged values with offsets" : "ragged values with lengths";
  column->state = r;
  return TARE_OK;
}

/* Rows of a data set of numbers, or -1. */
static int64_t hdf5_ragged_rows_of(const hid_t file, const char *const path) {
  tarei_h5_data data;
  if (tarei_h5_open_data(file, path, &data, NULL) != TARE_OK) {
    return -1;
  }
  const int64_t rows = data.rank > 0 && !data.vlen ? data.dims[0] : -1;
  tarei_h5_close_data(&data);
  return rows;
}

/* A data set with as many rows as there are lengths is a padded matrix. */
static bool is_padded(const hid_t file, const char *const values, const char *const lengths) {
  return hdf5_ragged_rows_of(file, values) == hdf5_ragged_rows_of(file, lengths);
}

static tare_status bind_mapped(const tarei_h5_want *const want, tarei_column *const column,
                               tare_error *const err) {
  const tare_mapping *const m = want->mapping;
  if (m->offsets) {
    return bind_at(want, m->path, m->offsets, true, column, err);
  }
  if (!m->lengths || is_padded(want->file, m->path, m->lengths)) {
    return TARE_OK;
  }
  return bind_at(want, m->path, m->lengths, false, column, err);
}

typedef struct hdf5_ragged_place {
  const char *text; /* suffix to the name, or a path of its own */
  bool suffix, offsets;
} hdf5_ragged_place;

static char *place_path(const hdf5_ragged_place *const where, const char *const name) {
  return where->suffix ? tarei_h5_join(name, where->text) : tarei_strdup(where->text);
}

/* Tries the places where an index for these values may stand. */
static tare_status bind_values(const tarei_h5_want *const want, const char *const values,
                               const bool sure, tarei_column *const column, tare_error *const err) {
  static const hdf5_ragged_place INDEXES[] = {{"/offsets", true, true}, {"/lengths", true, false},
                                              {"_offsets", true, true}, {"_lengths", true, false},
                                              {"offsets", false, true}, {"lengths", false, false}};
  for (size_t i = 0; i < sizeof INDEXES / sizeof *INDEXES; i++) {
    char *const index = place_path(&INDEXES[i], want->name);
    if (!index) {
      return tarei_fail_memory(err, want->name, strlen(want->name));
    }
    const bool there = strcmp(index, values) != 0 && tarei_h5_is_data_set(want->file, index) &&
                       (sure || INDEXES[i].offsets || !is_padded(want->file, values, index));
    const tare_status status =
        there ? bind_at(want, values, index, INDEXES[i].offsets, column, err) : TARE_OK;
    free(index);
    if (status != TARE_OK || column->state) {
      return status;
    }
  }
  return sure
             ? tarei_fail(err, TARE_E_INPUT, "values '%s' have neither offsets nor lengths", values)
             : TARE_OK;
}

static tare_status ragged_bind(const tarei_h5_want *const want, tarei_column *const column,
                               tare_error *const err) {
  static const hdf5_ragged_place VALUES[] = {{"/values", true}, {"_values", true}, {"", true}};
  if (want->mapping) {
    return bind_mapped(want, column, err);
  }
  for (size_t i = 0; i < sizeof VALUES / sizeof *VALUES && !column->state; i++) {
    char *const values = place_path(&VALUES[i], want->name);
    if (!values) {
      return tarei_fail_memory(err, want->name, strlen(want->name));
    }
    const bool sure = VALUES[i].text[0] != '\0';
    const tare_status status = tarei_h5_is_data_set(want->file, values)
                                   ? bind_values(want, values, sure, column, err)
                                   : TARE_OK;
    free(values);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status range_by_offsets(ragged *const r, const int64_t i, int64_t *const start,
                                    int64_t *const rows, tare_error *const err) {
  int64_t stop;
  TAREI_TRY(tarei_h5_index_get(&r->index, i, start, err));
  TAREI_TRY(tarei_h5_index_get(&r->index, i + 1, &stop, err));
  if (*start < 0 || stop < *start) {
    return tarei_fail(err, TARE_E_INPUT,
                      "offset %lld is followed by %lld: offsets must not decrease",
                      (long long)*start, (long long)stop);
  }
  *rows = stop - *start;
  return TARE_OK;
}

/* Sums up to sample i. A bad length stops the sum for good: what follows has no known place. */
static tare_status range_by_lengths(ragged *const r, const int64_t i, int64_t *const start,
                                    int64_t *const rows, tare_error *const err) {
  if (i < r->next) {
    r->next = r->next_start = 0;
  }
  for (;;) {
    TAREI_TRY(tarei_h5_index_get(&r->index, r->next, rows, err));
    if (*rows < 0 || *rows > r->values.dims[0] - r->next_start) {
      return tarei_fail(err, TARE_E_INPUT,
                        "length %lld of sample %lld is negative or ends beyond the %lld values",
                        (long long)*rows, (long long)r->next, (long long)r->values.dims[0]);
    }
    if (r->next == i) {
      *start = r->next_start;
      return TARE_OK;
    }
    r->next_start += *rows;
    r->next++;
  }
}

static tare_status ragged_read(tarei_column *const column, const int64_t i,
                               tarei_h5_sample *const out, tare_error *const err) {
  ragged *const r = column->state;
  int64_t start[TAREI_H5_MAX_RANK] = {0}, rows;
  TAREI_TRY((r->offsets ? range_by_offsets : range_by_lengths)(r, i, &start[0], &rows, err));
  if (rows > r->values.dims[0] - start[0]) {
    return tarei_fail(err, TARE_E_INPUT, "offset %lld is beyond the %lld values",
                      (long long)(start[0] + rows), (long long)r->values.dims[0]);
  }
  *out = (tarei_h5_sample){.number = r->values.number, .rank = r->values.rank};
  memcpy(out->dims, r->values.dims, sizeof out->dims);
  out->dims[0] = rows;
  TAREI_TRY(tarei_column_reserve(column, out, err));
  return tarei_h5_read_box(&r->values, start, out->dims, column->buffer, err);
}

const tarei_layout tarei_layout_ragged = {
    .looks_for = "'<name>/values' or '<name>_values' with offsets or lengths",
    .bind = ragged_bind,
    .read = ragged_read,
    .close = ragged_close,
};
