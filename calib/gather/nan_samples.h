/* Samples in which an observed tensor has NaN. */
#ifndef TAREI_CALIB_GATHER_NAN_SAMPLES_H
#define TAREI_CALIB_GATHER_NAN_SAMPLES_H

#include <tare/calib.h>

/* Counts a sample, and keeps its name and that of a tensor if it is one of the first. Samples come
 * in any order, each once. TARE_E_MEMORY */
tare_status tarei_nan_samples_add(tare_nan_samples *samples, int64_t index, const char *name,
                                  const char *tensor, tare_error *err);

#endif
