/* Which weights of layers are rounded up (graph/table/rounding.h) in a statistics file. */
#ifndef TAREI_CALIB_FILE_STATS_ROUNDINGS_H
#define TAREI_CALIB_FILE_STATS_ROUNDINGS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_roundings(tarei_stats_writer *w, const tare_stats *stats);

/* Files of version 2.0 have none. */
tare_status tarei_stats_read_roundings(const tarei_stats_reader *r, tare_stats *stats);

#endif
