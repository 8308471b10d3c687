/* A source of bytes: a file mapped read-only, or memory of the caller. Readers read from a source,
 * so that tests and fuzzers can pass memory. */
#ifndef TAREI_BASE_SOURCE_H
#define TAREI_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_source {
  const uint8_t *data;
  size_t size;
  void *mapping; /* NULL for memory of the caller */
  char *name;    /* for messages; owned */
} tarei_source;

/* Maps a file. TARE_E_INPUT if it is missing, unreadable or not a regular file; TARE_E_MEMORY. An
 * empty file has size 0. */
tare_status tarei_source_open(const char *path, tarei_source *out, tare_error *err);
/* The same for an open file, which stays open. */
tare_status tarei_source_map(int fd, const char *name, tarei_source *out, tare_error *err);
tare_status tarei_source_memory(const char *name, const void *data, size_t size, tarei_source *out,
                                tare_error *err);
/* Whether the file at `path` exists and begins with these bytes, at most 16. Allocates nothing. */
bool tarei_file_begins(const char *path, const void *bytes, size_t n);

void tarei_source_close(tarei_source *source);

#endif
