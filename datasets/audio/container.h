/*
 * Audio containers: they check whether a file is complete. Libraries silently correct a length
 * beyond the end of the file; here, a truncated recording is a bad sample.
 *
 * Each container has one file (container_<id>.c) and one row in containers.inc.
 */
#ifndef TAREI_DATASETS_AUDIO_CONTAINER_H
#define TAREI_DATASETS_AUDIO_CONTAINER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/source.h"

typedef struct tarei_container {
  bool (*recognizes)(const tarei_source *source); /* by its first bytes */
  /* Checks a file that it recognizes. TARE_E_INPUT "is truncated: ...". */
  tare_status (*check)(const tarei_source *source, tare_error *err);
} tarei_container;

#define TAREI_CONTAINER(id, ...) extern const tarei_container tarei_container_##id;
#define TAREI_CODED(...)
#include "datasets/audio/containers.inc"
#undef TAREI_CODED
#undef TAREI_CONTAINER

/* For containers: a number of 4 bytes, and TARE_E_INPUT if fewer bytes of audio than declared are
 * left at an offset. */
uint32_t tarei_container_u32(const uint8_t *p, bool big_endian);
tare_status tarei_container_check_size(const tarei_source *source, size_t offset, size_t declared,
                                       tare_error *err);

/* Extensions of audio files, in lower case without dot, NULL-terminated. */
extern const char *const tarei_audio_extensions[];

/* Whether a file begins like one of these formats. */
bool tarei_audio_begins(const char *path);

/* TARE_E_INPUT if bytes are truncated. Other containers pass. */
tare_status tarei_container_check(const tarei_source *source, tare_error *err);

/* The same for a file; also TARE_E_INPUT if it is missing or not a regular file. */
tare_status tarei_container_check_file(const char *path, tare_error *err);

#endif
