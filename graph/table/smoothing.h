/* Tensors whose channels get other scales, powers of two, by which the weights of their readers are
 * multiplied and what makes them is divided. */
#ifndef TAREI_GRAPH_TABLE_SMOOTHING_H
#define TAREI_GRAPH_TABLE_SMOOTHING_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "graph/table/extras.h"

/* A tensor whose channels have other scales. */
typedef struct tarei_smoothing {
  char *tensor;
  int64_t channels;
  int8_t *exponents; /* [channels]: channel c is divided by 2^exponents[c] */
  double *min, *max; /* [n_columns], of the tensor that is divided */
  double rms;        /* of its elements, about */
  tarei_extras extras;
} tarei_smoothing;

typedef struct tarei_smoothings {
  tarei_smoothing *items; /* sorted by tensor */
  int n;
  size_t cap;
} tarei_smoothings;

/* Exponents are within these. */
#define TAREI_SMOOTHING_MOST 24

/* Adds a smoothing with copies of exponents[channels], min[n_columns] and max[n_columns]. */
tare_status tarei_smoothings_add(tarei_smoothings *list, const char *tensor, int64_t channels,
                                 const int8_t *exponents, int n_columns, const double *min,
                                 const double *max, double rms, tare_error *err);
void tarei_smoothings_fini(tarei_smoothings *list);

/* Of columns first..end - 1 the smallest min and the largest max, as the only column of a copy. */
tare_status tarei_smoothings_merge(tarei_smoothings *list, const tarei_smoothing *from, int first,
                                   int end, tare_error *err);

#endif
