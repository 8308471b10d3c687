/* Which elements of X a place of a grid reads, and with which weights. */
#ifndef TAREI_ENGINE_LOWER_RESIZE_GRID_TAPS_H
#define TAREI_ENGINE_LOWER_RESIZE_GRID_TAPS_H

#include <tare/tensor.h>

#include "graph/ops/resize/ops_grid_sample.h"

#define TAREI_GRID_MOST_TAPS 64 /* of a place: cubic over three axes */

typedef struct tarei_grid_taps {
  tarei_grid_sample_form form;
  int axes, per_axis;
  int64_t length[TAREI_GRID_MOST_AXES]; /* of X */
  const tare_tensor *grid;              /* float32 or float64 */
} tarei_grid_taps;

/* Taps of a place: 1, 2 or 4 for each axis, multiplied. */
int tarei_grid_taps_count(const tarei_grid_taps *t);

/* Fills offsets and weights of the taps of place `at` of the grid. Of those outside, the offset is
 * -1 if they are zeros. Returns whether any is. X has at most INT32_MAX elements. */
bool tarei_grid_taps_find(const tarei_grid_taps *t, int64_t at, int32_t *offsets, double *weights);

#endif
