/* Rows of indices that pick elements along an axis of a tensor: those of GatherElements and
 * ScatterElements. */
#ifndef TAREI_ENGINE_LOWER_MOVE_AXIS_ROWS_H
#define TAREI_ENGINE_LOWER_MOVE_AXIS_ROWS_H

#include "engine/step.h"

#define TAREI_AXIS_PART 512 /* elements of a row that are placed at a time: they stay in L1 */

typedef struct tarei_axis_rows {
  const tare_tensor *x, *indices; /* of one rank, which is at least 1 */
  int axis;
  int64_t n, rows; /* elements of a row, along the last axis, and their number */
  tarei_placing placing;
} tarei_axis_rows;

/* A row begins with element `at` of the indices, and with element `from` of x, were its index 0. */
typedef struct tarei_axis_row {
  int64_t at, from;
} tarei_axis_row;

/* TARE_E_SHAPE where the indices are longer than x along another axis. */
tare_status tarei_axis_rows_read(const tare_tensor *x, const tare_tensor *indices, int axis,
                                 tarei_axis_rows *rows, tare_error *err);

/* Row i in an order in which those of the same elements of x follow each other, as they stand. */
tarei_axis_row tarei_axis_row_of(const tarei_axis_rows *rows, size_t i);

/* Where elements [first, first + n) of a row pick, in elements of x from that on with which element
 * `first` would begin; n is at most TAREI_AXIS_PART. False if an index is out of range. */
bool tarei_axis_row_places(const tarei_axis_rows *rows, const tarei_kernels *kernels,
                           tarei_axis_row row, int64_t first, int64_t n, int64_t *places);

#endif
