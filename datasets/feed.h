/* A feed while its data set is open: how far it was read, and the sample that was taken last. */
#ifndef TAREI_DATASETS_FEED_H
#define TAREI_DATASETS_FEED_H

#include <stdbool.h>
#include <tare/feed.h>

#include "datasets/reader.h"

typedef struct tarei_feed {
  tare_feed source;
  int64_t taken;          /* samples, from the first one on */
  tare_fed_sample sample; /* the last of them; zeroed at the end */
  tare_error fault;       /* why that is bad */
  bool ended, failed;     /* there are no more; it must not be asked any more */
  bool begins_again;      /* before the next sample */
} tarei_feed;

/* Reads the feed of the spec. No file has this reader. */
extern const tarei_reader_ops tarei_reader_feed;

#endif
