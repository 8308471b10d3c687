/* Sums for decisions that are still to be made (calib/parts/sums.h) in a statistics file. */
#ifndef TAREI_CALIB_FILE_STATS_SUMS_H
#define TAREI_CALIB_FILE_STATS_SUMS_H

#include "calib/file/stats_read.h"
#include "calib/file/stats_write.h"
#include "calib/stats.h"

/* Nothing for NULL. */
void tarei_stats_put_sums(tarei_stats_writer *w, const tarei_sums *sums);
/* *out stays NULL if the file has none. */
tare_status tarei_stats_read_sums(const tarei_stats_reader *r, int n_profiles, tarei_sums **out);

#endif
