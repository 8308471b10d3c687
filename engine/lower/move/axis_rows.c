#include "engine/lower/move/axis_rows.h"

tare_status tarei_axis_rows_read(const tare_tensor *const x, const tare_tensor *const indices,
                                 const int axis, tarei_axis_rows *const rows,
                                 tare_error *const err) {
  const int last = x->rank - 1;
  int64_t stride = 1;
  for (int d = last; d > axis; d--) {
    stride *= x->dims[d];
  }
  for (int d = 0; d <= last; d++) {
    if (d != axis && indices->dims[d] > x->dims[d]) {
      return tarei_fail(err, TARE_E_SHAPE,
                        "axis %d of the indices has length %lld, that of the data %lld", d,
                        (long long)indices->dims[d], (long long)x->dims[d]);
    }
  }
  const int64_t n = indices->dims[last];
  *rows = (tarei_axis_rows){
      .x = x,
      .indices = indices,
      .axis = axis,
      .n = n,
      .rows = n ? tare_tensor_count(indices) / n : 0,
      .placing = {.size = x->dims[axis], .stride = stride, .beside = axis == last ? 0 : 1}};
  return TARE_OK;
}

tarei_axis_row tarei_axis_row_of(const tarei_axis_rows *const rows, size_t i) {
  const int last = rows->x->rank - 1, axis = rows->axis;
  const int64_t *const sizes = rows->indices->dims;
  const size_t along = axis < last ? (size_t)sizes[axis] : 1, step = i % along;
  int64_t at = sizes[last], from = rows->x->dims[last];
  tarei_axis_row row = {0};
  i /= along;
  for (int d = last - 1; d >= 0; d--) {
    const size_t size = d == axis ? 1 : (size_t)sizes[d];
    row.at += (int64_t)(d == axis ? step : i % size) * at;
    row.from += (int64_t)(i % size) * from;
    i /= size;
    at *= sizes[d];
    from *= rows->x->dims[d];
  }
  return row;
}

bool tarei_axis_row_places(const tarei_axis_rows *const rows, const tarei_kernels *const kernels,
                           const tarei_axis_row row, const int64_t first, const int64_t n,
                           int64_t *const places) {
  const tare_tensor *const indices = rows->indices;
  const size_t at = (size_t)(row.at + first) * tare_dtype_size(indices->dtype);
  return kernels->places(indices->dtype, (const char *)indices->data + at, (size_t)n,
                         &rows->placing, places);
}
