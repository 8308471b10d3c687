/* The arrays of a set that feed nothing. */
#ifndef TAREI_DATASETS_NUMPY_ARRAY_SPARES_H
#define TAREI_DATASETS_NUMPY_ARRAY_SPARES_H

#include "datasets/numpy/array_set_parts.h"

/* Called when each column has its array, or has none because it is missing: TARE_E_INPUT if an
 * input is missing although there are arrays that no input takes, or if one of these seems to be
 * meant for an input that was taken for a state. */
tare_status tarei_array_spares_check(const tarei_array_set *set, const bool *missing,
                                     tare_error *err);

#endif
