/* Times of the layers of a plan, from a file that `tare bench --exportProfile` wrote. */
#ifndef TAREI_TOOLS_SHOW_LAYER_PROFILE_H
#define TAREI_TOOLS_SHOW_LAYER_PROFILE_H

#include <tare/tare.h>

/* *ms receives the time of each layer in one run, without that of layers inside it; to be freed
 * with free(). TARE_E_INPUT where the file is not one of this plan. */
tare_status layer_profile_read(const char *path, const tare_plan *plan, double **ms,
                               tare_error *err);

#endif
