/* The value at which a symbol runs, from the sample's own value and the profile's range. */
#ifndef TAREI_SHAPES_POLICY_H
#define TAREI_SHAPES_POLICY_H

#include <tare/calib.h>

/* A value outside the range is first brought to its nearest end. */
int64_t tarei_policy_value(tare_fit fit, int64_t own, tare_range range);

#endif
