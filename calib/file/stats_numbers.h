/* Lists of numbers of layers (graph/table/layer_numbers.h) in a statistics file. */
#ifndef TAREI_CALIB_FILE_STATS_NUMBERS_H
#define TAREI_CALIB_FILE_STATS_NUMBERS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_numbers(tarei_stats_writer *w, const tare_stats *stats);

/* Reads the lists that the file has. */
tare_status tarei_stats_read_numbers(const tarei_stats_reader *r, tare_stats *stats);

#endif
