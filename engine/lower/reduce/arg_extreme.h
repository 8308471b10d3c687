/* Where the extreme elements along an axis lie. */
#ifndef TAREI_ENGINE_LOWER_REDUCE_ARG_EXTREME_H
#define TAREI_ENGINE_LOWER_REDUCE_ARG_EXTREME_H

#include "engine/step.h"

bool tarei_arg_extreme_takes(tare_dtype dtype);

/* Writes where along the axis, which is not empty, the largest elements of x lie, or with `least`
 * the smallest: of equal ones the first, or with `last` the last. A NaN is more extreme than any
 * number. */
void tarei_arg_extreme(const tarei_run *run, const tare_tensor *x, int axis, bool least, bool last,
                       int64_t *out);

#endif
