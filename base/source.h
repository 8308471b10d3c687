/* A byte source: a file mapped read-only, or memory of the caller. Readers take one of these, so
 * that tests and fuzzers can feed memory. */
#ifndef TAREI_BASE_SOURCE_H
#define TAREI_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

typedef struct tarei_source {
  const uint8_t *data;
  size_t size;
  void *mapping; /* NULL when the memory is the caller's */
  char *name;    /* for messages; owned */
} tarei_source;

/* TARE_E_INPUT when missing, no regular file, or unreadable; TARE_E_MEMORY. An empty
 * file gives size 0. */
tare_status tarei_source_open(const char *path, tarei_source *out, tare_error *err);
/* The same for a file that is open, and stays so. */
tare_status tarei_source_map(int fd, const char *name, tarei_source *out, tare_error *err);
tare_status tarei_source_memory(const char *name, const void *data, size_t size, tarei_source *out,
                                tare_error *err);
/* Whether the file at `path` is there and begins with these bytes (at most 16). Takes no memory. */
bool tarei_file_begins(const char *path, const void *bytes, size_t n);

void tarei_source_close(tarei_source *source);

#endif
