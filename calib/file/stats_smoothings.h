/* Smoothed tensors (graph/table/smoothing.h) in a statistics file. */
#ifndef TAREI_CALIB_FILE_STATS_SMOOTHINGS_H
#define TAREI_CALIB_FILE_STATS_SMOOTHINGS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_smoothings(tarei_stats_writer *w, const tare_stats *stats);

/* Statistics without smoothed tensors have no such group. */
tare_status tarei_stats_read_smoothings(const tarei_stats_reader *r, tare_stats *stats);

#endif
