/* What a set of NumPy arrays consists of (array_set.h). */
#ifndef TAREI_DATASETS_NUMPY_ARRAY_SET_PARTS_H
#define TAREI_DATASETS_NUMPY_ARRAY_SET_PARTS_H

#include "base/names.h"
#include "base/str.h"
#include "datasets/data_spec.h"
#include "datasets/names/spare.h"
#include "datasets/numpy/array_rows.h"

/* The array that feeds an input or contains the labels. */
typedef struct tarei_array_column {
  tarei_array *array; /* NULL: not found */
  int64_t *lengths;   /* extents of the second axis, one per row; NULL: uncut; owned */
} tarei_array_column;

typedef struct tarei_array_set {
  const tarei_data_spec *spec;
  bool labels;
  tarei_array *arrays;
  size_t n, capacity;
  tarei_names names;           /* of the arrays */
  tarei_spares others;         /* of a folder, which were not opened */
  tarei_array_column *columns; /* one per input, then the labels */
  int n_columns;
  bool rows;
  int64_t count;
  const char *kind; /* for describe, e.g. "NumPy archives" */
  tarei_str describe;
  tare_error fault; /* TARE_OK: none */
} tarei_array_set;

#endif
