/* Windows of pooling over one, two or three axes. */
#ifndef TAREI_ENGINE_LOWER_CONV_POOL_TAPS_H
#define TAREI_ENGINE_LOWER_CONV_POOL_TAPS_H

#include "engine/lower/conv/windows.h"
#include "engine/step.h"

#define TAREI_POOL_AXES 3 /* fewer axes are the last ones of three */

/* What a node says of its windows. */
typedef struct tarei_pooling {
  int space;           /* axes */
  bool with_pads;      /* count_include_pad */
  tarei_window window; /* over TAREI_POOL_AXES axes */
} tarei_pooling;

tare_status tarei_pooling_read(const tarei_step *step, int space, tarei_pooling *out,
                               tare_error *err);

/* Taps [first, end) of a window fall on elements; `padded` of them on elements or padding. */
typedef struct tarei_pool_taps {
  int64_t start, first, end, padded;
} tarei_pool_taps;

/* Sizes of one run, filled up to three axes. */
typedef struct tarei_pool_geometry {
  const tarei_pooling *s;
  bool average;
  int64_t in[TAREI_POOL_AXES], out[TAREI_POOL_AXES], before[TAREI_POOL_AXES],
      after[TAREI_POOL_AXES];
} tarei_pool_geometry;

/* first: the first axis of the windows. */
tarei_pool_geometry tarei_pool_geometry_of(const tarei_pooling *s, bool average, int first,
                                           const tare_tensor *x, const tare_tensor *out);

/* Of a window along an axis. */
tarei_pool_taps tarei_pool_taps_of(const tarei_pool_geometry *g, int axis, int64_t position);

/* The taps along an axis that averages count. */
static inline double tarei_pool_count(const tarei_pool_geometry *const g,
                                      const tarei_pool_taps *const t) {
  return (double)(g->s->with_pads ? t->padded : t->end - t->first);
}

/* What the sum of a window is divided by, by its taps along each axis; 0 where nothing is counted.
 */
double tarei_pool_divisor(const tarei_pool_geometry *g, const tarei_pool_taps *t);

#endif
