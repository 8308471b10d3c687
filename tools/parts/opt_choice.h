/* Options of a calibration that choose samples, and say how much each counts. */
#ifndef TAREI_TOOLS_PARTS_OPT_CHOICE_H
#define TAREI_TOOLS_PARTS_OPT_CHOICE_H

#include <argp.h>

#include "tools/options/options.h"

typedef struct opt_choice {
  tare_choice choice;
  tare_weight weight;
} opt_choice;

extern const struct argp opt_choice_argp;

/* Leaves the chosen samples in the data. Samples of streaming models have no profile of their own.
 */
tare_status opt_choice_apply(const opt_choice *options, const opt_common *common,
                             const tare_profiles *profiles, tare_outside outside, bool streaming,
                             tare_dataset *dataset, tare_error *err);

#endif
