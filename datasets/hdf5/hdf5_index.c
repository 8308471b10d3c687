#include "datasets/hdf5/hdf5_layout.h"

tare_status tarei_h5_index_open(const hid_t file, const char *const path, tarei_h5_index *const out,
                                tare_error *const err) {
  out->n = 0;
  TAREI_TRY(tarei_h5_open_data(file, path, &out->data, err));
  const tarei_h5_data *const data = &out->data;
  if (data->rank == 1 && !data->vlen &&
      (data->number == TAREI_NUMBER_I64 || data->number == TAREI_NUMBER_U64)) {
    return TARE_OK;
  }
  tarei_h5_index_close(out);
  return tarei_fail(err, TARE_E_INPUT, "data set '%s' is not a list of integers", path);
}

tare_status tarei_h5_index_get(tarei_h5_index *const index, const int64_t i, int64_t *const out,
                               tare_error *const err) {
  if (i < index->first || i >= index->first + index->n) {
    const int64_t left = index->data.dims[0] - i;
    const int64_t n = left < TAREI_INDEX_WINDOW ? left : TAREI_INDEX_WINDOW;
    index->n = 0;
    TAREI_TRY(tarei_h5_read_box(&index->data, &i, &n, index->window, err));
    index->first = i;
    index->n = n;
  }
  /* An unsigned value beyond int64 comes out negative, and so is refused as one. */
  *out = index->window[i - index->first];
  return TARE_OK;
}

void tarei_h5_index_close(tarei_h5_index *const index) {
  tarei_h5_close_data(&index->data);
}
