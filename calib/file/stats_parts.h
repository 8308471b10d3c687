/* What identifies the parts of a run in a statistics file: its settings, its samples, its shards.
 */
#ifndef TAREI_CALIB_FILE_STATS_PARTS_H
#define TAREI_CALIB_FILE_STATS_PARTS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_parts(tarei_stats_writer *w, const tare_stats *stats);
tare_status tarei_stats_read_parts(const tarei_stats_reader *r, tare_stats *stats);

#endif
