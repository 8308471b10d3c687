/* Samples outside all profiles that are left out. */
#ifndef TAREI_CALIB_SAMPLES_OUTSIDE_H
#define TAREI_CALIB_SAMPLES_OUTSIDE_H

#include <tare/calib.h>

/* With TARE_OUTSIDE_SKIP, the data set leaves out what these profiles do not cover. TARE_E_MEMORY
 */
tare_status tarei_outside_cover(tare_dataset *dataset, const tare_profiles *profiles,
                                tare_outside outside, tare_error *err);

#endif
