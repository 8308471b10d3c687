/* Embeddings of samples: the mean of the rows (last axis) of the valid part of an output. */
#ifndef TAREI_CALIB_METRICS_EMBEDDING_H
#define TAREI_CALIB_METRICS_EMBEDDING_H

#include <tare/tensor.h>

#include "base/error.h"

/* Receives the embedding and its number of elements, 0 for an empty output; free() it. */
tare_status tarei_embedding_make(const tare_tensor *output, const int64_t *extents, double **out,
                                 int64_t *n, tare_error *err);

/* Cosine of the angle between two; NAN if one of them is zero. */
double tarei_embedding_cosine(const double *a, const double *b, int64_t n);

#endif
