/* Whether statistics were collected in the same way, so that they can be added. */
#ifndef TAREI_CALIB_PARTS_DIFFERENCE_H
#define TAREI_CALIB_PARTS_DIFFERENCE_H

#include <tare/merge.h>

#include "calib/stats.h"

/* TARE_E_USAGE, with all differences between the run of `stats` and that of `other`, which `name`
 * names: model, fit, profiles, settings, and with_shards also which part of the data they count. */
tare_status tarei_stats_check_same(const tare_stats *stats, const tare_stats *other,
                                   const char *name, bool with_shards, tare_error *err);

/* TARE_E_USAGE if statistics were not collected with this model, with the same inputs set. */
tare_status tarei_stats_check_model(const tare_stats *stats, const tare_model *model,
                                    tare_error *err);

#endif
