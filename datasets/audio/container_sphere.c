/* NIST SPHERE, as corpora of speech have it, mostly in files named .wav or .sph: a header of text,
 * of the length that its second line says, then one block of audio. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "datasets/audio/container.h"

#define MARK "NIST_1A\n"
enum { MOST_HEADER = 65536, LENGTH_LINE = 8, FIELDS = 3 };

static bool sphere_recognizes(const tarei_source *const source) {
  return source->size >= strlen(MARK) && memcmp(source->data, MARK, strlen(MARK)) == 0;
}

/* The value of a line such as "sample_count -i 16000"; 0 without one. */
static uint64_t sphere_field(const char *const header, const char *const name) {
  const size_t n = strlen(name);
  for (const char *line = header; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, n) == 0 && strncmp(line + n, " -i ", 4) == 0) {
      return strtoull(line + n + 4, NULL, 10);
    }
  }
  return 0;
}

/* Bytes of audio that a header declares; 0 where it does not tell. */
static size_t sphere_declared(const char *const header) {
  static const char *const NAMES[FIELDS] = {"sample_count", "channel_count", "sample_n_bytes"};
  if (strstr(header, ",embedded-")) { /* compressed: the bytes are fewer */
    return 0;
  }
  size_t bytes = 1;
  for (int i = 0; i < FIELDS; i++) {
    bytes = tarei_times(bytes, (size_t)sphere_field(header, NAMES[i]));
  }
  return bytes;
}

static tare_status sphere_check(const tarei_source *const source, tare_error *const err) {
  char length[LENGTH_LINE + 1] = "";
  if (source->size >= strlen(MARK) + LENGTH_LINE) {
    memcpy(length, source->data + strlen(MARK), LENGTH_LINE);
  }
  const size_t size = (size_t)strtoull(length, NULL, 10);
  if (size > MOST_HEADER) {
    return TARE_OK; /* whoever reads it refuses it */
  }
  if (size > source->size || size == 0) {
    return tarei_fail(err, TARE_E_INPUT, "truncated inside its header");
  }
  char *const header = tarei_strndup((const char *)source->data, size);
  if (!header) {
    return tarei_fail_memory(err, "the header of a recording", size);
  }
  const size_t declared = sphere_declared(header);
  free(header);
  return tarei_container_check_size(source, size, declared, err);
}

const tarei_container tarei_container_sphere = {.recognizes = sphere_recognizes,
                                                .check = sphere_check};
