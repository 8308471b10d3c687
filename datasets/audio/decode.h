/* The frames of a recording, or of a part of it, as mono audio in memory. */
#ifndef TAREI_DATASETS_AUDIO_DECODE_H
#define TAREI_DATASETS_AUDIO_DECODE_H

#include "base/source.h"
#include "datasets/segment.h"

typedef struct tarei_mono {
  float *frames; /* owned */
  int64_t n;
  size_t capacity;
} tarei_mono;

typedef struct tarei_decode {
  const char *path;           /* of its file */
  const tarei_source *memory; /* its bytes, if they are not in a file of their own; or NULL */
  tarei_segment segment;
  int64_t max_frames;
} tarei_decode;

/* Adds the frames to `out`, which must be zeroed, and may be partly filled after a failure; free
 * out->frames either way. */
tare_status tarei_decode_recording(const tarei_decode *decode, int *rate, tarei_mono *out,
                                   tare_error *err);

#endif
