/* The samples that set the ranges of tensors, and the ranges of parts of the data, in a file. */
#ifndef TAREI_CALIB_FILE_STATS_ORIGINS_H
#define TAREI_CALIB_FILE_STATS_ORIGINS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

void tarei_stats_put_origins(tarei_stats_writer *w, const tare_stats *stats);

/* After the ledger: the samples must be in it. */
tare_status tarei_stats_read_origins(const tarei_stats_reader *r, tare_stats *stats);

#endif
