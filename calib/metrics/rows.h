/* Iterates over the rows (last axis) of the valid part of a tensor. */
#ifndef TAREI_CALIB_METRICS_ROWS_H
#define TAREI_CALIB_METRICS_ROWS_H

#include <stdbool.h>
#include <tare/tensor.h>

#include "base/str.h"

typedef struct tarei_rows {
  int rank;                       /* of the tensor */
  int64_t extents[TARE_MAX_RANK]; /* valid extents of the axes before the last */
  int64_t strides[TARE_MAX_RANK]; /* in elements */
  int64_t index[TARE_MAX_RANK];   /* of the current row */
  int64_t length;                 /* valid elements of each row */
  bool started, empty;
} tarei_rows;

/* Extents are clipped to the dims. A scalar is one row of one element. */
void tarei_rows_begin(const tare_tensor *tensor, const int64_t *extents, tarei_rows *rows);

/* Returns the offset of the first element of the next row, in row-major order; false at the end. */
bool tarei_rows_next(tarei_rows *rows, int64_t *offset);

/* Position of the largest of n elements from `offset` on, the first of equal ones; never a NaN. */
int64_t tarei_argmax(const tare_tensor *values, int64_t offset, int64_t n);

/* Adds the position of the largest element of each row: "3 17 4"; of many rows the first ones. */
void tarei_rows_read(const tare_tensor *tensor, const int64_t *extents, tarei_str *out);

/* Whether element `index` of n from `offset` on is among the k largest, where the first of equal
 * ones comes first; a NaN never is. */
bool tarei_is_among(const tare_tensor *values, int64_t offset, int64_t n, int64_t index, int64_t k);

#endif
