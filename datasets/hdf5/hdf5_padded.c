/* One matrix for all samples, row i for sample i, cut to a length along the second axis where the
 * file has lengths. */
#include <string.h>

#include "base/mem.h"
#include "datasets/hdf5/hdf5_layout.h"

typedef struct padded {
  tarei_h5_data values;
  tarei_h5_index lengths;
  bool cut; /* by lengths */
} padded;

static void padded_close(void *const state) {
  padded *const p = state;
  tarei_h5_close_data(&p->values);
  tarei_h5_index_close(&p->lengths);
  free(p);
}

static tare_status open_lengths(padded *const p, const hid_t file, const char *const path,
                                tare_error *const err) {
  TAREI_TRY(tarei_h5_index_open(file, path, &p->lengths, err));
  if (p->values.rank < 2) {
    return tarei_fail(err, TARE_E_INPUT, "lengths '%s' without a matrix that they apply to", path);
  }
  if (p->lengths.data.dims[0] != p->values.dims[0]) {
    return tarei_fail(err, TARE_E_INPUT,
                      "'%s' has %lld lengths, expected one for each of %lld rows", path,
                      (long long)p->lengths.data.dims[0], (long long)p->values.dims[0]);
  }
  p->cut = true;
  return TARE_OK;
}

/* A mapping means exactly what it says; without one, the usual names are tried. */
static tare_status hdf5_padded_find_lengths(padded *const p, const tarei_h5_want *const want,
                                            tare_error *const err) {
  static const struct {
    const char *text;
    bool suffix;
  } PLACES[] = {{"_length", true}, {"_lengths", true}, {"length", false}, {"lengths", false}};
  if (want->mapping) {
    const char *const path = want->mapping->lengths;
    return path ? open_lengths(p, want->file, path, err) : TARE_OK;
  }
  for (size_t i = 0; i < sizeof PLACES / sizeof *PLACES && p->values.rank >= 2 && !p->cut; i++) {
    char *const path =
        PLACES[i].suffix ? tarei_h5_join(want->name, PLACES[i].text) : tarei_strdup(PLACES[i].text);
    if (!path) {
      return tarei_fail_memory(err, want->name, strlen(want->name));
    }
    const bool there = strcmp(path, want->name) != 0 && tarei_h5_is_data_set(want->file, path);
    const tare_status status = there ? open_lengths(p, want->file, path, err) : TARE_OK;
    free(path);
    TAREI_TRY(status);
  }
  return TARE_OK;
}

static tare_status padded_bind(const tarei_h5_want *const want, tarei_column *const column,
                               tare_error *const err) {
  const char *const path = want->mapping ? want->mapping->path : want->name;
  if ((want->mapping && want->mapping->offsets) || !tarei_h5_is_data_set(want->file, path)) {
    return TARE_OK;
  }
  padded *const p = tarei_calloc(1, sizeof *p);
  if (!p) {
    return tarei_fail_memory(err, "padded data set", sizeof *p);
  }
  p->values.set = p->values.memory_type = H5I_INVALID_HID;
  p->lengths.data.set = p->lengths.data.memory_type = H5I_INVALID_HID;
  tare_status status = tarei_h5_open_data(want->file, path, &p->values, err);
  if (status == TARE_OK && (p->values.rank < 1 || p->values.vlen)) {
    status = tarei_fail(err, TARE_E_INPUT,
                        "data set '%s' has no axis of samples: expected one row per sample", path);
  }
  if (status == TARE_OK) {
    status = hdf5_padded_find_lengths(p, want, err);
  }
  if (status != TARE_OK) {
    padded_close(p);
    return status;
  }
  column->count = p->values.dims[0];
  column->kind = p->cut ? "padded matrices with lengths" : "rows of fixed length";
  column->state = p;
  return TARE_OK;
}

static tare_status padded_read(tarei_column *const column, const int64_t i,
                               tarei_h5_sample *const out, tare_error *const err) {
  padded *const p = column->state;
  *out = (tarei_h5_sample){.number = p->values.number, .rank = p->values.rank - 1};
  for (int d = 0; d < out->rank; d++) {
    out->dims[d] = p->values.dims[d + 1];
  }
  if (p->cut) {
    int64_t length;
    TAREI_TRY(tarei_h5_index_get(&p->lengths, i, &length, err));
    if (length < 0 || length > out->dims[0]) {
      return tarei_fail(err, TARE_E_INPUT,
                        "length %lld is out of range: expected 0..%lld, the width of the matrix",
                        (long long)length, (long long)out->dims[0]);
    }
    out->dims[0] = length;
  }
  TAREI_TRY(tarei_column_reserve(column, out, err));
  int64_t start[TAREI_H5_MAX_RANK] = {i}, count[TAREI_H5_MAX_RANK] = {1};
  for (int d = 0; d < out->rank; d++) {
    count[d + 1] = out->dims[d];
  }
  return tarei_h5_read_box(&p->values, start, count, column->buffer, err);
}

const tarei_layout tarei_layout_padded = {
    .looks_for = "a matrix '<name>' of one row per sample (cut by lengths, if any)",
    .bind = padded_bind,
    .read = padded_read,
    .close = padded_close,
};
