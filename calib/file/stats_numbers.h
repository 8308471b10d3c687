/* Lists of numbers of layers (graph/table/layer_numbers.h) in a statistics file. */
#ifndef TAREI_CALIB_STATS_NUMBERS_H
#define TAREI_CALIB_STATS_NUMBERS_H

#include "calib/file/stats_file.h"
#include "calib/file/stats_read.h"

/* Reads the lists that the file has. */
tare_status tarei_stats_read_numbers(const tarei_stats_reader *r, tare_stats *stats);

#endif
