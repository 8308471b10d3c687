/* Tensors whose channels get other scales, powers of two, by which the weights of their readers are
 * multiplied and what makes them is divided. */
#ifndef TAREI_GRAPH_TABLE_SMOOTHING_H
#define TAREI_GRAPH_TABLE_SMOOTHING_H

#include "graph/table/table.h"

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
