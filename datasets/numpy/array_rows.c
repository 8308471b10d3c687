#include "datasets/numpy/array_rows.h"

#include "base/mem.h"

tare_status tarei_array_rewind(tarei_array *const array, tare_error *const err) {
  tarei_unpack_free(&array->unpack);
  TAREI_TRY(tarei_unpack_new(&array->packed, &array->unpack, err));
  TAREI_TRY(tarei_npy_open(array->unpack, &array->npy, err));
  array->next_row = 0;
  array->opened = true;
  return TARE_OK;
}

static tare_status allocate(const int64_t count, const size_t size, void **const out,
                            tare_error *const err) {
  *out = tarei_alloc_aligned((size_t)count, size);
  return *out ? TARE_OK : tarei_fail_memory(err, "an array", (size_t)count * size);
}

/* Elements of a row; a set that has rows has an axis for them. */
static int64_t row_elements(const tarei_npy *const npy, const bool rows) {
  return rows ? (npy->dims[0] ? npy->count / npy->dims[0] : 0) : npy->count;
}

/* `count` elements, widened. */
static tare_status array_rows_take(tarei_array *const array, const int64_t count, void *const out,
                                   tare_error *const err) {
  const tarei_npy *const npy = &array->npy;
  const size_t bytes = (size_t)count * npy->element_bytes;
  if (tarei_npy_is_wide(npy)) {
    return tarei_unpack_read(array->unpack, out, bytes, err);
  }
  void *raw;
  TAREI_TRY(allocate(count, npy->element_bytes, &raw, err));
  const tare_status status = tarei_unpack_read(array->unpack, raw, bytes, err);
  if (status == TARE_OK) {
    tarei_npy_widen(npy, raw, count, 1, out);
  }
  free(raw);
  return status;
}

static tare_status read_in_order(tarei_array *const array, const bool rows, const int64_t i,
                                 const int64_t count, void *const out, tare_error *const err) {
  const tarei_npy *const npy = &array->npy;
  if (i < array->next_row) {
    TAREI_TRY(tarei_array_rewind(array, err));
  }
  const size_t size = npy->element_bytes;
  const size_t row = (size_t)row_elements(npy, rows) * size, wanted = (size_t)count * size;
  const size_t before = (size_t)(i - array->next_row) * row;
  array->next_row = INT64_MAX; /* after a failure, where it stands is not known */
  TAREI_TRY(tarei_unpack_read(array->unpack, NULL, before, err));
  TAREI_TRY(array_rows_take(array, count, out, err));
  TAREI_TRY(tarei_unpack_read(array->unpack, NULL, row - wanted, err));
  array->next_row = i + 1;
  return TARE_OK;
}

/* The elements of an array in Fortran order, as they are stored. */
static tare_status array_rows_load(tarei_array *const array, const int64_t max_elements,
                                   const uint8_t **const out, tare_error *const err) {
  const tarei_npy *const npy = &array->npy;
  const size_t bytes = (size_t)npy->count * npy->element_bytes;
  if (!array->packed.deflated) {
    *out = array->packed.data + (array->packed.size - bytes);
    return TARE_OK;
  }
  if (!array->loaded) {
    if (npy->count > max_elements) {
      return tarei_fail(err, TARE_E_INPUT,
                        "compressed and in Fortran order, so it is unpacked as a whole: %lld "
                        "elements, more than the %lld that max-elements allows",
                        (long long)npy->count, (long long)max_elements);
    }
    TAREI_TRY(tarei_array_rewind(array, err));
    void *bytes_of_all;
    TAREI_TRY(allocate(npy->count, npy->element_bytes, &bytes_of_all, err));
    const tare_status status = tarei_unpack_read(array->unpack, bytes_of_all, bytes, err);
    if (status != TARE_OK) {
      free(bytes_of_all);
      return status;
    }
    array->loaded = bytes_of_all;
  }
  *out = array->loaded;
  return TARE_OK;
}

/* Walks over the row in row-major order; the last axis is a strided run. */
static void array_rows_gather(const tarei_npy *const npy, const uint8_t *const base,
                              const bool rows, const int64_t i, const int64_t count,
                              uint8_t *const out) {
  int64_t strides[TAREI_NPY_MAX_RANK], at[TAREI_NPY_MAX_RANK] = {0};
  for (int d = 0; d < npy->rank; d++) {
    strides[d] = d ? strides[d - 1] * npy->dims[d - 1] : 1;
  }
  const int first = rows, last = npy->rank - 1;
  const bool runs = last >= first;
  const int64_t run = !runs ? 1 : npy->dims[last] < count ? npy->dims[last] : count;
  const size_t wide = tarei_number_size(npy->number);
  int64_t offset = rows ? i : 0;
  for (int64_t done = 0; done < count; done += run) {
    tarei_npy_widen(npy, base + (size_t)offset * npy->element_bytes, run, runs ? strides[last] : 1,
                    out + (size_t)done * wide);
    for (int d = last - 1; d >= first; d--) {
      offset += strides[d];
      if (++at[d] < npy->dims[d]) {
        break;
      }
      offset -= strides[d] * npy->dims[d];
      at[d] = 0;
    }
  }
}

tare_status tarei_array_read_row(tarei_array *const array, const bool rows, const int64_t i,
                                 const int64_t count, const int64_t max_elements, void *const out,
                                 tare_error *const err) {
  if (!array->npy.fortran || array->npy.rank < 2) {
    return read_in_order(array, rows, i, count, out, err);
  }
  const uint8_t *base = NULL;
  TAREI_TRY(array_rows_load(array, max_elements, &base, err));
  array_rows_gather(&array->npy, base, rows, i, count, out);
  return TARE_OK;
}

tare_status tarei_array_read_lengths(tarei_array *const array, const int64_t n, int64_t **const out,
                                     tare_error *const err) {
  TAREI_TRY(array->opened ? TARE_OK : tarei_array_rewind(array, err));
  if (array->npy.rank != 1 || array->npy.dims[0] != n || array->npy.number != TAREI_NUMBER_I64) {
    return tarei_fail(err, TARE_E_INPUT, "expected %lld integers, one per row", (long long)n);
  }
  void *values;
  TAREI_TRY(allocate(n, sizeof(int64_t), &values, err));
  const tare_status status = tarei_array_read_row(array, false, 0, n, n, values, err);
  if (status != TARE_OK) {
    free(values);
    return status;
  }
  *out = values;
  return TARE_OK;
}
