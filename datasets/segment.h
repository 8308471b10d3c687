/* What of a file is a sample, where a manifest names less than the file. Zeroed: the whole file. */
#ifndef TAREI_DATASETS_SEGMENT_H
#define TAREI_DATASETS_SEGMENT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tarei_segment {
  bool cut;             /* only a stretch of the recording */
  double start, length; /* of it, in seconds; length 0: up to the end */
  bool rounded;         /* an end shortly before that of the recording means the latter */
  int channel;          /* of the recording, from 1; 0: as the options of the data say */
  int64_t byte;         /* in an archive: where the sample begins */
} tarei_segment;

enum { TAREI_SEGMENT_SECONDS = 100000000 }; /* most of start and length */

#endif
