/* Statistics as the bytes of their file. */
#ifndef TAREI_TESTS_UNIT_CALIB_SUPPORT_STATS_BYTES_H
#define TAREI_TESTS_UNIT_CALIB_SUPPORT_STATS_BYTES_H

#include <stdio.h>
#include <stdlib.h>
#include <tare/calib.h>
#include <unistd.h>

/* The caller frees them. Include it behind cmocka. */
static inline char *stats_bytes(const tare_stats *const stats, size_t *const n) {
  char path[] = "tare-stats-XXXXXX";
  const int fd = mkstemp(path);
  assert_true(fd >= 0 && close(fd) == 0);
  assert_int_equal(tare_stats_save(stats, path, NULL), TARE_OK);
  FILE *const file = fopen(path, "rb");
  assert_non_null(file);
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  *n = (size_t)ftell(file);
  rewind(file);
  char *const bytes = malloc(*n);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *n, file), *n);
  fclose(file);
  unlink(path);
  return bytes;
}

#endif
