/* The value at which a symbol runs, from the sample's own value and the profile's range. */
#ifndef TAREI_SHAPES_POLICY_H
#define TAREI_SHAPES_POLICY_H

#include <tare/calib.h>

/* A sample outside the range is cut or padded to it first. */
int64_t tarei_policy_value(tare_fit fit, int64_t own, tare_range range);

#endif
