/* Helpers to read a statistics file, or that of a result. Nothing in the file is trusted: types,
 * shapes and sizes are checked before memory is allocated. The caller holds tarei_hdf5_lock. */
#ifndef TAREI_CALIB_FILE_STATS_READ_H
#define TAREI_CALIB_FILE_STATS_READ_H

#include <hdf5.h>
#include <stdbool.h>

#include "base/error.h"

enum { TAREI_STATS_READ_THIRD = 64 };

typedef struct tarei_stats_reader {
  const char *path;
  hid_t file;
  hsize_t file_size; /* arrays that are not compressed cannot be larger */
  hsize_t most;      /* elements of an array along an axis, below 2^31 */
  tare_error *err;
} tarei_stats_reader;

/* "path: object rule" as TARE_E_INPUT. */
tare_status tarei_stats_bad(const tarei_stats_reader *r, const char *object, const char *rule);

/* Whether the format attribute of an open file is `format`; and of a file by its name, also true if
 * it cannot be looked into: reading it then says what is wrong. The second takes the lock itself.
 */
bool tarei_stats_has_format(hid_t file, const char *format);
bool tarei_stats_is_of_format(const char *path, const char *format);

/* Attributes of the root; fail with a sentence. Texts are copies, which the caller frees. */
tare_status tarei_stats_need_text(const tarei_stats_reader *r, const char *name, char **out);
tare_status tarei_stats_need_number(const tarei_stats_reader *r, const char *name, uint64_t *out);
/* *out is unchanged if there is no such number. */
void tarei_stats_find_number(const tarei_stats_reader *r, const char *name, uint64_t *out);

/* Opens a data set of a class, of `rank` and, where not -1, dims[]; fills dims. */
tare_status tarei_stats_open_set(const tarei_stats_reader *r, const char *path, H5T_class_t class,
                                 int rank, int64_t *dims, hid_t *out);

/* Reads a list of texts: n texts of `size` bytes each in `block`, which the caller frees. */
typedef struct tarei_stats_texts {
  int n;
  size_t size;
  char *block;
} tarei_stats_texts;

/* expected: the required number of texts, or -1. */
tare_status tarei_stats_read_texts(const tarei_stats_reader *r, const char *path, int64_t expected,
                                   tarei_stats_texts *out);
/* A copy of text i into *slot. */
tare_status tarei_stats_take_text(const tarei_stats_reader *r, const tarei_stats_texts *t, int i,
                                  char **slot);

/* Reads an array with known dims, a third one at most TAREI_STATS_READ_THIRD, of numbers of `size`
 * bytes in memory. The caller frees *out, even
 * after a failure. */
tare_status tarei_stats_read_array(const tarei_stats_reader *r, const char *path, H5T_class_t class,
                                   hid_t type, size_t size, int rank, const int64_t *dims,
                                   char **out);

#endif
