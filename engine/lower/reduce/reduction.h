/* Reductions of a dense tensor over some of its axes, divided among threads by outputs. */
#ifndef TAREI_ENGINE_LOWER_REDUCE_REDUCTION_H
#define TAREI_ENGINE_LOWER_REDUCE_REDUCTION_H

#include "engine/step.h"

/* cut[d] says that axis d of x goes away. */
tarei_reduction tarei_reduction_read(const tare_tensor *x, const bool *cut);

/* Computes `lanes` outputs whose first elements lie `step` elements apart from x on: at most
 * TAREI_REDUCTION_LANES with step 1, or TAREI_REDUCTION_ROWS. */
typedef void (*tarei_reduction_fn)(const void *user, const tarei_reduction *r, const void *x,
                                   size_t lanes, size_t step, void *out);

/* x and out have elements of so many bytes. */
void tarei_reduction_run(const tarei_reduction *r, const tarei_run *run, const void *x,
                         size_t x_element, void *out, size_t out_element, tarei_reduction_fn fn,
                         const void *user);

#endif
