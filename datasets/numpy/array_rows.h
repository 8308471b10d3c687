/* The elements of one array: all of them, or those of one row along the first axis. */
#ifndef TAREI_DATASETS_NUMPY_ARRAY_ROWS_H
#define TAREI_DATASETS_NUMPY_ARRAY_ROWS_H

#include "base/source.h"
#include "datasets/numpy/npy.h"

typedef struct tarei_array {
  char *name;          /* key of an archive, or a file's name without .npy; owned */
  tarei_source source; /* its own file; empty if it is part of another */
  tarei_packed packed;
  bool opened; /* npy is known */
  tarei_npy npy;
  tarei_unpack *unpack;
  int64_t next_row; /* next row in the order of unpacking */
  void *loaded;     /* the elements of a packed array in Fortran order, when needed */
} tarei_array;

/* Starts at the beginning (again) and reads the header. */
tare_status tarei_array_rewind(tarei_array *array, tare_error *err);

/* Writes `count` widened elements of row i (of the whole array if `rows` is false) in row-major
 * order. These may be fewer than the row has, if its first axis is cut. Rows are usually read in
 * order. */
tare_status tarei_array_read_row(tarei_array *array, bool rows, int64_t i, int64_t count,
                                 int64_t max_elements, void *out, tare_error *err);

/* An array of n integers; free() it. */
tare_status tarei_array_read_lengths(tarei_array *array, int64_t n, int64_t **out, tare_error *err);

#endif
