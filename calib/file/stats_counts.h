/* Histograms and counts of rows, per tensor and profile, in a statistics file. */
#ifndef TAREI_CALIB_FILE_STATS_COUNTS_H
#define TAREI_CALIB_FILE_STATS_COUNTS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_counts(tarei_stats_writer *w, const tare_stats *stats);

/* After the arrays of numbers (stats_file.h), with which the counts must agree. */
tare_status tarei_stats_read_counts(const tarei_stats_reader *r, tare_stats *stats);

#endif
