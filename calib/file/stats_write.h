/*
 * Helpers to write a statistics file, or that of a result: objects without times, in fixed chunks,
 * so that the same contents give the same bytes. The caller holds tarei_hdf5_lock.
 */
#ifndef TAREI_CALIB_FILE_STATS_WRITE_H
#define TAREI_CALIB_FILE_STATS_WRITE_H

#include <hdf5.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `ok` goes false with the first step that fails; the following ones then do nothing. */
typedef struct tarei_stats_writer {
  hid_t file;
  bool ok;
  bool no_memory; /* of ours */
} tarei_stats_writer;

void tarei_stats_check_write(tarei_stats_writer *w, herr_t result);
/* Zeroed memory; NULL makes the writer fail. */
char *tarei_stats_make_block(tarei_stats_writer *w, size_t count, size_t size);

/* Attributes of the root. */
void tarei_stats_put_text(tarei_stats_writer *w, const char *name, const char *text);
void tarei_stats_put_number(tarei_stats_writer *w, const char *name, uint64_t value);

void tarei_stats_put_group(tarei_stats_writer *w, const char *path);

/* Makes a data set; chunk NULL for a contiguous one, others are compressed. */
hid_t tarei_stats_make_set(tarei_stats_writer *w, const char *path, hid_t type, int rank,
                           const hsize_t *dims, const hsize_t *chunk);
void tarei_stats_close_set(tarei_stats_writer *w, hid_t set);

/* A whole data set of numbers. */
void tarei_stats_put_array(tarei_stats_writer *w, const char *path, hid_t file_type,
                           hid_t memory_type, int rank, const hsize_t *dims, const void *data);
/* Texts of one length, filled up with zero bytes; the i-th text stands at first + i * stride. */
void tarei_stats_put_texts(tarei_stats_writer *w, const char *path, int n, const char *const *first,
                           size_t stride);

#endif
