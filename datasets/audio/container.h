/*
 * Containers of audio: whether a file is all there. Libraries correct a length that runs past the
 * end of the file in silence; here a truncated recording is a bad sample.
 *
 * One file each (container_<id>.c), one row each in containers.inc.
 */
#ifndef TAREI_DATASETS_AUDIO_CONTAINER_H
#define TAREI_DATASETS_AUDIO_CONTAINER_H

#include <stdbool.h>

#include "base/source.h"

typedef struct tarei_container {
  bool (*recognizes)(const tarei_source *source); /* by its first bytes */
  /* TARE_E_INPUT "is truncated: ..." for a file that is recognized. */
  tare_status (*check)(const tarei_source *source, tare_error *err);
} tarei_container;

#define TAREI_CONTAINER(id, ...) extern const tarei_container tarei_container_##id;
#define TAREI_CODED(...)
#include "datasets/audio/containers.inc"
#undef TAREI_CODED
#undef TAREI_CONTAINER

/* Extensions of audio files, in lower case without dot, NULL-terminated. */
extern const char *const tarei_audio_extensions[];

/* True when a file begins as one of these formats does. */
bool tarei_audio_begins(const char *path);

/* TARE_E_INPUT when the file is missing, not a regular file, or its audio is cut. Files in no
 * container of ours pass. */
tare_status tarei_container_check(const char *path, tare_error *err);

#endif
